"""The command line: options and help texts. Each command calls a module that does the work.

Slow imports happen inside the commands, so that `--help` and shell completion answer at once.
"""

from accelreport.cli.app import app, main

__all__ = ["app", "main"]
