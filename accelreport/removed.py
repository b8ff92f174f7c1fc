"""Names that earlier versions had: what each one's error tells people to use instead."""

from __future__ import annotations

HISTORIES = "Write what a service reads from the frames of the Python interface: docs/python.md."

COMMANDS: dict[str, str] = {
    "publish": "Copy a file from ci/ of accelreport's repository; docs/automation.md shows how.",
    "laws": "The page of a sweep says between which points a device overtakes another.",
    "ceilings": "The built site has the upper bounds: ceilings.html and each benchmark's page.",
    "bench": "Write a spec with `accelreport new FILE --kind KIND`, then `accelreport run FILE`.",
    "build --explain": "results.json of the built site has each finding with its values.",
    "build --logo": "Show it in a template of your own: docs/report.md says how.",
    "build --png": "Convert the SVG file of the figure.",
    "build --trials": "Name what to show: `accelreport build --only SPEC:PROFILE`.",
    "data where": "`accelreport data list` prints the folder in its first line.",
    "import --accessed": "Write `accessed` into the row's `source`, or a column source.accessed.",
    "import --format": "The format is known by the file's content.",
    "import --licence": "Write `licence` into the row's `source`, or a column source.licence.",
    "import --not-comparable": "Write `comparable = false` into the row, or a column comparable.",
    "import --note": "Write `note` into the row, or a column note.",
    "new --title": "Edit `title` in the spec.",
    "results list --format": HISTORIES,
    "results export": HISTORIES,
    "results show": "Use `accelreport results list KEY`.",
    "run --ray-address": "Use `--on-option address=HOST:PORT`.",
    "run --timings": "Each record has its own `times`; docs/running.md explains them.",
    "schema --devices": "Use `accelreport schema devices`.",
    "schema --events": "Use `accelreport schema events`.",
    "schema --record": "Use `accelreport schema record`.",
    "try": "Write a spec with `accelreport new FILE --model MODEL`, then `accelreport run FILE`.",
}
"""A removed command, subcommand or option, such as `data where` or `build --explain`."""

KEYS: dict[str, str] = {
    "claims.check.below_peak": "a benchmark's page shows each device's share of its peak",
    "claims.check.higher": 'write { difference = "val_accuracy", of = …, over = …, at_least = 0 }',
    "claims.check.lower": 'write { difference = "val_accuracy", of = …, over = …, at_most = 0 }',
    "claims.check.starting_at": "leave it out: a trend follows all values of its key",
    "claims.check.tolerance": "it belongs to `about` or `by_about`",
    "report.logo": "show it in a template of your own: docs/report.md says how",
    "strategy.parameter_server": 'write "multi_worker_mirrored", or "mirrored" with `replicas`',
    "talk": "leave it out: a deck shows one finding of each kind",
    "measure.split": "leave it out: parts of a step are not timed, and the page of a sweep says "
    "between which points one device overtakes another",
}
"""A removed key of a spec with its tables, such as `measure.split`, or a key's removed value."""
