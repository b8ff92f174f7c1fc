"""How well the intervals cover, by simulation; its tables are in tables.md and docs/statistics.md."""
