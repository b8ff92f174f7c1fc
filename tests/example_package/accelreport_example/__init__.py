"""A package that adds a family and a data set to accelreport."""
