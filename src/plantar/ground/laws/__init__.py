"""Laws of contact: force against depth and speed, in SI units."""
