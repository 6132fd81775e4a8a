"""How MuJoCo realises a law: the ground's parameters, mixing, explanation, realisation."""
