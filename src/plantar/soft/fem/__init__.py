"""Finite elements: tetrahedra, beams and springs, their materials and their matrices."""
