"""Connections through the person's proxy, and network errors in words."""

from __future__ import annotations

import urllib.request
from urllib.parse import urlsplit

import urllib3
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

_REDIRECTS = 5


def open_pool(url: str, connect_s: float, read_s: float) -> urllib3.PoolManager:
    """A connection pool for a URL, through the proxy that the environment names for it.

    Args:
        url: what will be asked for.
        connect_s: seconds to wait for a connection.
        read_s: seconds to wait for the next bytes.
    """
    timeout = urllib3.Timeout(connect=connect_s, read=read_s)
    retries = urllib3.Retry(total=None, connect=0, read=0, status=0, other=0, redirect=_REDIRECTS)
    parts = urlsplit(url)
    proxy = urllib.request.getproxies().get(parts.scheme)
    if proxy and not urllib.request.proxy_bypass(parts.netloc):
        return urllib3.ProxyManager(proxy, timeout=timeout, retries=retries)
    return urllib3.PoolManager(timeout=timeout, retries=retries)


def permanent(error: HTTPError) -> bool:
    """Whether asking again cannot help."""
    cause = _cause(error)
    return isinstance(cause, SSLError | LocationValueError | URLSchemeUnknown | ResponseError)


def reason(error: Exception, url: str) -> str:
    """Why a request failed, as a sentence."""
    host = urlsplit(url).hostname or url
    cause = _cause(error)
    short = str(cause).rsplit(": ", 1)[-1]
    for kind, sentence in (
        (NameResolutionError, f"The name {host} could not be resolved; is there a network?"),
        (NewConnectionError, f"{host} could not be reached ({short})."),
        (ConnectTimeoutError, f"{host} did not answer in time."),
        (ReadTimeoutError, f"{host} stopped sending."),
        (ProxyError, f"The proxy on the way to {host} failed."),
        (SSLError, f"The certificate of {host} could not be verified ({cause})."),
        (ResponseError, f"{host} redirects without end."),
    ):
        if isinstance(cause, kind):
            return sentence
    if isinstance(cause, HTTPError):
        return f"The connection to {host} failed ({cause})."
    return str(cause)


def _cause(error: Exception) -> Exception:
    """What urllib3 wrapped into an error about retries."""
    if isinstance(error, MaxRetryError) and error.reason is not None:
        return error.reason
    return error
