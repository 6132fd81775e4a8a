"""Commands of `plantar bench`."""
