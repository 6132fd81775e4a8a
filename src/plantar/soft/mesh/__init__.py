"""Meshes: made by construction or read from files, checked and repaired."""
