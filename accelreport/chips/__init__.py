"""Two networks on every chip: what a machine contributes, and whether it can be believed."""
