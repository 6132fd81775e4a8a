"""Whole-body predictive control: a centroidal plan over the next steps, solved anew many times a second."""
