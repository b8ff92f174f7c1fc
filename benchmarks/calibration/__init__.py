"""How well the intervals cover, by simulation; its tables stand in docs/statistics.md."""
