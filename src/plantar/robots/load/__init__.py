"""Robots from names, MJCF and URDF files."""
