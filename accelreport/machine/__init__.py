"""This machine: what it is, its clocks, energy, memory and processes; no framework is imported."""
