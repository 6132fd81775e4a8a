"""Toes raised, arch lifted."""
