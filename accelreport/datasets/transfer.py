"""One file over HTTP: resumed where it broke off, bounded in size, patient but not for ever.

What has arrived lies in a `.part` file, with the server's validator beside it in
`.part.json`. A later attempt asks for the rest with `Range` and `If-Range`; a server that
has no ranges, or another version of the file, sends it whole and the part starts anew.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import urllib3
from urllib3.exceptions import HTTPError

import accelreport
from accelreport.datasets.cache import checksum
from accelreport.datasets.connection import open_pool, permanent, reason
from accelreport.datasets.goal import Goal, Patience, discard

Progress = Callable[[int, int | None], None]
"""Told the bytes that are here and the bytes of the whole, if they are known."""

_CHUNK = 1 << 16
_REQUESTS = 200


class _PassingError(Exception):
    """The attempt failed in a way that may pass."""


def download(goal: Goal, patience: Patience, progress: Progress) -> str:
    """Bring a file into its part.

    Args:
        goal: what to download.
        patience: how long to try.
        progress: told how far it is.

    Returns:
        SHA-256 of the whole file.

    Raises:
        DataUnavailable: when it cannot be had; what has arrived is kept for the next time.
        OSError: when the part cannot be written.
    """
    pool = open_pool(goal.url, patience.connect_s, patience.read_s)
    fruitless, furthest = 0, _length(goal.part)
    for _ in range(_REQUESTS):
        try:
            return _attempt(pool, goal, progress)
        except (_PassingError, HTTPError) as error:
            if isinstance(error, HTTPError) and permanent(error):
                raise goal.failed(reason(error, goal.url)) from error
            fruitless = 1 if _length(goal.part) > furthest else fruitless + 1
            furthest = max(furthest, _length(goal.part))
            if fruitless >= patience.tries:
                raise goal.failed(reason(error, goal.url)) from error
            time.sleep(patience.pause_s * 2 ** (fruitless - 1))
    raise goal.failed(f"The connection broke {_REQUESTS} times.")


def _attempt(pool: urllib3.PoolManager, goal: Goal, progress: Progress) -> str:
    """One request; returns the checksum when the file is whole afterwards."""
    offset, validator = _resumable(goal)
    if goal.size is not None and offset == goal.size:
        return checksum(goal.part)
    headers = {
        "Accept-Encoding": "identity",
        "User-Agent": f"accelreport/{accelreport.__version__}",
    }
    if offset:
        headers["Range"] = f"bytes={offset}-"
        if validator:
            headers["If-Range"] = validator
    response = pool.request("GET", goal.url, headers=headers, preload_content=False)
    try:
        if goal.url.startswith("https:") and (response.geturl() or "").startswith("http:"):
            raise goal.failed("The server redirects to an address without encryption.")
        start, total = _accept(response, goal, offset)
        _remember(response, goal)
        return _receive(response, goal, start, total, progress)
    finally:
        response.close()


def _accept(response: urllib3.BaseHTTPResponse, goal: Goal, offset: int) -> tuple[int, int | None]:
    """Where the body of a response belongs, and how long the whole file is."""
    start, total = 0, None
    length = response.headers.get("Content-Length", "")
    if response.status == 200:
        total = int(length) if length.isdecimal() else None
    elif response.status == 206:
        span = re.fullmatch(
            r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", "").strip()
        )
        if span is None or int(span[1]) != offset:
            discard(goal)
            raise _PassingError("The server sent another part of the file than was asked for.")
        start, total = offset, int(span[2])
    elif response.status == 416:
        discard(goal)
        raise _PassingError("The server has no such part of the file.")
    elif response.status == 429 or response.status >= 500:
        raise _PassingError(
            f"The server answered {response.status} {response.reason or ''}".strip() + "."
        )
    else:
        raise goal.failed(f"The server answered {response.status} {response.reason or ''}".strip())
    _check_size(goal, total)
    return start, total


def _check_size(goal: Goal, total: int | None) -> None:
    if total is None:
        return
    if goal.size is not None and total != goal.size:
        discard(goal)
        raise goal.failed(
            f"The server's file has {total:,} bytes, the published one {goal.size:,}."
        )
    if total > goal.limit:
        discard(goal)
        raise goal.failed(f"It has {total:,} bytes; at most {goal.limit:,} are accepted.")


def _receive(
    response: urllib3.BaseHTTPResponse,
    goal: Goal,
    start: int,
    total: int | None,
    progress: Progress,
) -> str:
    """Append the body to the part; returns the checksum of the whole."""
    digest = hashlib.sha256()
    most = goal.limit if goal.size is None else goal.size
    with goal.part.open("r+b" if start else "wb") as part:
        done = _hash_into(digest, part, start)
        progress(done, total)
        while chunk := response.read1(_CHUNK, decode_content=False):
            done += len(chunk)
            if done > most:
                break
            part.write(chunk)
            digest.update(chunk)
            progress(done, total)
    if done > most:
        discard(goal)
        raise goal.failed(f"It goes on after the {most:,} bytes that are accepted.")
    if total is not None and done < total:
        raise _PassingError(f"The connection broke off after {done:,} of {total:,} bytes.")
    if goal.size is not None and done < goal.size:
        raise _PassingError(f"The connection broke off after {done:,} of {goal.size:,} bytes.")
    return digest.hexdigest()


def _hash_into(digest: hashlib._Hash, part: BinaryIO, start: int) -> int:
    """Hash the first bytes of a part and cut off what follows them."""
    done = 0
    while done < start and (chunk := part.read(min(_CHUNK, start - done))):
        digest.update(chunk)
        done += len(chunk)
    part.truncate(start)
    part.seek(start)
    return done


def _resumable(goal: Goal) -> tuple[int, str]:
    """Bytes of the part that may be kept, and the server's name for their version."""
    offset = _length(goal.part)
    validator = ""
    if offset:
        try:
            notes = json.loads(goal.notes.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            notes = {}
        if isinstance(notes, dict) and notes.get("url") == goal.url:
            validator = str(notes.get("validator", ""))
            if (validator or goal.checked) and offset <= goal.limit:
                return offset, validator
    discard(goal)
    return 0, ""


def _remember(response: urllib3.BaseHTTPResponse, goal: Goal) -> None:
    etag = response.headers.get("ETag", "")
    strong = etag if etag and not etag.startswith("W/") else ""
    validator = strong or response.headers.get("Last-Modified", "")
    goal.notes.write_text(json.dumps({"url": goal.url, "validator": validator}), encoding="utf-8")


def _length(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
