"""Records on disk: versioned, one file for each cell."""
