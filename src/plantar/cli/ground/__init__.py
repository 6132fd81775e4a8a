"""Commands of `plantar ground`."""
