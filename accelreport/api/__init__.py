"""accelreport from Python: what `accelreport.run`, `load_results` and `build` are."""
