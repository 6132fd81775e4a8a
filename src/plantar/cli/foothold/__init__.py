"""Commands of `plantar foothold`."""
