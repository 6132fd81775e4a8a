"""The world that a robot walks in, pushes and obstacles in it, and what is measured there."""
