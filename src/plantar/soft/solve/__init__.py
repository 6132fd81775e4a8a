"""Solving: the step's problem, its factor, complementarity, statics, dynamics and the inverse."""
