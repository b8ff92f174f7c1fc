"""Changes every value of every document in every way, and says what broke: `--help` says more."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter

from tests.mutations.documents import KINDS, Broken


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Goes through the kinds that are named; 1 when something broke."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(k.name for k in KINDS)}")
    parser.add_argument("--every", type=int, default=1, help="judge one mutation in so many")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--place", default="", help="only places that begin with this")
    chosen = parser.parse_args()
    broken = 0
    for kind in KINDS:
        if chosen.kinds and kind.name not in chosen.kinds:
            continue
        counts: Counter[str] = Counter()
        began = time.monotonic()
        for number, (which, mutation) in enumerate(kind.mutations()):
            if (number - chosen.first) % chosen.every or not str(mutation).startswith(chosen.place):
                continue
            try:
                counts["taken" if kind.judge(which, mutation) else "refused"] += 1
            except Broken as error:
                counts["BROKEN"] += 1
                cause = error.__cause__
                last = traceback.extract_tb(cause.__traceback__)[-1] if cause else None
                at = f"{last.filename.rpartition('/')[2]}:{last.lineno}" if last else ""
                say(f"  {error}  {type(cause).__name__}: {str(cause)[:90]!r} {at}")
        broken += counts["BROKEN"]
        said = ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))
        seconds = time.monotonic() - began
        say(f"{kind.name}: {counts.total():,} mutations: {said}; {seconds:.0f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
