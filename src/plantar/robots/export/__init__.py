"""Model folders of robots."""
