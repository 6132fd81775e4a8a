"""Commands of `plantar robots`."""
