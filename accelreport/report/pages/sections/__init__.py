"""Sections of a benchmark's page, one module each."""
