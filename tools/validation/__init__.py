"""What `tools/validate.py` measures, and the pages it writes from the results."""
