"""Laws and contact parameters from measured forces and recorded motions."""
