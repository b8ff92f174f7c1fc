"""Download the published files of a data set into the cache, once and verified.

`ACCELREPORT_MIRROR` names a base URL that has every file at its path in the cache
(`BASE/mnist/train-images-idx3-ubyte.gz`); checksums apply to these files, too.

Received bytes are in a `.part` file, with the server's validator beside it in `.part.json`. A later
attempt requests the rest with `Range` and `If-Range`. A server without ranges, or with another
version of the file, sends the whole file, and the part starts anew.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import re
import shutil
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote, urlsplit

import urllib3
from filelock import FileLock, Timeout
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    LocationValueError,
    MaxRetryError,
    NameResolutionError,
    NewConnectionError,
    ProxyError,
    ReadTimeoutError,
    ResponseError,
    SSLError,
    URLSchemeUnknown,
)

from accelreport._version import __version__
from accelreport.atomic import refuse_links, sync_folder
from accelreport.datasets.cache import (
    checksum,
    data_root,
    locate,
    may_write,
    published,
    read_pins,
    write_pin,
)
from accelreport.datasets.catalogue import find
from accelreport.datasets.entry import MEBIBYTE, CatalogueEntry, RemoteFile
from accelreport.datasets.errors import DataError, DataUnavailable


@dataclass(frozen=True)
class RetryPolicy:
    """How long to wait for a server, and how often to try again."""

    connect_s: float = 10.0
    """Seconds to wait for a connection."""
    read_s: float = 30.0
    """Seconds to wait for the next bytes."""
    tries: int = 5
    """Attempts in a row that bring nothing new."""
    pause_s: float = 1.0
    """Seconds before the second attempt; doubled before each further one."""


@dataclass(frozen=True)
class DownloadRequest:
    """A file to download.

    Attributes:
        url: its address.
        part: the file of received bytes.
        size: its size in bytes; None if unknown.
        limit: its largest size in bytes.
        checked: whether its checksum is known, so that a part may be resumed although the
            server names no version.
        remedy: the remedy in the error of a failed download.
    """

    url: str
    part: Path
    size: int | None
    limit: int
    checked: bool
    remedy: str

    @property
    def notes(self) -> Path:
        """The file with the server's version of the part."""
        return self.part.with_name(f"{self.part.name}.json")

    def failed(self, why: str) -> DataUnavailable:
        """The error that says why it could not be downloaded."""
        return DataUnavailable(f"{self.url} cannot be downloaded.", why=why, remedy=self.remedy)


def discard(request: DownloadRequest) -> None:
    """Remove the received bytes."""
    request.part.unlink(missing_ok=True)
    request.notes.unlink(missing_ok=True)


_REDIRECTS = 5

UNKNOWN_TO_PROXY = (
    "The proxy requires a password (407): write it as http://user:password@host:port in "
    "http_proxy or https_proxy, with %40 for an @ in it."
)


def open_pool(url: str, connect_s: float, read_s: float) -> urllib3.PoolManager:
    """A connection pool for a URL, through the proxy that the environment names for it.

    Args:
        url: the address of the requests.
        connect_s: seconds to wait for a connection.
        read_s: seconds to wait for the next bytes.
    """
    timeout = urllib3.Timeout(connect=connect_s, read=read_s)
    retries = urllib3.Retry(total=None, connect=0, read=0, status=0, other=0, redirect=_REDIRECTS)
    parts = urlsplit(url)
    proxy = urllib.request.getproxies().get(parts.scheme)
    if proxy and not urllib.request.proxy_bypass(parts.netloc):
        headers, address = {}, urlsplit(proxy)
        if address.username is not None:
            login = f"{unquote(address.username)}:{unquote(address.password or '')}".encode()
            headers = {"Proxy-Authorization": f"Basic {base64.b64encode(login).decode()}"}
        return urllib3.ProxyManager(proxy, proxy_headers=headers, timeout=timeout, retries=retries)
    return urllib3.PoolManager(timeout=timeout, retries=retries)


def permanent(error: HTTPError) -> bool:
    """Whether another attempt cannot help."""
    if isinstance(error, SSLError):
        return False  # a verified connection broke while it was read
    cause = _cause(error)
    lasting = (SSLError, LocationValueError, URLSchemeUnknown, ResponseError)
    return isinstance(cause, lasting) or _asks_for_password(cause)


def _asks_for_password(cause: Exception) -> bool:
    """Whether a proxy requires a password; http.client gives its status in the text only."""
    return isinstance(cause, ProxyError) and "407" in str(cause.original_error)


def reason(error: Exception, url: str) -> str:
    """Why a request failed, as a sentence."""
    host = urlsplit(url).hostname or url
    cause = _cause(error)
    if _asks_for_password(cause):
        return UNKNOWN_TO_PROXY
    if isinstance(error, SSLError):
        return f"The connection to {host} broke ({error})."
    short = str(cause).rsplit(": ", 1)[-1]
    for kind, sentence in (
        (NameResolutionError, f"The name {host} cannot be resolved; check the network."),
        (NewConnectionError, f"{host} cannot be reached ({short})."),
        (ConnectTimeoutError, f"{host} did not answer in time."),
        (ReadTimeoutError, f"{host} stopped sending."),
        (ProxyError, f"The proxy to {host} failed ({short})."),
        (SSLError, f"The certificate of {host} cannot be verified ({cause})."),
        (ResponseError, f"{host} redirects endlessly."),
    ):
        if isinstance(cause, kind):
            return sentence
    if isinstance(cause, HTTPError):
        return f"The connection to {host} failed ({cause})."
    return str(cause)


def _cause(error: Exception) -> Exception:
    """The error that urllib3 wrapped into one about retries."""
    if isinstance(error, MaxRetryError) and error.reason is not None:
        return error.reason
    return error


Progress = Callable[[int, int | None], None]
"""Called with the received bytes and the size of the file, if known."""

_CHUNK = 1 << 16
_REQUESTS = 200


class _PassingError(Exception):
    """The attempt failed in a way that another one may not."""


def download(request: DownloadRequest, policy: RetryPolicy, progress: Progress) -> str:
    """Download a file into its part.

    Args:
        request: the file.
        policy: how long to try.
        progress: called with each new number of received bytes.

    Returns:
        SHA-256 of the whole file.

    Raises:
        DataUnavailable: the download failed; received bytes are kept for the next attempt.
        OSError: the part cannot be written.
    """
    pool = open_pool(request.url, policy.connect_s, policy.read_s)
    fruitless, furthest = 0, _length(request.part)
    for _ in range(_REQUESTS):
        try:
            return _attempt(pool, request, progress)
        except (_PassingError, HTTPError) as error:
            if isinstance(error, HTTPError) and permanent(error):
                raise request.failed(reason(error, request.url)) from error
            fruitless = 1 if _length(request.part) > furthest else fruitless + 1
            furthest = max(furthest, _length(request.part))
            if fruitless >= policy.tries:
                raise request.failed(reason(error, request.url)) from error
            time.sleep(policy.pause_s * 2 ** (fruitless - 1))
    raise request.failed(f"The connection broke {_REQUESTS} times.")


def _attempt(pool: urllib3.PoolManager, request: DownloadRequest, progress: Progress) -> str:
    """One request; returns the checksum if the file is complete afterwards."""
    offset, validator = _resumable(request)
    if request.size is not None and offset == request.size:
        return checksum(request.part)
    headers = {
        "Accept-Encoding": "identity",
        "User-Agent": f"accelreport/{__version__}",
    }
    if offset:
        headers["Range"] = f"bytes={offset}-"
        if validator:
            headers["If-Range"] = validator
    response = pool.request("GET", request.url, headers=headers, preload_content=False)
    try:
        redirects = response.retries.history if response.retries else ()
        addresses = [urlsplit(redirect.redirect_location or "") for redirect in redirects]
        # Also where a later redirect leads back to an encrypted address.
        if urlsplit(request.url).scheme == "https" and any(a.scheme == "http" for a in addresses):
            raise request.failed("The server redirects to an unencrypted address.")
        start, total = _accept(response, request, offset)
        _remember(response, request)
        return _receive(response, request, start, total, progress)
    finally:
        response.close()


def _accept(
    response: urllib3.BaseHTTPResponse, request: DownloadRequest, offset: int
) -> tuple[int, int | None]:
    """The offset of a response's body in the file, and the size of the file."""
    start, total = 0, None
    length = response.headers.get("Content-Length", "")
    if response.status == 200:
        total = int(length) if length.isdecimal() else None
    elif response.status == 206:
        span = re.fullmatch(
            r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", "").strip()
        )
        if span is None or int(span[1]) != offset:
            discard(request)
            raise _PassingError("The server sent another part of the file than requested.")
        start, total = offset, int(span[2])
    elif response.status == 416:
        discard(request)
        raise _PassingError("The server has no such part of the file.")
    elif response.status == 407:
        raise request.failed(UNKNOWN_TO_PROXY)
    elif response.status == 429 or response.status >= 500:
        raise _PassingError(
            f"The server answered {response.status} {response.reason or ''}".strip() + "."
        )
    else:
        raise request.failed(
            f"The server answered {response.status} {response.reason or ''}".strip()
        )
    _check_size(request, total)
    return start, total


def _check_size(request: DownloadRequest, total: int | None) -> None:
    if total is None:
        return
    if request.size is not None and total != request.size:
        discard(request)
        raise request.failed(
            f"The server's file has {total:,} bytes, but the published file has {request.size:,}."
        )
    if total > request.limit:
        discard(request)
        raise request.failed(f"It has {total:,} bytes; at most {request.limit:,} are accepted.")


def _receive(
    response: urllib3.BaseHTTPResponse,
    request: DownloadRequest,
    start: int,
    total: int | None,
    progress: Progress,
) -> str:
    """Append the body to the part; returns the checksum of the file."""
    digest = hashlib.sha256()
    most = request.limit if request.size is None else request.size
    with request.part.open("r+b" if start else "wb") as part:
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
        discard(request)
        raise request.failed(f"It continues after the limit of {most:,} bytes.")
    if total is not None and done < total:
        raise _PassingError(f"The connection broke off after {done:,} of {total:,} bytes.")
    if request.size is not None and done < request.size:
        raise _PassingError(f"The connection broke off after {done:,} of {request.size:,} bytes.")
    return digest.hexdigest()


def _hash_into(digest: hashlib._Hash, part: BinaryIO, start: int) -> int:
    """Hash the first bytes of a part, and cut off the rest."""
    done = 0
    while done < start and (chunk := part.read(min(_CHUNK, start - done))):
        digest.update(chunk)
        done += len(chunk)
    part.truncate(start)
    part.seek(start)
    return done


def _resumable(request: DownloadRequest) -> tuple[int, str]:
    """Bytes of the part that are kept, and the server's validator of their version."""
    offset = _length(request.part)
    validator = ""
    if offset:
        try:
            notes = json.loads(request.notes.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            notes = {}
        if isinstance(notes, dict) and notes.get("url") == request.url:
            validator = str(notes.get("validator", ""))
            if (validator or request.checked) and offset <= request.limit:
                return offset, validator
    discard(request)
    return 0, ""


def _remember(response: urllib3.BaseHTTPResponse, request: DownloadRequest) -> None:
    """Keep the server's validator beside the part."""
    etag = response.headers.get("ETag", "")
    strong = etag if etag and not etag.startswith("W/") else ""
    validator = strong or response.headers.get("Last-Modified", "")
    request.notes.write_text(
        json.dumps({"url": request.url, "validator": validator}), encoding="utf-8"
    )


def _length(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


FileProgress = Callable[[str, int, int | None], None]
"""Called with a file's path in the cache, its received bytes, and its size if known."""

LOCK_TIMEOUT_S = 3600.0
"""Seconds to wait for another process that downloads the same file."""

_SPARE = 16 * MEBIBYTE


def fetch(
    name: str,
    *,
    progress: FileProgress | None = None,
    replace: bool = False,
    policy: RetryPolicy | None = None,
) -> list[Path]:
    """Download the missing files of a data set.

    A broken download continues where it stopped, now or at the next call. A file gets its name only
    after its checksum is right.

    Args:
        name: name in the catalogue.
        progress: called with the received bytes of each file.
        replace: download again, instead of files that are not the published ones.
        policy: how long to wait for a server.

    Returns:
        The paths of the files.

    Raises:
        DataUnavailable: a download failed, or another file is in its place and `replace` is not
            set.
    """
    entry = find(name)
    if not entry.files:
        raise DataUnavailable(
            f"The data set {name} has nothing to download.", why="It reads your own file."
        )
    root = data_root()
    report = progress or (lambda _path, _done, _total: None)
    return [
        _fetch_file(entry, file, root, report, replace=replace, policy=policy or RetryPolicy())
        for file in entry.files
    ]


def _fetch_file(
    entry: CatalogueEntry,
    file: RemoteFile,
    root: Path,
    report: FileProgress,
    *,
    replace: bool,
    policy: RetryPolicy,
) -> Path:
    target = root / file.path
    try:
        here = _in_place(entry, file, root, replace=replace)
        if here is not None:
            return here
        if not (may_write(root) and may_write(target.parent)):
            raise PermissionError(errno.EACCES, "The folder is read-only", str(root))
        for ending in (".lock", ".part", ".part.json"):
            refuse_links(target.with_name(f"{target.name}{ending}"), root)
        target.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{target}.lock", timeout=LOCK_TIMEOUT_S):
            here = _in_place(entry, file, root, replace=replace)
            return here or _bring(entry, file, root, report, policy)
    except Timeout as error:
        raise DataUnavailable(
            f"Another process has been downloading {file.path} for an hour.",
            remedy=f"Wait for it, or stop it and remove {target}.lock.",
        ) from error
    except OSError as error:
        raise _disk_error(target, error) from error


def _in_place(entry: CatalogueEntry, file: RemoteFile, root: Path, *, replace: bool) -> Path | None:
    """The file if it need not be downloaded; an error if it may not be replaced."""
    form = locate(file, root)
    if form is None:
        return None
    path = root / form.path
    if checksum(path) == published(form, read_pins(root)):
        return path
    if replace:
        return None
    raise DataUnavailable(
        f"{path} exists and is not the published file, so it was not changed.",
        remedy=(
            f"Use it unchanged, or run `accelreport data fetch {entry.name} --replace` to replace "
            "it by the published file."
        ),
    )


def _bring(
    entry: CatalogueEntry, file: RemoteFile, root: Path, report: FileProgress, policy: RetryPolicy
) -> Path:
    target = root / file.path
    wanted = published(file, read_pins(root))
    request = DownloadRequest(
        url=_address(file),
        part=target.with_name(f"{target.name}.part"),
        size=file.size,
        limit=file.limit,
        checked=wanted is not None,
        remedy=(
            f"Run `accelreport data fetch {entry.name}` again to continue, put the file at "
            f"{target} yourself, or use `--data synthetic`."
        ),
    )
    needed = (request.size or 0) - _length(request.part) + _SPARE
    free = shutil.disk_usage(root).free
    if free < needed:
        raise OSError(errno.ENOSPC, f"{needed:,} bytes are needed, but only {free:,} are free")
    resumed = request.part.exists()
    sha256 = download(request, policy, lambda done, total: report(file.path, done, total))
    if resumed and wanted not in {None, sha256}:
        discard(request)  # the earlier part may be of another version
        sha256 = download(request, policy, lambda done, total: report(file.path, done, total))
    if wanted not in {None, sha256}:
        discard(request)
        raise request.failed(
            f"The downloaded file is not the published file: its SHA-256 is {sha256}, not {wanted}."
        )
    size = request.part.stat().st_size
    # On disk before it gets its name, so that no crash leaves half of it there.
    with request.part.open("rb") as downloaded:
        os.fsync(downloaded.fileno())
    request.part.replace(target)
    sync_folder(target.parent)
    request.notes.unlink(missing_ok=True)
    if file.sha256 is None:
        write_pin(root, file.path, sha256, size, request.url)
    return target


def _address(file: RemoteFile) -> str:
    mirror = os.environ.get("ACCELREPORT_MIRROR", "").rstrip("/")
    if not mirror:
        return file.url
    if urlsplit(mirror).scheme not in {"http", "https"}:
        raise DataUnavailable(
            f"ACCELREPORT_MIRROR is {mirror!r}, which is not an http or https address.",
            remedy="Set it to the address of the folder with the files, or unset it.",
        )
    return f"{mirror}/{quote(file.path)}"


def _disk_error(target: Path, error: OSError) -> DataError:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DataUnavailable(
            f"There is no space for {target}.",
            why=f"{error.strerror}.",
            remedy="Free some space, or set ACCELREPORT_DATA to a folder on a larger disk.",
        )
    return DataUnavailable(
        f"{target} cannot be written.",
        why=f"{error.strerror or error}.",
        remedy="Set ACCELREPORT_DATA to a writable folder.",
    )
