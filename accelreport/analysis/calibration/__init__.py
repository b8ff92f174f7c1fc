"""What the simulation of `benchmarks/calibration/` found, kept for the page of methods."""
