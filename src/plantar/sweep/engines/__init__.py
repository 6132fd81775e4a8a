"""What runs the trials: threads, processes, a Ray cluster, a GPU; and the pool that hands them out."""
