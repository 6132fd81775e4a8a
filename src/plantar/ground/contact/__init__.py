"""What MuJoCo makes of a law: the ground's parameters, mixing, explanation, realisation."""
