"""How well the intervals cover, by simulation; tables.md and docs/statistics.md show it."""
