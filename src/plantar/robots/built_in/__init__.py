"""Robots that ship with Plantar."""
