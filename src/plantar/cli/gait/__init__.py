"""Commands of `plantar gait`."""
