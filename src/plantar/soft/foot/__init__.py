"""A foot of solid rubber: finite elements, condensed springs, flex and co-simulation."""
