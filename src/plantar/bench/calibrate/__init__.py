"""Parameters of a foot from measured presses, with intervals."""
