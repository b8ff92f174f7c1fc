"""Slides: one finding and one figure a screen, and what to say with it."""
