"""Plantar: soft adaptive feet of legged robots, in MuJoCo."""
