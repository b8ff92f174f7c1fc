"""Jinja: where templates are found, and how a page becomes HTML.

Cells of tables become HTML here, since a large site has millions of them, and a template
escapes and joins each for itself.
"""

from __future__ import annotations

import base64
import hashlib
import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

import jinja2
import segno
from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup, escape

from accelreport.errors import AccelReportError, ExitCode
from accelreport.report.model import Column, Drawing, Entry, Page, Row
from accelreport.report.pages.registry import NAVIGATION
from accelreport.report.quantity import Number
from accelreport.report.site.options import CHECKOUT, NO_FACTS, PACKAGED, SiteFacts
from accelreport.report.text import label
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
        *(["font-src data:"] if "@font-face" in style else []),
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
"""Separates the cells of a row while all of them are escaped at once."""


def raw(rows: Iterable[Sequence[str]]) -> Markup:
    """The rows of a raw table, the first cell of each as its header."""
    html = []
    for row in rows:
        # One call escapes a whole row; cells that hold the separator are escaped one by one.
        cells = str(escape(_NEXT.join(row))).split(_NEXT)
        header, *values = cells if len(cells) == len(row) else map(str, map(escape, row))
        data = "".join([f"<td>{value}</td>" for value in values])
        html.append(f'<tr><th scope="row">{header}</th>{data}</tr>\n')
    return Markup("".join(html))  # noqa: S704 -- every cell went through escape()


def held(text: str) -> Markup:
    """The text with its intervals, such as "(2.1–2.5×", and "AVX-512" held on one line."""
    of = r"[^\s(]*\d–\S+|\b[A-Z]{2,}-\d+"
    marked = re.sub(of, r'<span class="option">\g<0></span>', str(escape(text)))
    return Markup(marked)  # noqa: S704 -- the text went through escape()


def cell_attributes(entry: Entry, column: Column) -> Markup:
    """The class of a cell and the value that it is sorted by, each with a space before it."""
    names = [] if entry.heat is None else [f"{entry.ramp}{entry.heat}"]
    names += [entry.mark] if entry.mark else []
    names += ["n"] if column.number else []
    names += ["nil"] if len(entry.lines) == 1 and entry.lines[0].text == "–" else []
    text = entry.lines[0].text if entry.lines else ""
    attributes = f' class="{escape(" ".join(names))}"' if names else ""
    if isinstance(text, Number):
        attributes += f' data-value="{text.value:.6g}"'
    return Markup(attributes)  # noqa: S704 -- a number, and names that went through escape()


def row_attributes(row: Row) -> Markup:
    """The id of a row, its device, and what it can be filtered by; one of many on a line each."""
    values = {"id": row.id, "data-series": "" if row.device is None else str(row.device)}
    values |= {f"data-{name}": "\n".join(own) for name, own in vars(row.facets).items()}
    parts = (Markup(' {}="{}"').format(name, value) for name, value in values.items() if value)
    return Markup().join(parts)


def font(name: str) -> str:
    """The address of a font that a style sheet carries with it, so that it is the same anywhere."""
    folder = PACKAGED if PACKAGED.is_dir() else CHECKOUT
    data = base64.b64encode((folder / "fonts" / name).read_bytes()).decode()
    return f"data:font/woff2;base64,{data}"


def qr_code(address: str) -> Markup:
    """An address for a telephone's camera, with the white edge of four modules that one needs.

    It is dark on white in both themes, because not every camera reads the opposite.
    """
    code = segno.make(address, error="m", micro=False, boost_error=False)
    drawn = code.svg_inline(border=4, light="#fff", omitsize=True, svgclass=None, lineclass=None)
    return Markup(drawn)  # noqa: S704 -- numbers alone: the address is in the squares


_STYLES = {
    "full": ("base.css", "table.css", "matrix.css", "figure.css", "page.css"),
    "slides": ("base.css", "figure.css", "slides.css"),
    "cell": ("base.css", "table.css"),
}
_STYLE_OF = {"cell.html": "cell", "slides.html": "slides"}
MOST_LETTERS = 90
"""Letters of a page's title at the foot of a sheet."""
_SCRIPTS = {
    "cell.html": ("theme",),
    "slides.html": ("theme", "deck"),
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
        facts: whether pages have an address.

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
        # Ours have a name of their own as well, for those that extend what they replace.
        ours = PrefixLoader({"accelreport": FileSystemLoader([PACKAGED, CHECKOUT])})
        self.environment = Environment(
            loader=ChoiceLoader([*map(FileSystemLoader, folders), ours]),
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
            "font": font,
        }
        self.environment.filters |= {
            "key_class": key_class,
            "cell_attributes": cell_attributes,
            "row_attributes": row_attributes,
            "raw": raw,
            "held": held,
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
        lines = {
            name: [line for line in map(str.strip, text.splitlines()) if line[:2] not in {"", "//"}]
            for name, text in texts.items()
        }
        return {name: Markup("\n".join(own)) for name, own in lines.items()}  # noqa: S704 -- ours

    def _sheet(self, page: Page) -> str:
        """The style sheet of a page, with what is at the foot of each printed sheet."""
        name = _STYLE_OF.get(page.template, "full")
        if name == "slides":
            return self.style(name)
        parts = self._facts.title, label(page.title, MOST_LETTERS), self._facts.address
        text = " · ".join(dict.fromkeys(filter(None, parts)))
        # What could end the text, or the style sheet, is there by its number.
        shown = re.sub(r"[^\w .,:/%·×–-]", lambda sign: f"\\{ord(sign[0]):x} ", text)
        foot = f'content:"{shown}";font:8pt sans-serif'
        return f"{self.style(name)}@page{{@bottom-left{{{foot}}}}}"

    def render(self, page: Page, **values: object) -> str:
        """A page as HTML.

        Args:
            page: its model, which names its template.
            values: what the template names beside it.

        Raises:
            TemplateError: a template is not right; the error names file and line.
        """
        try:
            sheet = self._sheet(page)
            template = self.environment.get_template(page.template)
            scripts = self.scripts(page.template)
            allowed = list(scripts.values())
            return template.render(
                page=page,
                style=Markup(sheet),  # noqa: S704 -- ours
                scripts=scripts,
                policy=policy(sheet, allowed, published=bool(self._facts.address)),
                **values,
            )
        except jinja2.TemplateError as error:
            raise TemplateError(
                f"{_place_of(error) or page.template} is not right.",
                why=f"{error}.",
                remedy="Compare it with the template of the same name that it replaces.",
            ) from error


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
