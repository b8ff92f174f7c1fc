"""Specs: TOML in, checked values and cells out."""
