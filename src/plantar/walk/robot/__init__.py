"""The robot as its controller knows it: masses and joints, soles, dynamics and inverse kinematics."""
