"""The command line: options and help texts; each command hands over to a module that works.

Whatever takes time to import is imported inside the commands, so that `--help` and shell
completion answer at once.
"""

from accelreport.cli.app import app, main

__all__ = ["app", "main"]
