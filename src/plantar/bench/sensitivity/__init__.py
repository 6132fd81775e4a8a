"""The effect of moving the supports by a few millimetres and the tilt by a few degrees."""
