"""Names that earlier versions had: what each one's error tells people to use instead."""

from __future__ import annotations

COMMANDS: dict[str, str] = {
    "ceilings": "ceilings.html and each benchmark's page in the built site have the upper bounds",
    "bench": "Write a spec with `accelreport new FILE --kind KIND`, then `accelreport run FILE`.",
    "build --trials": "Name what to show: `accelreport build --only SPEC:PROFILE`.",
    "data where": "`accelreport data list` prints the folder in its first line.",
    "results export": "Use `accelreport results list --format bencher` or `--format github`.",
    "results show": "Use `accelreport results list KEY`.",
    "try": "Write a spec with `accelreport new FILE --model MODEL`, then `accelreport run FILE`.",
}
"""A removed command, subcommand or option, such as `data where` or `build --explain`."""

KEYS: dict[str, str] = {}
"""A removed key of a spec or of the devices file, with its tables, such as `measure.split`."""
