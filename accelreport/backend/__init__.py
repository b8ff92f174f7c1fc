"""What runs in a cell's process: frameworks, strategies, the timed loop, its self-checks."""
