"""Whole-body predictive control: a centroidal plan over the next steps, solved again many times per second."""
