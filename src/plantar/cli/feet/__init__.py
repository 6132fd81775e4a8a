"""Commands of `plantar feet`."""
