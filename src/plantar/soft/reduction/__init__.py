"""Reduced models: bases, fewer elements, and the card that says how far to trust them."""
