"""Robots that come with Plantar."""
