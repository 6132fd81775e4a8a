"""Ground for a robot: contact parameters that give a desired sinkage, and how a robot behaves on them."""
