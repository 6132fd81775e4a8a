"""Scenes: bodies, cables, cavities, contacts, loads and goals, and the files that describe them."""
