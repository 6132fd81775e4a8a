"""What the robot should do next: footholds, timing, and motion of the centre of mass."""
