"""Laws of rubber fitted to stress-stretch tables."""
