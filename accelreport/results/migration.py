"""Older records, brought to the version this program reads.

Each step takes a record of one version, as plain JSON values, and returns it one version
higher. To change the record: raise `RECORD_VERSION`, add the step from the version before,
and keep a record of that version among the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from accelreport.results.record import RECORD_VERSION

Step = Callable[[dict[str, Any]], dict[str, Any]]

STEPS: Mapping[int, Step] = {}
"""The step that takes a record of this version one version higher."""


class NewerVersion(ValueError):  # noqa: N818 -- reads as what it says
    """The record was written by a newer accelreport."""


class NoVersion(ValueError):  # noqa: N818 -- reads as what it says
    """The document does not say which version of a record it is."""


def migrate(
    document: Mapping[str, Any],
    *,
    steps: Mapping[int, Step] = STEPS,
    current: int = RECORD_VERSION,
) -> dict[str, Any]:
    """Bring a record to the current version.

    Args:
        document: the record as JSON values.
        steps: the steps, by the version they start from.
        current: the version to reach.

    Raises:
        NoVersion: it has no `record_version`, or one that never existed.
        NewerVersion: its version is above `current`.
    """
    version = document.get("record_version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise NoVersion(f"record_version is {version!r}, not a whole number from 1")
    if version > current:
        raise NewerVersion(
            f"it was written by a newer accelreport (record version {version}; this one reads "
            f"up to {current}): update accelreport to read it"
        )
    record = dict(document)
    while version < current:
        record = steps[version](record)
        version += 1
        record["record_version"] = version
    return record
