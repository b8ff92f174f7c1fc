"""A package that adds a family, a data set and a launcher to accelreport."""
