"""Locks that travel with the package: `python -m accelreport.locks report` prints the path of one.

pip installs by hash from them what the package needs. They are therefore asked for before anything
else is installed: this module imports nothing but the standard library.
"""

from __future__ import annotations

import sys
from pathlib import Path

LOCKS = {"report": "requirements-report.lock", "cpu": "requirements.lock"}
"""What `build` needs; what `run` needs on a CPU, too."""


def lock(name: str) -> Path:
    """A lock in the wheel, or in the checkout.

    Args:
        name: a key of `LOCKS`.
    """
    package = Path(__file__).parent
    packaged = package / "_locks" / LOCKS[name]
    return packaged if packaged.exists() else package.parent / LOCKS[name]


if __name__ == "__main__":
    if sys.argv[1:] not in ([name] for name in LOCKS):
        sys.exit(f"usage: python -m accelreport.locks {'|'.join(LOCKS)}")
    sys.stdout.write(f"{lock(sys.argv[1])}\n")
