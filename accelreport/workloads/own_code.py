"""Somebody's own Python beside a spec: what it imports there, and how it is run.

The text of the file and of the modules beside it that it imports is read while the spec is checked.
It becomes part of the parameters, so of a cell's key and of its record. The process that measures
runs that text, and not what lies there by then.
"""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import importlib.util
import os
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path, PurePosixPath
from types import ModuleType

from accelreport.errors import AccelReportError, ExitCode, is_refused_process
from accelreport.spec.validators import FieldsError

LIMIT = 1024 * 1024
"""Bytes above which no code is read, all modules together."""

ELSEWHERE = sys.stdlib_module_names | {"accelreport"}
"""Names that are never looked for beside a file."""

HOST_ONLY = sys.stdlib_module_names | {
    *("accelreport", "numba", "numpy", "pandas", "polars", "pyarrow", "scipy", "sklearn"),
}
"""Modules that compute without the framework of a device."""


def text_of(path: Path, name: str, room: int = LIMIT) -> str:
    """The text of a file of Python.

    Args:
        path: where it is.
        name: its path for people.
        room: the most bytes it may have.

    Raises:
        FieldsError: it cannot be read, or is too long.
    """
    try:
        with path.open("rb") as file:
            content = file.read(room + 1)
        if len(content) > room:
            raise FieldsError(f"{name} has more than {room:,} bytes", "file")
        return content.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise FieldsError(f"{name} cannot be read: {error}", "file") from error


def parsed(text: str, name: str) -> ast.Module:
    """The syntax tree of a file of Python.

    Raises:
        FieldsError: it has none.
    """
    try:
        return ast.parse(text, name)
    except (RecursionError, MemoryError) as error:
        raise FieldsError(f"{name} is nested too deeply to be read", "file") from error
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        place = f"{name}, line {line}" if line else name
        what = error.msg if isinstance(error, SyntaxError) else str(error)
        raise FieldsError(f"{place}: {what}", "file") from error


@cache
def functions_of(name: str, text: str) -> dict[str, ast.FunctionDef]:
    """The functions that a file defines, by name; raises `FieldsError` where it is no Python."""
    body = parsed(text, name).body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def imported(text: str, name: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """What a file imports, wherever in it: how many dots stand in front, and the dotted name.

    What is taken `from` a module may be a module itself, so it is named with each of them, too.
    """
    for node in ast.walk(parsed(text, name)):
        if isinstance(node, ast.Import):
            yield from ((0, tuple(alias.name.split("."))) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = tuple(node.module.split(".")) if node.module else ()
            yield node.level, parts
            yield from ((node.level, (*parts, alias.name)) for alias in node.names)


def local_modules(folder: Path, file: str, text: str) -> dict[str, str]:
    """The modules beside a file that it imports, directly or through one another.

    Args:
        folder: the spec's folder.
        file: the file's path in it.
        text: what is in the file.

    Returns:
        The text of each, by its path in the spec's folder.

    Raises:
        FieldsError: one of them cannot be read or is no Python, or all have too much text.
    """
    top = PurePosixPath(file).parent
    modules: dict[str, str] = {}
    waiting: list[tuple[str, str, tuple[str, ...]]] = [(file, text, ())]
    room = LIMIT - len(text.encode())
    while waiting:
        name, source, package = waiting.pop()
        for level, parts in imported(source, name):
            base = package[: len(package) - level + 1] if level else ()
            for path, inside in _files(folder / top, (*base, *parts)):
                key = (top / path).as_posix()
                if key in modules:
                    continue
                if not Path(os.path.realpath(folder / key)).is_relative_to(
                    os.path.realpath(folder)
                ):
                    why = f"{key} leads outside the spec's folder through a symbolic link"
                    raise FieldsError(why, "file")
                modules[key] = text_of(folder / key, key, room)
                room -= len(modules[key].encode())
                waiting.append((key, modules[key], inside))
    return dict(sorted(modules.items()))


def _files(root: Path, parts: Sequence[str]) -> Iterator[tuple[PurePosixPath, tuple[str, ...]]]:
    """The files that an import of a dotted name runs, each with the package that it belongs to."""
    if not parts or parts[0] in ELSEWHERE:
        return
    for count in range(1, len(parts) + 1):
        path = PurePosixPath(*parts[:count])
        if (root / path / "__init__.py").is_file():
            yield path / "__init__.py", tuple(parts[:count])
        elif (root / path).with_suffix(".py").is_file():
            yield path.with_suffix(".py"), tuple(parts[: count - 1])
            return
        elif not (root / path).is_dir():
            return


def host_only(file: str, text: str, modules: Mapping[str, str]) -> bool:
    """Whether neither a file nor its modules import anything that could compute in a framework."""
    own = {PurePosixPath(name).parts[len(PurePosixPath(file).parent.parts)] for name in modules}
    local = {PurePosixPath(name).stem for name in own}
    return all(
        level or not parts or parts[0] in HOST_ONLY | local
        for name, source in {file: text, **modules}.items()
        for level, parts in imported(source, name)
    )


@dataclass(frozen=True)
class RecordedModules(importlib.abc.SourceLoader):
    """Has Python import the modules beside a file by the text that was read.

    Attributes:
        top: absolute path of the file's folder.
        texts: text of each module by its path below that folder.
    """

    top: Path
    texts: Mapping[str, str]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder.find_spec`."""
        del path, target
        place = fullname.replace(".", "/")
        for name in (f"{place}/__init__.py", f"{place}.py"):
            if name in self.texts:
                return importlib.util.spec_from_file_location(
                    fullname,
                    self.top / name,
                    loader=self,
                    submodule_search_locations=(
                        [str(self.top / place)] if name.endswith("/__init__.py") else None
                    ),
                )
        if not any(name.startswith(f"{place}/") for name in self.texts):
            return None
        folder = ModuleSpec(fullname, None, is_package=True)
        folder.submodule_search_locations = [str(self.top / place)]
        return folder

    def get_filename(self, fullname: str) -> str:
        """See `importlib.abc.ExecutionLoader.get_filename`."""
        spec = self.find_spec(fullname, None)
        if spec is None or spec.origin is None:
            raise ImportError(f"no module {fullname} was read", name=fullname)
        return spec.origin

    def get_data(self, path: str) -> bytes:
        """See `importlib.abc.ResourceLoader.get_data`."""
        own = Path(path)
        name = own.relative_to(self.top).as_posix() if own.is_relative_to(self.top) else ""
        return self.texts[name].encode() if name in self.texts else own.read_bytes()


OURS = [
    (builtins, "open"),
    *((time, name) for name in ("monotonic", "perf_counter", "process_time", "time")),
]
"""Functions of Python that measuring relies on."""


class OwnCodeError(AccelReportError):
    """Somebody's own code did not do what it must."""

    exit_code = ExitCode.BAD_SPEC
    kind = "bad-spec"


@dataclass(frozen=True)
class OwnCode:
    """A file of Python with the modules beside it, ready to be run.

    Attributes:
        file: its path in the spec's folder.
        text: what was in it when the spec was read.
        modules: text of each module beside it that it imports, by its path in the same folder.
        folder: the spec's folder; where the process stands when empty.
    """

    file: str
    text: str
    modules: Mapping[str, str]
    folder: str = ""

    @property
    def top(self) -> Path:
        """The file's folder, absolute."""
        return (Path(self.folder).absolute() / self.file).parent

    def run(self, name: str) -> ModuleType:
        """The module that the file makes.

        From now on the working folder is the spec's folder, and Python looks for modules in the
        file's folder, after all others.

        Args:
            name: of the module.

        Raises:
            OwnCodeError: a module of a name beside the file is loaded already, so that Python
                would not take the one beside the file.
        """
        place, below = self.top / Path(self.file).name, PurePosixPath(self.file).parent
        if self.folder and Path(self.folder).is_dir():
            os.chdir(self.folder)
        texts = {
            PurePosixPath(key).relative_to(below).as_posix(): text
            for key, text in self.modules.items()
        }
        for key in texts:
            if PurePosixPath(key).parts[0].removesuffix(".py") in sys.modules:
                raise OwnCodeError(
                    f"{(below / key).as_posix()} has the name of a module that is loaded already",
                    why="Python would import that one instead",
                    remedy="Rename it, and what imports it.",
                )
        sys.meta_path.insert(0, RecordedModules(place.parent, texts))
        sys.path.append(str(place.parent))
        module = ModuleType(name)
        module.__file__ = str(place)
        sys.modules[name] = module  # its classes are looked up there
        code = compile(self.text, str(place), "exec")
        exec(code, module.__dict__)  # noqa: S102 - trusted by naming it
        return module

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Have what goes wrong in the code say so, with file and line.

        Raises:
            OwnCodeError: something was raised by the code or by what it called, or it replaced a
                function of `OURS`, which is then put back.
        """
        before = [getattr(module, name) for module, name in OURS]
        root = Path(self.folder).absolute()
        names = {str(root / name): name for name in (self.file, *self.modules)}
        try:
            yield
        except (MemoryError, OwnCodeError):
            raise
        except BaseException as error:
            self._put_back(before)
            frames = reversed(traceback.extract_tb(error.__traceback__))
            own = next((frame for frame in frames if frame.filename in names), None)
            if own is None or is_refused_process(error) or getattr(error, "kind", None):
                raise  # not from the code, or an error that says itself what it is
            raise OwnCodeError(
                f"{names[own.filename]}, line {own.lineno}: {type(error).__name__}: {error}",
                remedy="Correct the file; the record of a run has the traceback.",
            ) from error
        self._put_back(before)

    def _put_back(self, before: Sequence[object]) -> None:
        """Put the functions back that measuring relies on, and say which the code replaced."""
        replaced = []
        for (module, name), own in zip(OURS, before, strict=True):
            if getattr(module, name) is not own:
                setattr(module, name, own)
                replaced.append(f"{module.__name__}.{name}")
        if replaced:
            raise OwnCodeError(
                f"{self.file} replaced {' and '.join(replaced)}",
                why="what is measured would depend on it",
                remedy="Use a function of another name.",
            )
