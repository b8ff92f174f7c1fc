"""`python -m docsite OUT` builds the documentation into a folder."""

from __future__ import annotations

import sys
from pathlib import Path

from docsite.site import build


def main() -> None:
    """Builds into the folder that is named, and says where to begin to read."""
    if len(sys.argv) != 2:
        sys.exit("Usage: python -m docsite OUT")
    index = build(Path(sys.argv[1]))
    sys.stdout.write(f"{index}\n")


if __name__ == "__main__":
    main()
