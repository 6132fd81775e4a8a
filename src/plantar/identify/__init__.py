"""Ground for a robot: contact parameters that give a wanted sinkage, and what a robot does on them."""
