"""Names that earlier versions had: what each one's error tells people to use instead."""

from __future__ import annotations

COMMANDS: dict[str, str] = {
    "ceilings": "ceilings.html and each benchmark's page in the built site have the upper bounds",
}
"""A removed command, subcommand or option, such as `data where` or `build --explain`."""

KEYS: dict[str, str] = {}
"""A removed key of a spec or of the devices file, with its tables, such as `measure.split`."""
