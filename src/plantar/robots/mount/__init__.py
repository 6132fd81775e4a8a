"""Feet in place of the ones a robot has."""
