"""Statistics: data frames in, data frames out."""
