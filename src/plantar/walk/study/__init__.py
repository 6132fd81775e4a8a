"""Many walks: draws, statistics, claims and reports."""
