"""Commands of `plantar sweep`."""
