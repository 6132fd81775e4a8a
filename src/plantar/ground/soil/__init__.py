"""Ground that yields and keeps its footprints."""
