"""The version of accelreport, apart from the package that shows it.

A module that needs the version imports this one: `accelreport` itself would draw in what it offers.
"""

__version__ = "0.1.0"
