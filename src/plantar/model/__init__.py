"""Queries on a compiled model: its tree, shapes, keyframes, legs and feet."""
