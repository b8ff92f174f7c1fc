"""Jinja: where templates are found, and how a page becomes HTML.

Cells of tables become HTML here, since a large site has millions of them, and a template
escapes and joins each for itself.

In figures that a reader may explore Vega sleeps, packed, until a button wakes it. The engine is
the bundle that vl-convert brings along, so nothing is fetched. It evaluates expressions with its
interpreter and never as code, and the page's policy knows it by its hash: it needs no permission
that a page without it does not have.
"""

from __future__ import annotations

import base64
import copy
import gzip
import hashlib
import json
import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import jinja2
import segno
from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup, escape

from accelreport.errors import AccelReportError, ExitCode
from accelreport.report.model import Column, Drawing, Entry, Figure, Page, Row
from accelreport.report.pages.registry import NAVIGATION
from accelreport.report.quantity import Number
from accelreport.report.site.options import CHECKOUT, NO_FACTS, PACKAGED, SiteFacts
from accelreport.report.theme import EDGES, key_class, variables


def policy(style: str, scripts: Sequence[str] = (), *, published: bool = False) -> str:
    """A Content-Security-Policy that knows each style sheet and script by its hash.

    Args:
        style: the text between `<style>` and `</style>`, to the byte.
        scripts: the texts between `<script>` and `</script>`.
        published: whether the page has an address. Lighthouse asks for robots.txt in the
            page's name, and holds it against a page whose policy forbids that.
    """
    rules = (
        "default-src 'none'",
        f"style-src {source(style)}",
        *([f"script-src {' '.join(source(text) for text in scripts)}"] if scripts else []),
        "img-src 'self' data:",
        *(["connect-src 'self'"] if published else []),
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)


@lru_cache(maxsize=32)  # every page has the same few
def source(text: str) -> str:
    """A style sheet or script as a policy names it: by its hash."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_NEXT = "\x1f"
"""Stands between the cells of a row while all of them are escaped at once."""


def raw(rows: Iterable[Sequence[str]]) -> Markup:
    """The rows of a raw table, the first cell of each as its header."""
    html = []
    for row in rows:
        header, *values = _escaped(row)
        cells = "".join([f"<td>{value}</td>" for value in values])
        html.append(f'<tr><th scope="row">{header}</th>{cells}</tr>\n')
    return Markup("".join(html))  # noqa: S704 -- every cell went through escape()


def _escaped(row: Sequence[str]) -> list[str]:
    cells = str(escape(_NEXT.join(row))).split(_NEXT)
    return cells if len(cells) == len(row) else [str(escape(cell)) for cell in row]


def cell_attributes(entry: Entry, column: Column) -> Markup:
    """The class of a cell and the value that it is sorted by, each with a space before it."""
    names = [] if entry.heat is None else [f"{entry.ramp}{entry.heat}"]
    names += [entry.mark] if entry.mark else []
    names += ["n"] if column.number else []
    names += ["nil"] if len(entry.lines) == 1 and entry.lines[0].text == "–" else []
    text = entry.lines[0].text if entry.lines else ""
    attributes = Markup(' class="{}"').format(" ".join(names)) if names else Markup()
    if isinstance(text, Number):
        attributes += Markup(' data-value="{:.6g}"').format(text.value)
    return attributes


def row_attributes(row: Row) -> Markup:
    """The id of a row, its device, and what it can be filtered by; one of many on a line each."""
    values = {"id": row.id, "data-series": "" if row.device is None else str(row.device)}
    values |= {f"data-{name}": "\n".join(own) for name, own in vars(row.facets).items()}
    parts = (Markup(' {}="{}"').format(name, value) for name, value in values.items() if value)
    return Markup().join(parts)


def qr_code(address: str) -> Markup:
    """An address for a telephone's camera, with the white edge of four modules that one needs.

    It is dark on white in both themes, because not every camera reads the opposite.
    """
    code = segno.make(address, error="m", micro=False, boost_error=False)
    drawn = code.svg_inline(border=4, light="#fff", omitsize=True, svgclass=None, lineclass=None)
    return Markup(drawn)  # noqa: S704 -- numbers alone: the address is in the squares


_EXPORT = "self.accelreportVega = vegaEmbed;"


@dataclass(frozen=True)
class VegaBundle:
    """Vega, Vega-Lite and their interpreter.

    Attributes:
        code: the script as it runs.
        packed: the same compressed, in base 64.
    """

    code: str
    packed: str


@dataclass(frozen=True)
class Explorable:
    """What a page holds for exploring.

    Attributes:
        engine: what draws.
        figures: id of a figure → its specifications, packed.
    """

    engine: VegaBundle
    figures: Mapping[str, str]


def engine() -> VegaBundle:
    """The engine; making it takes some seconds."""
    import vl_convert

    # In a function of its own, or thousands of its names would become the page's.
    code = f"(() => {{{vl_convert.javascript_bundle(_EXPORT)}}})();"
    return VegaBundle(code, _packed(code))


def explorable(figures: Iterable[Figure], made: VegaBundle) -> Explorable:
    """What a page with these figures holds."""
    return Explorable(made, {figure.id: _packed(_specs(figure)) for figure in figures})


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def _specs(figure: Figure) -> str:
    return json.dumps([lively(drawing.spec) for drawing in figure.drawings])


def lively(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A specification whose axes of numbers a reader can move; pointing tells values anyway."""
    made = copy.deepcopy(dict(spec))
    layers = made.get("spec", made)["layer"]
    for each in layers:
        # Vega-Lite cuts off all marks where an axis moves, and names of rows lie beside the plot.
        if "value" in each["encoding"].get("x", {}):
            each["mark"]["clip"] = False
    moved = [
        name
        for name in ("x", "y")
        # What is drawn in pixels has no axis.
        if (of := layers[0]["encoding"].get(name, {})).get("type") == _NUMBER
        and of.get("axis", {}) is not None
    ]
    if moved:
        select = {"type": "interval", "encodings": moved}
        layers[0]["params"] = [{"name": "moved", "select": select, "bind": "scales"}]
    return made


_NUMBER = "quantitative"

_STYLES = {
    "full": ("base.css", "table.css", "matrix.css", "figure.css", "page.css"),
    "slides": ("base.css", "figure.css", "slides.css"),
    "cell": ("base.css", "table.css"),
    "ranked": ("base.css", "table.css", "ranked.css"),
}
_STYLE_OF = {"cell.html": "cell", "slides.html": "slides", "ranked.html": "ranked"}
_EXPLORED = {"article.html", "benchmark.html", "single.html"}
"""Templates whose figures can be explored."""
_SCRIPTS = {
    "explore.js": ("explore",),
    "cell.html": ("theme",),
    "slides.html": ("theme", "deck"),
    "ranked.html": ("theme", "ranked"),
}
"""Scripts of the pages whose tables and figures do not respond."""
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SPACE = re.compile(r"\s+")
_AROUND = re.compile(r"\s*([{};,>])\s*")


class Renderer:
    """Renders pages; one is enough for a site, however many pages it has.

    Args:
        svg: what makes a drawing's SVG when a template asks for it.
        overrides: a folder whose templates replace ours.
        facts: whether a reader may explore figures, and whether pages have an address.

    Attributes:
        environment: Jinja's, autoescaping everything and refusing undefined names.
    """

    def __init__(
        self,
        svg: Callable[[Drawing], Markup],
        overrides: Path | None = None,
        facts: SiteFacts = NO_FACTS,
    ) -> None:
        self._facts = facts
        folders = [folder for folder in (overrides, PACKAGED, CHECKOUT) if folder]
        self.environment = Environment(
            loader=ChoiceLoader([*map(FileSystemLoader, folders), _ours()]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self.environment.globals |= {
            "edges": [f"{edge:g}" for edge in EDGES],
            "svg": svg,
            "places": NAVIGATION,
        }
        self.environment.filters |= {
            "key_class": key_class,
            "cell_attributes": cell_attributes,
            "row_attributes": row_attributes,
            "raw": raw,
            "qr_code": qr_code,
        }

    @cache  # noqa: B019 -- a renderer lives as long as one build
    def style(self, name: str) -> str:
        """A style sheet: the colours, then its parts, without comments and idle space."""
        parts = [self.environment.get_template(part).render() for part in _STYLES[name]]
        rules = _AROUND.sub(r"\1", _SPACE.sub(" ", _COMMENT.sub("", "\n".join(parts)))).strip()
        # Charts name colours in the page; a cell has none, and there are many cells.
        pairs = [pair for pair in variables() if name != "cell" or f"var(--{pair[0]})" in rules]
        light = "".join(f"--{token}:{colour};" for token, colour, _ in pairs)
        both = "".join(f"--{token}:light-dark({one},{two});" for token, one, two in pairs)
        return f":root{{{light}}}@supports(color:light-dark(red,red)){{:root{{{both}}}}}{rules}"

    @cache  # noqa: B019
    def scripts(self, template: str) -> Mapping[str, Markup]:
        """The scripts of a page, by name, without comments and indents."""
        names = _SCRIPTS.get(template, ("theme", "respond"))
        texts = {name: self.environment.get_template(f"{name}.js").render() for name in names}
        return {name: Markup(_short(text)) for name, text in texts.items()}  # noqa: S704 -- ours

    def _explorable(self, page: Page, figures: Sequence[Figure]) -> Explorable | None:
        shown = [*page.figures, *figures] if page.template in _EXPLORED else []
        return explorable(shown, self._engine) if self._facts.interactive and shown else None

    @cached_property
    def _engine(self) -> VegaBundle:
        return engine()

    def render(self, page: Page, *, figures: Sequence[Figure] = (), **values: object) -> str:
        """A page as HTML.

        Args:
            page: its model, which names its template.
            figures: figures that the template shows and the page itself does not have.
            values: what the template names beside it.

        Raises:
            TemplateError: a template is not right; the error names file and line.
        """
        try:
            sheet = self.style(_STYLE_OF.get(page.template, "full"))
            template = self.environment.get_template(page.template)
            scripts = dict(self.scripts(page.template))
            allowed: list[str] = list(scripts.values())
            explore = self._explorable(page, figures)
            if explore is not None:
                allowed += [self.scripts("explore.js")["explore"], explore.engine.code]
            return template.render(
                page=page,
                style=Markup(sheet),  # noqa: S704 -- ours
                scripts=scripts,
                policy=policy(sheet, allowed, published=bool(self._facts.address)),
                explore=explore,
                explore_script=self.scripts("explore.js")["explore"],
                **values,
            )
        except jinja2.TemplateError as error:
            raise TemplateError(
                f"{_place_of(error) or page.template} is not right.",
                why=f"{error}.",
                remedy="Compare it with the template of the same name that it replaces.",
            ) from error


def _ours() -> PrefixLoader:
    """Our own templates under a name of their own, for those that extend what they replace."""
    return PrefixLoader({"accelreport": FileSystemLoader([PACKAGED, CHECKOUT])})


def _short(script: str) -> str:
    lines = (line.strip() for line in script.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


class TemplateError(AccelReportError):
    """A template of a person cannot be used."""

    exit_code = ExitCode.USAGE


def _place_of(error: jinja2.TemplateError) -> str:
    """File and line of the template that is to blame; empty when it is not known."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return f"{error.filename or error.name}, line {error.lineno},"
    frames = traceback.extract_tb(error.__traceback__)
    places = [
        f"{frame.filename}, line {frame.lineno},"
        for frame in frames
        if frame.filename.endswith((".html", ".css", ".js"))
    ]
    return places[-1] if places else ""
