"""What the robot is to do next: footholds, timing, and motion of the centre of mass."""
