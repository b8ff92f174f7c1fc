"""Statistics of records: intervals, verdicts, claims, and what may be said of them."""
