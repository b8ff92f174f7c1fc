"""A package of workloads that go wrong, each in its own way and for real."""
