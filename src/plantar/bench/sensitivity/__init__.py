"""What a few millimetres of the supports and degrees of tilt do."""
