"""Pages: what stands on each, as plain values."""
