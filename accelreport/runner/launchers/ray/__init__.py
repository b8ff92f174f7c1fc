"""Cells as tasks of a Ray cluster."""
