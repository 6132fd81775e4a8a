"""Measured presses beside simulated ones."""
