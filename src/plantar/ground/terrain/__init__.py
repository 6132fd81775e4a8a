"""Shapes of the ground: one map of heights, one registry of generators."""
