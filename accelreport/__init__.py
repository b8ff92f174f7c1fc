"""Declarative accelerator benchmarks that end as a report people trust."""

__version__ = "0.1.0"
