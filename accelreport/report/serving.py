"""Watching, building and serving at once, until Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from accelreport.report.live import LiveServer
from accelreport.report.watching import seen

LOOK_S = 0.5
"""Seconds between two looks at the files."""


def keep_serving(
    server: LiveServer,
    watched: Sequence[Path],
    rebuild: Callable[[], None],
    complain: Callable[[Exception], None],
    stop: threading.Event | None = None,
) -> None:
    """Serves until Ctrl-C; builds anew after each change, once the files are quiet again.

    Args:
        server: what serves.
        watched: folders whose files are looked at.
        rebuild: builds the site; when it cannot, the old site is kept.
        complain: tells a person why it could not.
        stop: ends it, for callers without a keyboard.
    """
    ended = stop or threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1})
    thread.start()
    try:
        built = seen(watched)
        before = built
        while not ended.wait(LOOK_S):
            now = seen(watched)
            if now == before and now != built:
                try:
                    rebuild()
                except Exception as error:  # whatever it is, the old site is shown on
                    complain(error)
                else:
                    server.announce()
                built = seen(watched)
                now = built
            before = now
    except KeyboardInterrupt:
        return
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
