"""Light twins of a foot, fitted, with an error card."""
