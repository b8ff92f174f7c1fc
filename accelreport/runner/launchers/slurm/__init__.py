"""Cells as jobs of Slurm, through submitit."""
