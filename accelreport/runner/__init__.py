"""The order of cells, their processes, limits, failures and progress."""
