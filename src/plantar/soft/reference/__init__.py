"""Reference states of another simulator, and how far ours are from them."""
