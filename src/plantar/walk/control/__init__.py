"""What moves the joints: whole-body program, swinging feet, estimator and the controllers by name."""
