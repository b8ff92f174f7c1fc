"""The families of workloads: what is computed, never how it is timed or where."""
