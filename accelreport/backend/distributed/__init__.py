"""Cells that need several processes: started, watched and ended together."""
