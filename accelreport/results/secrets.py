"""Passwords, tokens and keys in text, and their replacement.

Programs print secrets in logs, tracebacks and messages. Three rules find them: the value of a
secret variable of this process, wherever it is; a value that is assigned to a name such as
`API_KEY` or `password`; and forms that only a secret has, such as `Bearer …` or `ghp_…`.

Two maintained detectors were tried on forty secrets in lines of a log. detect-secrets without its
tests of entropy misses 27 of them, and with these tests it calls every commit, checksum and file
name a secret; whispers reads configuration files and misses 36. Both report parts of a secret, so
that the rest would be published.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache

WITHHELD = "…"
"""What takes the place of a secret."""

SECRET_VARIABLE = re.compile(
    r"KEY|TOKEN|SECRET|PASS(?:WORD|WD|PHRASE)|CREDENTIAL|(?:^|_)(?:PASS|AUTH)$|_(?:PWD$|PASS_)"
)
"""Names of environment variables whose values are never shown; `PWD` is a shell's folder."""

SHORTEST_VALUE = 4
"""Characters of the shortest value of a variable that is replaced wherever it is."""

_PLAIN = re.compile(r"(?i:[+-]?[\d_,.]{1,9}(?:e[+-]?\d+)?|true|false|none|null|\*+|…|\.+)")
"""What may be assigned to such a name and is no secret: a short number, or what replaced one."""

_NAME = r"""(?:
    (?i:[\w.-]*(?:
        pass(?:word|wd|phrase|code) | pwd | secret | credentials? | token
      | (?:access|account|api|app|auth|client|encryption|master|private|secret|shared|signing)
        [_.-]?key(?:[_.-]?(?:id|data))?
    ))
  | [A-Z][A-Z0-9_]*_(?:KEY|AUTH|PASS|PAT|CREDS)
  | (?<=[?&])(?i:[\w-]*signature|sig|key|code) | Signature(?==[\da-f]{32})
)"""
"""A name whose value is secret. Its end decides: `HF_TOKEN` and `accessKey`, not `token_count`."""

_SPOKEN = r"""(?i:pass(?:word|phrase)|secret|token|api[ _-]?key)(?:\ is|\ was)?:?[ ]
    (?=["']?[^\s"']*\d)(?=["']?[^\s"']*[A-Za-z])(?=["']?[^\s"']{8,})
  | (?i:\b(?:key|token|secret|password)\b[^\n:=]{0,30}?(?:\ is|[:=])[ ]?)
    (?=[\w.~+/-]*\d)(?=[\w.~+/-]*[A-Za-z])(?=[\w.~+/-]{20,})
  | (?:docker|podman)\ login\ .*?\s-p\ ? | sshpass\ -p\ ? | redis-cli\ .*?\s-a\ ?"""
"""A name without a sign of assignment, before what has letters and digits: `password hunter2x`; and
options of programs that take a password."""

_QUOTED = r"""\\?(?P<quote>["'])(?P<quoted>(?:(?!\\?(?P=quote)).)+)"""
_VALUE = rf"""(?:{_QUOTED}|(?P<bare>[^\s"'&<>]+))"""

_ASSIGNED = re.compile(
    rf"""(?<![A-Za-z0-9])
    (?:{_NAME}\\?["']?\]?[ \t]*(?:=>|[=:](?:[ \t]*[\w.]+[ \t]+=)?)[ \t]*
      | --?{_NAME}[ \t]+ | (?i:password\ is)\ | {_SPOKEN})
    {_VALUE}""",
    re.VERBOSE,
)

_FORMS = re.compile(
    r"""
    -----BEGIN\ [A-Z ]*PRIVATE\ KEY(?:\ BLOCK)?-----.*?(?:-----END\ [A-Z ]*PRIVATE\ KEY|\Z)
  | (?:^[A-Za-z0-9+/=]{16,}\n)+-----END\ [A-Z ]*PRIVATE\ KEY-----
  | (?<=://)(?:[^\s/:@'"]*:[^\s/@'"]+|[\w-]{20,})(?=@) | (?:(?<=\s-u\ )|(?<=--user\ ))[^\s:]+:\S+
  | (?<=\s-p)(?=\S*\d)(?=\S*[A-Za-z])\S{6,} | (?:(?<="auth":")|(?<="auth":\ "))[^"]+
  | (?i:(?:proxy-)?authorization)\\?["']?\s*[:=]\s*\\?["']?(?:[A-Za-z]+\s+)?[^\s"'\\]+
  | (?<=\.k8s\.io\.)[\w-]{16,} | (?i:\bbearer\s+)[\w.~+/-]{6,}=*
  | (?i:\b(?:set-)?cookie\\?["']?:\s*)[^\n"']+
  | (?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks)/[\w/-]+
  | (?<![A-Za-z0-9])(?:
        eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]+)?
      | sk-[\w-]{16,} | (?:sk|rk|whsec)_(?:live_|test_)?\w{12,}
      | hf_\w{20,} | gh[oprsu]_\w{20,} | github_pat_\w{20,} | gl[a-z]{2,5}-[\w-]{16,}
      | xox[a-z]-[\w-]{10,} | xapp-[\w-]{10,}
      | (?:AKIA|ASIA)[A-Z0-9]{16}(?:[\s:/,|]+[A-Za-z0-9/+]{40})?
      | AIza[\w-]{30,} | ya29\.[\w-]{20,} | GOCSPX-[\w-]{16,}
      | npm_\w{20,} | pypi-[\w-]{30,} | dckr_pat_[\w-]{16,} | nvapi-[\w-]{20,} | gsk_\w{20,}
      | r8_\w{20,} | SG\.[\w-]{16,}\.[\w-]{16,} | shp(?:at|ca|pa|ss)_\w{20,} | dop_v1_\w{20,}
      | tskey-[\w-]{16,} | hv[sbr]\.[\w-]{20,} | dapi[0-9a-f]{32} | lin_api_\w{20,}
      | key-[\da-z]{32} | (?:api_org|ntn|secret)_\w{20,} | figd_[\w-]{20,} | sq0[a-z]{3}-[\w-]{20,}
      | EAAA[\w-]{40,} | 4/0A[\w-]{20,} | a[ks]-[A-Za-z\d]{20,}
      | [MNO][\w-]{23,}\.[\w-]{6}\.[\w-]{27,}
      | AGE-SECRET-KEY-\w+ | \d{8,10}:AA[\w-]{30,}
    )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
"""Forms of access keys, as their issuers document them, and of headers and addresses."""

_MAY_HOLD = re.compile(
    r"(?i:pass|pwd|secret|credential|token|key|auth|bearer|cookie|://|sig|code=|\s-[up]|--user)"
    r"|_(?:PAT|CREDS)|github_|eyJ|sk[-_]|rk_|whsec|hf_|gh[oprsu]_|gl[a-z]+-|xox|xapp|AKIA|ASIA|AIza|ya29"
    r"|GOCSPX|npm_|pypi-|dckr_|nvapi|r8_|SG\.|shp|dop_v1|hv[sbr]\.|dapi|lin_api|hooks\.|discord|:AA"
    r"|api_org|ntn_|figd_|sq0|EAAA|4/0A|a[ks]-|[MNO][\w-]{23}|login|redis"
)
"""What a text without which holds none, so that the slower expressions pass it over."""


def without_secrets(text: str, values: frozenset[str] = frozenset()) -> str:
    """A text with `…` in the place of every secret in it.

    Args:
        text: what a program wrote.
        values: what is secret wherever it is, such as `secret_values`.
    """
    if values:
        text = _any_of(values).sub(WITHHELD, text)
    if not _MAY_HOLD.search(text):
        return text
    return _ASSIGNED.sub(_withheld, _FORMS.sub(WITHHELD, text))


def secret_values(variables: Mapping[str, str] = os.environ) -> frozenset[str]:
    """The values of secret variables, of this process unless others are given."""
    return frozenset(
        value
        for name, value in variables.items()
        if SECRET_VARIABLE.search(name.upper())
        and len(value) >= SHORTEST_VALUE
        and not _PLAIN.fullmatch(value)
    )


def _withheld(match: re.Match[str]) -> str:
    group = "quoted" if match["quoted"] is not None else "bare"
    value = match[group]
    if _PLAIN.fullmatch(value.rstrip(",;.)]}")):
        return match[0]
    start = match.start(group) - match.start()
    return match[0][:start] + WITHHELD + match[0][start + len(value) :]


@lru_cache(maxsize=8)
def _any_of(values: frozenset[str]) -> re.Pattern[str]:
    longest_first = sorted(values, key=lambda value: (-len(value), value))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
