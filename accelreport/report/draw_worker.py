"""A process that draws: a Vega-Lite specification a line in, an answer a line out.

It is run by its path and imports nothing of accelreport, so that it is ready early. An
answer is {"svg": …} or {"error": …}.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Draws until the standard input ends."""
    import vl_convert

    for line in sys.stdin:
        try:
            # No address is allowed: a chart holds its data and never fetches any.
            answer = {"svg": vl_convert.vegalite_to_svg(json.loads(line), allowed_base_urls=[])}
        except ValueError as error:
            answer = {"error": str(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
