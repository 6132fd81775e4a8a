"""Commands of `plantar soft`."""
