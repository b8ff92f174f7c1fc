"""What identifies a person or a machine in documents, and its replacements.

A record is written without the user's name, home folder and host name (`as_written`), and a site is
built from documents without them, however old these are (`as_published`). A host becomes `host-1`,
`host-2`, …, so different hosts stay distinguishable. When documents are published, the replacements
follow from the documents alone: the same records give the same pages on every machine.
"""

from __future__ import annotations

import getpass
import os
import platform
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from functools import cache, partial
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast, get_args

from pydantic import BaseModel

from accelreport.results.plan_document import Document, PlanDocument
from accelreport.results.record import Confusion, Forecast, GeneratedText, Record, Sample, Warned
from accelreport.results.secrets import (
    SECRET_VARIABLE,
    WITHHELD,
    secret_values,
    without_secrets,
)

HOME, USER = "~", "user"
"""The replacements of a home folder and of a user's name."""

FREE_TEXT = frozenset(
    (
        "absent",
        "details",
        "files",
        "log_tail",
        "message",
        "note",
        "remedy",
        "seen",
        "traceback",
        "variables",
    )
)
"""Fields whose text programs wrote: here alone is a bare name replaced."""

OBSERVED = (Confusion, Forecast, GeneratedText, Sample)
"""What a model read or wrote: never changed."""

SHORTEST = 4
"""Characters of the shortest name that is replaced where nothing but the name says what it is."""

_ORDINARY = """
admin administrator anaconda apps april art august batch bench benchmark bill build builder
cache chase cloud cluster code coder common compute conda container content core cpu cuda daemon
dale data dataset datasets dean debian default dev devel developer device docker drew earl
ec2-user error exit export faith false fedora file frank gene git github gitlab gitlab-runner
gpu grace grant group groups guest hadoop head home hope host hosts image jack jenkins job jobs
jovyan joy june kernel lab lance laptop lib linux local localhost login mail main mark master
math may memory miles model models network nick nobody node none null nvidia olive packages
penny private proc process project projects public python rank ray research rich rob root rose
ruby run runner runs science scratch self server service share shared site slurm spark src staff
step str student students sudo system team temp tensorflow test tester tests thread tmp torch tpu
train training true ubuntu unknown user users usr vagrant victor virtual vscode wade ward will
windows work worker workers workspace
"""
ORDINARY = frozenset(_ORDINARY.split())
"""Names of accounts, folders and hosts that are words, too, and name nobody."""

LOOPBACK = frozenset(["localhost", "local", "ip6-localhost", "127.0.0.1", "::1", "0.0.0.0"])  # noqa: S104

LISTS_HOSTS = re.compile(r"HOST|ADDR|NODELIST")
"""Environment variables whose values are hosts."""

LONGEST = 20_000
"""Characters of the longest text of a program that a record keeps."""
SHORTENED = "[The beginning is left out.]\n"
"""What takes the place of the beginning of a longer one."""

PROGRAMS = re.compile(r"(?<=cores busy) \(.*\d\.\d\d\)", re.DOTALL)
"""The other programs that the self-check `loaded-machine` names, each with the cores it used."""

_HOST = r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?"
_IP = r"(?:\d{1,3}\.){3}\d{1,3}"
_HEX = r"[\da-fA-F]{1,4}"
_START = r"(?:(?<=file://)|(?<![\w.~/-])|(?<=\s-[IL]))"
"""Where an absolute path may begin: not within a web address or a relative path."""

_TOP = (
    "example|edu|com|org|net|gov|mil|io|eu|de|uk|fr|ch|at|nl|jp|cn|ca|au|corp|intra|cluster|internal"
    "|lan|local"
)
"""Ends of full names of hosts."""

_NO_HOST = (
    r"(?i:[\w.-]*(?:loss|accuracy|acc|epochs?|steps?|lines?|size|batch|id|pid|port|seed|time|count|"
    r"total|samples?|examples?|tokens?|length|bytes|rate|score|level|status|code|error|version)"
    r"|[\w.-]*\.(?:py|cc|cpp|cu|c|h|hpp|so|js|go|rs|txt|log|json|toml|csv))"
)
"""What stands before a number of four digits and is no host."""

_WORD = r'[^\\/:*?"<>|\s]+'
"""A part of a Windows folder's name without spaces."""

_FIXED = rf"""
    {_START}(?:/(?!usr/|opt/|etc/|lib|sys/|proc/|api/)[\w.-]+(?:/[\w.-]+){{0,2}}?)??
        /(?:(?:homes?\d?|Users)/(?:users/)?(?P<home>[\w.+-]*[\w+-])|users/(?P<shared>[\w.+-]*[\w+-]))
  | \b[A-Za-z]:[\\/]{{1,2}}Users[\\/]{{1,2}}
        (?P<profile>{_WORD}(?:\ {_WORD}){{1,3}}(?=[\\/"])|{_WORD})
  | \b(?:grpcs?|tcp|ssh|sftp|ray|nfs|smb|redis)://(?P<served>{_HOST})(?![\w.-]*@)
  | (?<![\w.])(?P<ip>{_IP})(?=:\d{{2,5}}(?![\d.]))
  | {_START}/(?:scratch|lustre|gpfs|beegfs|nobackup|(?:run/)?media)/(?:users/)?
        (?P<scratch>[\w.+-]*[\w+-])
"""
"""Home folders and addresses: what a spec may hold, too."""

_FREE = rf"""{_FIXED}
  | (?:(?<=://)(?P<login>[^\s/@'"<>]+)|(?<![\w.+@/-])(?P<account>[A-Za-z_][\w.+-]+))
        @(?P<at>(?=[\w.-]*[A-Za-z]){_HOST}|{_IP})
  | (?:\b(?:(?:SLURM_JOB_|SUDO_)?USER|LOGNAME|USERNAME)=|\buid=\d+\(|\blogname:\ |
        \buser\ (?=\S+\ is\ not\ in\ )|(?<![\w.~/-])~(?=[\w.-]+/))(?P<owner>[A-Za-z_][\w.-]*)
  | \b(?:(?:hostname|for\ host):\s+|to\ host\ |resolve\ hostname\ |[Cc]onnection\ to\ (?=\S+\ port))
        (?P<said>{_HOST})
  | (?<![\w\\:])\\\\(?P<share>[\w-]{{3,}})(?=\\\w)
  | \b[A-Z\d_]*(?:HOST(?:NAME)?|ADDR(?:ESS)?|SOCKET|SERVER|ENDPOINT|NODENAME)=(?:\w+://)?
        (?P<variable>(?!true|false|none|null)[A-Za-z](?:[\w.-]*[A-Za-z\d])?|{_IP})
  | (?<![\w:.])(?P<six>(?=[\da-fA-F:]*\d)(?:
        (?:{_HEX}:){{7}}{_HEX} | (?:[\da-fA-F]{{2}}:){{5}}[\da-fA-F]{{2}}
      | {_HEX}(?::{_HEX}){{0,5}}::(?:{_HEX}(?::{_HEX}){{0,5}})?
    ))(?![\w:])
  | (?<![\w.=-])(?P<private>
        (?:10\.\d{{1,3}}|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{{1,3}}){{2}})(?![\w.-])
  | (?<![\w./@-])(?P<full>(?=[\w-]*\d)[A-Za-z\d][\w-]*(?:\.[a-z][\w-]*)+\.(?:{_TOP}))(?![\w.(-])
  | (?:\bip(?:_address)?\s?[=:]\s?|\bIP\s)(?P<number>{_IP})
  | ["'](?P<listed>[A-Za-z][\w.-]*)(?=:\d{{4,5}}["'])
  | (?<![\w./@:=&-])(?!{_NO_HOST}:)(?P<bare>(?=[\w.-]*[a-z])[A-Za-z](?:[\w.-]*[A-Za-z\d]))
        (?=:\d{{4,5}}(?![\w.:]))
  | \b(?:chief|worker|ps):\d+(?:\ on\ (?P<task>{_HOST})|(?:,\ |\ \()(?P<peer>{_HOST})(?=:\d))
  | \b(?:chief\ on|cluster\ of)\ (?P<chief>{_HOST})(?=:\d)
  | \bON\ (?P<cancelled>{_HOST})\ CANCELLED | \bsrun:\ error:\ (?P<ended>{_HOST}):\ task
"""
"""The same, and how shells, TensorFlow, Ray, Slurm and accelreport itself name users and hosts."""

_MAY_SHOW = (
    r"home|[Uu]sers|://|@|host|HOST|USER|LOGNAME|\bip|\bIP|\.\d{1,3}:\d"
    r"|chief|worker:|\bps:|cluster\ of|\bON\ |\bsrun"
    r"|uid=|logname|is\ not\ in|onnection\ to|~[\w.-]+/|\\\\|media/"
    r"|scratch|lustre|gpfs|beegfs|nobackup|(?:ADDR(?:ESS)?|SOCKET|SERVER|ENDPOINT|NAME)="
    r"|:\d{4,5}|\b1(?:0|72|92)\.\d|[\da-fA-F]:[\da-fA-F:]|\d[\w-]*\.[a-z][\w-]*\."
)
"""What a line without which names nothing, so that the slower expressions pass it over."""

_SHOWS = {free: re.compile(_FREE if free else _FIXED, re.VERBOSE) for free in (True, False)}

_MAYBE = re.compile(_MAY_SHOW, re.VERBOSE)

HOMES = frozenset(("home", "shared", "profile", "own"))
OWNERS = frozenset(("home", "profile", "owner"))
"""Groups that hold the home folder of somebody, and those that hold a user's name."""

UNSURE = frozenset(("at", "listed", "bare"))
"""Groups that hold what may be no host: it is replaced there, and not where it stands alone."""

_CAN_RUN_IT = re.compile(r"cluster can run it \((.*)\)", re.DOTALL)
_NODE = re.compile(rf"(?:^|; )({_HOST}): ")
"""How a record names the nodes of a Ray cluster that cannot run its device."""

_DOMAIN = re.compile(r"\b(host-[1-9]\d{0,4})(?:\.[A-Za-z][\w-]*)+")
"""The number of a host whose domain stands behind it."""
_NUMBERED = re.compile(r"\bhost-[1-9]\d{0,4}\b")
_ADDRESS = re.compile(r"((?:[a-z0-9+]+://)?\[?)([^\s/\[\]]*?)(\]?(?::\d+)?(?:/\S*)?)")
"""What comes before a host, the host, and what comes after it."""

ABSOLUTE = re.compile(rf"{_START}(?:/[\w.+@-]+){{2,3}}")
"""The beginning of an absolute path."""


class Identity(NamedTuple):
    """Names of an account, its home folders, and names of its machine."""

    users: frozenset[str] = frozenset()
    homes: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()


NODES: set[str] = set()
"""Names of machines that this process has cells measured on; a launcher adds those it meets."""


def identity_here() -> Identity:
    """The account and the machine of this process."""
    users, homes = set(), set()
    with suppress(RuntimeError):
        homes.add(str(Path.home()))
    with suppress(OSError, KeyError, ImportError):
        users.add(getpass.getuser())
    with suppress(OSError, KeyError, ImportError):
        import pwd

        account = pwd.getpwuid(os.getuid())
        users.add(account.pw_name)
        homes.add(account.pw_dir)
    homes |= {os.path.realpath(home) for home in homes}
    # A home such as `/tmp` or `/work` names nobody.
    homes = {home for home in homes if home == "/root" or home.count(os.sep) > 1}
    return Identity(frozenset(users), frozenset(homes), frozenset({platform.node()}))


class Change(NamedTuple):
    """Something that is published otherwise than it was recorded."""

    kind: str
    """`home`, `user`, `host`, `secret` or `programs`."""
    recorded: str
    """What the record holds; of a secret, the variable or the field that holds it."""
    published: str
    """What takes its place."""


class Place(NamedTuple):
    """Key and machine of a record; empty of a plan."""

    key: str = ""
    machine: str = ""


Text = tuple[str, str, bool]
"""A text, the name of its field, and whether a program wrote it."""


def texts_of(document: Document) -> list[Text]:
    """Every text in a document that may name somebody."""
    texts: list[Text] = []

    def note(text: str, field: str, free: bool) -> str:  # noqa: FBT001
        texts.append((text, field, free))
        return text

    rewritten(document, note)
    return texts


Value = TypeVar("Value", bound=Document)
Visit = Callable[[str, str, bool], str]
"""A text, the name of its field, and whether a program wrote it → what takes its place."""


def rewritten(value: Value, visit: Visit) -> Value:
    """A document with every text in it visited; the same object where none changes."""
    return cast("Value", _rewritten(value, visit, "", free=False))


@cache
def _texts(model: type[BaseModel]) -> tuple[str, ...]:
    """The fields of a model that may hold text, other than a choice from a closed list."""
    return tuple(
        name for name, field in model.model_fields.items() if _holds_text(field.annotation)
    )


def _holds_text(kind: Any) -> bool:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind not in OBSERVED and bool(_texts(kind))
    return kind in {Any, str} or any(map(_holds_text, get_args(kind)))


def _rewritten(value: Any, visit: Visit, field: str, *, free: bool) -> Any:
    if isinstance(value, str):
        return visit(value, field, free)
    if isinstance(value, dict):
        rows: dict[Any, Any] = {}
        for key, row in value.items():
            name = new = _rewritten(key, visit, field, free=free)
            # Two keys that become alike keep the values of both.
            numbers = count(2)
            while name in rows:
                name = f"{new} ({next(numbers)})"
            rows[name] = _rewritten(row, visit, str(key), free=free)
        same = all(key in rows and rows[key] is row for key, row in value.items())
        return value if same else rows
    if isinstance(value, list | tuple):
        parts = [_rewritten(part, visit, field, free=free) for part in value]
        same = all(new is old for new, old in zip(parts, value, strict=True))
        return value if same else type(value)(parts)
    # Last, since pydantic looks through the bases of what is no model, and most values are numbers.
    if value is not None and not isinstance(value, int | float) and isinstance(value, BaseModel):
        update = {
            name: new
            for name in _texts(type(value))
            if (
                new := _rewritten(
                    old := getattr(value, name), visit, name, free=free or name in FREE_TEXT
                )
            )
            is not old
        }
        return value.model_copy(update=update) if update else value
    return value


Patterns = tuple[re.Pattern[str], re.Pattern[str]]

INTERNAL = (".cluster", ".home", ".internal", ".lan", ".local", ".localdomain")
"""Endings of hosts that are in no public directory."""

_BEFORE, _AFTER = "(?<![A-Za-z0-9])", "(?![A-Za-z0-9])"
"""A name may be a part of a word that hyphens, dots or underscores divide."""


class Scrubber:
    """Replaces what names users, home folders and hosts, alike in all documents that it learned.

    Args:
        own: who measures here and is about to write a record; None where documents of any machine
            are published. The parameters of what is written, of which its key is a hash, stay as
            they are, and so do numbers of hosts and names of programs.

    Attributes:
        changes: what was replaced, and in which records.
    """

    def __init__(self, own: Identity | None = None) -> None:
        self.changes: defaultdict[Change, set[Place]] = defaultdict(set)
        self._own, self._writing = own or Identity(), own is not None
        self._secrets = secret_values() if own else frozenset()
        self._users = set(self._own.users)
        self._hosts: dict[str, str] = {}
        """Name of a host → its number."""
        self._sure: set[str] = set()
        """Those of them that certainly are hosts."""
        self._machines: dict[Hashable, str] = {}
        """What tells a host apart whose name was replaced earlier → its number."""
        self._aliases: defaultdict[Place, dict[str, str]] = defaultdict(dict)
        """Record → number of a host within it → its number among all documents."""
        self._withheld: Counter[str] = Counter()
        """Field of the document that is rewritten → secrets that are taken out of it."""
        self._last = 0
        self._vocabulary: dict[str, None] = {}
        """Texts of records that no program wrote."""
        self._nameless: set[tuple[str, bool]] = set()
        """Learned texts, and whether a program wrote them, that name nothing in any record."""
        self._unchanged: set[tuple[str, str]] = set()
        """Texts that no program wrote and their fields, which stay as they are in any record."""
        self._words: frozenset[str] | None = None
        """Names that are replaced wherever a program wrote them."""
        self._patterns: dict[tuple[bool, frozenset[str]], Patterns] = {}

    def learn(self, document: Document) -> None:
        """Take note of the names in a document, before any document is rewritten."""
        place, host = _place(document), ""
        if isinstance(document, Record):
            host = document.environment.host if document.environment else ""
            self._meet(place, [host], own=True)
            machines = [host.machine for host in document.hosts]
            for process in document.hosts:
                alone = machines.count(process.machine) == 1 and process.machine != place.machine
                names = [process.host, _parts(process.address)[1]]
                self._meet(place, names, fingerprint=process.machine if alone else "")
        for text in texts_of(document):
            self._note(place, *text)
        self._meet(place, sorted(self._own.hosts), own=not host)
        for name in sorted(NODES if self._writing else ()):
            self._meet(place, [name])

    def _note(self, place: Place, text: str, field: str, free: bool) -> None:  # noqa: FBT001
        """Take note of the names in a text that its field, or what is around them, shows."""
        if field == "host":
            return
        if field == "address" or _lists_hosts(field, free=free):
            names = [_parts(part)[1] for part in re.split(r"[\s,;]+", text)]
            for name in filter(re.compile("[A-Za-z.]").search, names):
                self._meet(place, [name])
            return
        if not free and place.key:
            self._vocabulary[text] = None
        if (text, free) in self._nameless:
            return
        shown = (_SHOWS[free].finditer(line) for line in text.splitlines() if _MAYBE.search(line))
        matches = [*chain.from_iterable(shown)]
        for match in matches:
            group = match.lastgroup or ""
            if group in OWNERS:
                self._users.add(match[group])
            elif group not in {*HOMES, "scratch"} and (group != "at" or _is_internal(match)):
                names = [name for name in [match[group]] if name.lower() not in ORDINARY]
                self._meet(place, names, sure=group not in UNSURE)
        nodes: list[str] = []
        if free:
            nodes += (name for part in _CAN_RUN_IT.findall(text) for name in _NODE.findall(part))
            nodes += _NUMBERED.findall(text)
            for name in nodes:
                self._meet(place, [name])
        if not matches and not nodes:
            self._nameless.add((text, free))

    def _meet(
        self,
        place: Place,
        names: Iterable[str],
        *,
        own: bool = False,
        fingerprint: str = "",
        sure: bool = True,
    ) -> None:
        """Give a host its number.

        Args:
            place: the record that names it.
            names: what it is called there.
            own: whether it is the machine that the record is of.
            fingerprint: that of this host, if it is known and another machine.
            sure: whether it certainly is a host.
        """
        real, aliases = [], self._aliases[place]
        for name in names:
            if not _NUMBERED.fullmatch(name):
                short = name if re.fullmatch(_IP, name) else name.partition(".")[0]
                real += [
                    candidate for candidate in (name, short) if candidate and name not in LOOPBACK
                ]
            elif place.key and name not in aliases:
                # A record that was scrubbed when it was written calls its own machine `host-1`.
                key = place.machine if name == "host-1" else fingerprint or (place.machine, name)
                number = name if self._writing else self._machines.get(key) or self._next()
                self._machines[key] = aliases[name] = number
                self._last = max(self._last, int(number.removeprefix("host-")))
        number = next((self._hosts[name] for name in real if name in self._hosts), "")
        if real and not number:
            earlier = self._machines.get(place.machine, "") if own else ""
            number = earlier if earlier not in {"", *self._hosts.values()} else self._next()
        for name in real:
            self._hosts.setdefault(name, number)
        if real and own:
            self._machines.setdefault(place.machine, number)
        if sure:
            self._sure.update(real)

    def _next(self) -> str:
        self._last += 1
        return f"host-{self._last}"

    def rewrite(self, document: Value) -> Value:
        """A document that was learned, without names."""
        self._withheld = Counter(document.withheld if isinstance(document, Record) else ())
        new = self._without_names(document)
        if isinstance(new, Record) and self._withheld != Counter(new.withheld):
            return new.model_copy(update={"withheld": dict(sorted(self._withheld.items()))})
        return new

    def _without_names(self, document: Value) -> Value:
        visit = partial(self._scrubbed, _place(document))
        if isinstance(document, Record):
            # Its key says what was measured, also where a path within that is not published.
            _ = document.cell.key
            if self._writing:
                return rewritten(document, visit).model_copy(update={"cell": document.cell})
            if document.imported:  # where its code lies concerns nobody else
                bare = [file.model_copy(update={"folder": ""}) for file in document.imported]
                document = document.model_copy(update={"imported": bare})
        for text, field, free in texts_of(document):
            # Names of hosts, and what a program wrote, depend on the record.
            depends = free or field in {"host", "address"}
            if not depends and (text, field) in self._unchanged:
                continue
            if visit(text, field, free) != text:
                self._withheld = Counter(document.withheld if isinstance(document, Record) else ())
                return rewritten(document, visit)
            if not depends:
                self._unchanged.add((text, field))
        return document

    def _scrubbed(self, place: Place, text: str, field: str, free: bool) -> str:  # noqa: FBT001
        if field in {"host", "address"}:
            before, host, after = _parts(text) if field == "address" else ("", text, "")
            if (number := self._host(host, place)) != host:
                return f"{before}{number}{after}"
        if free and field.isupper() and SECRET_VARIABLE.search(field) and text != WITHHELD:
            self.changes[Change("secret", field, WITHHELD)].add(place)
            self._withheld[field] += 1
            return WITHHELD
        if free:
            if self._writing and len(text) > LONGEST:
                text = SHORTENED + text[len(SHORTENED) - LONGEST :]
            if (kept := without_secrets(text, self._secrets)) != text:
                self.changes[Change("secret", field, WITHHELD)].add(place)
                self._withheld[field] += max(1, kept.count(WITHHELD) - text.count(WITHHELD))
                text = kept
        if _lists_hosts(field, free=free):
            parts = re.split(r"([\s,;]+)", text)
            return "".join(self._scrubbed(place, part, "address", free) for part in parts)
        if field in {"seen", "message"} and not self._writing:
            for programs in PROGRAMS.findall(text):
                self.changes[Change("programs", programs.strip(" ()"), "")].add(place)
            text = PROGRAMS.sub("", text)
        text = _replaced(self._patterns_of(place, free=free), partial(self._instead, place), text)
        return _DOMAIN.sub(r"\1", text) if free else text

    def _instead(self, place: Place, match: re.Match[str]) -> str:
        """What takes the place of what `_joined` finds."""
        group, whole = match.lastgroup or "", match[0]
        if group in HOMES:
            self.changes[Change("home", whole, HOME)].add(place)
            return HOME
        name = match[group]
        if group == "at":
            account = match["login"] or match["account"]
            return f"{self._user(account, place)}@{self._host(name, place)}"
        is_user = group in {"owner", "folder", "scratch"} or (
            group == "word" and name not in self._hosts
        )
        new = self._user(name, place) if is_user else self._host(name, place)
        start = match.start()
        return whole[: match.start(group) - start] + new + whole[match.end(group) - start :]

    def _user(self, name: str, place: Place) -> str:
        if name.lower() in ORDINARY:
            return name
        self.changes[Change("user", name, USER)].add(place)
        return USER

    def _host(self, name: str, place: Place) -> str:
        number = self._aliases[place].get(name) or self._hosts.get(name, name)
        if number != name and not _NUMBERED.fullmatch(name):
            self.changes[Change("host", name, number)].add(place)
        return number

    def _patterns_of(self, place: Place, *, free: bool) -> Patterns:
        """What finds the lines that may name something in the texts of a record, and the names."""
        aliases = frozenset(self._aliases[place]) if free else frozenset()
        if (free, aliases) not in self._patterns:
            if self._words is None:
                names = {name for name in self._sure | self._users if len(name) >= SHORTEST}
                patterns = self._joined(free=False)
                others = _replaced(patterns, lambda _: "", "\n".join(self._vocabulary))
                self._words = frozenset(
                    name
                    for name in names
                    if name.lower() not in ORDINARY
                    and not re.search(rf"{_BEFORE}{re.escape(name)}{_AFTER}", others)
                )
            self._patterns[free, aliases] = self._joined(aliases, self._words, free=free)
        return self._patterns[free, aliases]

    def _joined(
        self,
        aliases: frozenset[str] = frozenset(),
        words: frozenset[str] = frozenset(),
        *,
        free: bool,
    ) -> Patterns:
        """One expression of all that names something; the first alternative that fits counts."""
        users = {name for name in self._users if len(name) > 1 and name.lower() not in ORDINARY}
        folder = r"(?<=[\\/])" if free else rf"{_START}(?:/[\w.+@-]+)*?/"
        parts = [
            (rf"{_START}(?P<own>", _any_of(self._own.homes), r")(?![\w-])"),
            ("", _FREE if free else _FIXED, ""),
            (rf"{folder}(?P<folder>", _any_of(users), r""")(?=[\\/:,;'"\s)\]]|$)"""),
            (r"(?<![\w.-])(?P<port>", _any_of(self._hosts), r")(?=:\d{4,5}(?!\d))"),
            (r"\b(?P<again>", _any_of(aliases), r")\b"),
            (rf"{_BEFORE}(?P<word>", _any_of(words if free else ()), f"){_AFTER}"),
            (r"(?<=[\"'])(?P<cited>", _any_of(() if free else words & self._sure), r")(?=[\"':/])"),
        ]
        whole = "|".join("".join(part) for part in parts if part[1])
        may_name = "|".join([_MAY_SHOW, *(part[1] for part in parts if part[0] and part[1])])
        return re.compile(may_name, re.VERBOSE), re.compile(whole, re.VERBOSE)


def _replaced(patterns: Patterns, put: Callable[[re.Match[str]], str], text: str) -> str:
    may_name, names = patterns
    if not may_name.search(text):
        return text
    lines = text.splitlines(keepends=True)
    return "".join(names.sub(put, line) if may_name.search(line) else line for line in lines)


def _any_of(names: Iterable[str]) -> str:
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return "|".join(map(re.escape, longest_first))


def _place(document: object) -> Place:
    return Place(document.key, document.machine) if isinstance(document, Record) else Place()


def _parts(address: str) -> tuple[str, str, str]:
    match = _ADDRESS.fullmatch(address)
    return (match[1], match[2], match[3]) if match else ("", "", "")


def _lists_hosts(field: str, *, free: bool) -> bool:
    """Whether a field is an environment variable whose value is hosts."""
    return free and field.isupper() and LISTS_HOSTS.search(field) is not None


def _is_internal(match: re.Match[str]) -> bool:
    """Whether a host of `user@host` is a machine, and not where a person gets mail."""
    host = match["at"]
    of_account = bool(match["account"]) and host.count(".") > 1
    return "." not in host or of_account or host.endswith(INTERNAL)


def as_written(document: Value) -> Value:
    """A document as it is stored: without names of this account and of machines.

    The parameters of a record, of which its key is a hash, stay as they are.
    """
    scrubber = Scrubber(identity_here())
    scrubber.learn(document)
    return scrubber.rewrite(document)


def as_published(
    plans: Iterable[PlanDocument], records: Iterable[Record]
) -> tuple[list[PlanDocument], list[Record], Mapping[Change, set[Place]]]:
    """Documents as others read them, and what was replaced in which records.

    Args:
        plans: all that are published together.
        records: theirs; hosts get their numbers in this order.
    """
    scrubber = Scrubber()
    plans, records = list(plans), list(records)
    for document in (*records, *plans):
        scrubber.learn(document)
    rewritten = (
        [scrubber.rewrite(plan) for plan in plans],
        [scrubber.rewrite(record) for record in records],
    )
    return *rewritten, scrubber.changes


def written_secrets(plan: PlanDocument) -> list[str]:
    """Lines of a spec and of the files that it names that look like a secret, each as a place.

    What a person wrote is published as it is.
    """
    places: dict[str, None] = {}
    for text, field, _ in texts_of(plan):
        file = str(plan.workload.get(_FILE_OF.get(field, ""), field)).partition(":")[0]
        name = f"{plan.spec}.toml" if field == "text" else file
        for number, line in enumerate(text.splitlines(), 1):
            if without_secrets(line) != line and (field == "text" or line not in plan.text):
                places[f"{name}, line {number}" if "\n" in text else f"`{field}`"] = None
    return list(places)


_FILE_OF = {"document": "file", "data_document": "data"}
"""The key that holds a file's text → the key that names the file."""


def alone_published(record: Record) -> Record:
    """A record as others read it where no other one is beside it."""
    return as_published((), (record,))[1][0]


def without_names(text: str) -> str:
    """A text of this process, such as an error, as others may read it."""
    return as_written(Warned(kind="", message=text)).message
