"""Data sets: a catalogue, a cache, loaders, and stand-ins of the same shapes."""
