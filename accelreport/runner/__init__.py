"""The order of cells, their processes, limits, failures, resume and progress."""
