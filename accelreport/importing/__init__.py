"""Somebody else's figures, from the files they are in, as `[[published]]` tables of a spec."""
