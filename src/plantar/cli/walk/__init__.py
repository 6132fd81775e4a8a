"""Commands of `plantar walk`."""
