"""A process that draws: a specification or an SVG a line in, an answer a line out.

It is run by its path and imports nothing of accelreport, so that it is ready early. An
answer is {"drawn": …} or {"error": …}.
"""

from __future__ import annotations

import base64
import json
import os
import sys

POLITE = 5
"""Niceness of a process that draws: the one that asks must not wait for a core, or all do."""


def main() -> None:
    """Draws until the standard input ends."""
    os.nice(POLITE)
    import vl_convert

    for line in sys.stdin:
        try:
            # Most lines go on as they are: reading a specification here would be for nothing.
            if line.startswith('{"png of"'):
                asked = json.loads(line)
                picture = vl_convert.svg_to_png(asked["png of"], scale=asked["scale"])
                answer = {"drawn": base64.b64encode(picture).decode()}
            else:
                # No address is allowed: a chart holds its data and never fetches any.
                answer = {"drawn": vl_convert.vegalite_to_svg(line, allowed_base_urls=[])}
        except (ValueError, TypeError, AttributeError) as error:
            # The latter two are what an engine of another version says of how it is called.
            answer = {"error": f"{type(error).__name__}: {error}"}
        try:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:  # the process that asked has ended
            os._exit(0)


if __name__ == "__main__":
    main()
