"""What is drawn says what it is: read from the SVG of every figure of the test sites."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

SVG = "{http://www.w3.org/2000/svg}"

UNITS = {
    "": 1.0, "×": 1.0, "%": 1.0, "h": 3600.0, "min": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6,
    "k": 1e3, "M": 1e6,
}  # fmt: skip
"""What a tick may be written in."""

NUMBER = re.compile(r"^(−?[\d\N{NO-BREAK SPACE}]*\d(?:\.\d+)?)\s?([^\d\s]*)$")

MISREAD = re.compile(r"\d\s?[mµnkMG]×|\de[+-]?\d|NaN|undefined|[Ii]nfinity|null|\.\d{5,}\D|\d{6,}")
"""What a tick of "500m×", an exponent, a missing value and digits without end look like."""

INTERVALS = {
    "sweep": "95 % intervals",
    "rates": "95 % intervals",
    "totals": "95 % intervals",
    "decided-rows": "95 % interval",
    "grid": "",
    "quality-curves": "Solid: validation",
    "quality-accuracy": "Solid: validation",
    "quality-loss": "Solid: validation",
    "start-up": "Median",
    "step-ecdf": "",
    "forecast-0": "",
    "learning-curves": "Solid: (validation|training)",
    "forecast-errors": "95 % intervals",
    "int8-accuracy": "95 % intervals",
    "int8": "",
    "shares": "",
    "shares-counted": "",
    "process": "",
}
"""What the caption of a figure says of its bars and bands; nothing where there are none."""


@dataclass(frozen=True)
class Axis:
    """Ticks of one axis: their texts, values, and places in the drawing."""

    texts: tuple[str, ...]
    values: tuple[float, ...]
    places: tuple[float, ...]

    @property
    def logarithmic(self) -> bool:
        """Whether the places follow the logarithms of the values better than the values."""
        if len(self.values) < 3 or min(self.values) <= 0:
            return False
        return _bend(np.log(self.values), self.places) < _bend(self.values, self.places)


def _bend(values: object, places: tuple[float, ...]) -> float:
    x, y = np.asarray(values, dtype=float), np.asarray(places, dtype=float)
    line = np.polyfit(x, y, 1)
    return float(np.abs(np.polyval(line, x) - y).max())


@cache
def figures(site: Path) -> tuple[tuple[str, str], ...]:
    """Name (page and identity) and HTML of every figure of a site's pages."""
    return tuple(
        (f"{path.name}#{identity}", figure)
        for path in sorted(site.glob("*.html"))
        for figure, identity in re.findall(
            r'(<figure id="([^"]*)".*?</figure>)', path.read_text(encoding="utf-8"), re.DOTALL
        )
    )


def drawings(figure: str) -> Iterator[ET.Element]:
    """The drawings of a figure, wide and narrow."""
    for each in re.findall(r"<svg .*?</svg>", figure, re.DOTALL):
        yield ET.fromstring(each)  # noqa: S314


def words(figure: str) -> str:
    """What a figure says outside of its drawings and tables."""
    plain = re.sub(r"<svg .*?</svg>|<details.*?</details>", " ", figure, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", plain)).split())


def axes(drawing: ET.Element) -> Iterator[Axis]:
    """Axes with at least two numbers: groups of texts in a row or a column."""
    for group in drawing.iter(f"{SVG}g"):
        texts = group.findall(f"{SVG}text")
        # A mark's own text is darker than a tick's, or has ground behind it.
        ground = any("stroke" in text.attrib for text in (group, *texts))
        if group.get("fill") != "var(--soft)" or ground:
            continue
        read = [NUMBER.match("".join(text.itertext())) for text in texts]
        ticks = [
            (found, [float(n) for n in re.findall(r"-?[\d.]+", text.get("transform", ""))])
            for found, text in zip(read, texts, strict=True)
            if found and found[2] in UNITS
        ]
        if len(ticks) < 2 or len(ticks) < len(texts):
            continue
        along = 0 if len({place[1] for _, place in ticks}) == 1 else 1
        yield Axis(
            tuple(found[0] for found, _ in ticks),
            tuple(_value(found[1]) * UNITS[found[2]] for found, _ in ticks),
            tuple(place[along] for _, place in ticks),
        )


def _value(text: str) -> float:
    return float(text.replace("−", "-").replace("\N{NO-BREAK SPACE}", ""))


@pytest.fixture(scope="module")
def every(every_site: dict[str, Path]) -> list[tuple[str, str]]:
    """The figures of the ordinary and of the small site."""
    found = [*figures(every_site["ordinary"]), *figures(every_site["small"])]
    assert len(found) > 15
    return found


def test_no_letter_of_a_drawing_can_be_misread(every: list[tuple[str, str]]) -> None:
    read = [
        (name, "".join(text.itertext()))
        for name, figure in every
        for drawing in drawings(figure)
        for text in drawing.iter(f"{SVG}text")
    ]
    assert len(read) > 500
    assert [(name, said) for name, said in read if MISREAD.search(said)] == []


def test_ticks_are_in_order_and_none_is_there_twice(every: list[tuple[str, str]]) -> None:
    found = [(name, axis) for name, fig in every for d in drawings(fig) for axis in axes(d)]
    assert len(found) > 40
    for name, axis in found:
        assert len(set(axis.texts)) == len(axis.texts), (name, axis)
        ordered = sorted(zip(axis.values, axis.places, strict=True))
        steps = [later[1] - earlier[1] for earlier, later in pairwise(ordered)]
        assert all(step > 0 for step in steps) or all(step < 0 for step in steps), (name, axis)


def test_an_axis_that_leaves_out_zero_says_so(every: list[tuple[str, str]]) -> None:
    cut, logarithmic = 0, 0
    for name, figure in every:
        said = words(figure)
        for drawing in drawings(figure):
            titles = " ".join("".join(text.itertext()) for text in drawing.iter(f"{SVG}text"))
            for axis in axes(drawing):
                if axis.logarithmic:
                    logarithmic += 1
                    assert "log scale" in f"{titles} {said}".lower(), (name, axis)
                elif min(axis.values) > 0:
                    cut += 1
                    told = (
                        r"starts? (at|near)|log scale"
                        if len(axis.values) < 3
                        else r"starts? (at|near)"
                    )
                    assert re.search(told, said + titles), (name, axis)
    assert cut > 5
    assert logarithmic > 10


def test_every_interval_is_defined_in_its_caption(every: list[tuple[str, str]]) -> None:
    # Of a single process, as in the quick profile, there is no interval.
    named = [(name.split("#")[1].split(".")[0], words(figure)) for name, figure in every
             if ".quick." not in name]  # fmt: skip
    assert [pair for pair in named if not re.search(INTERVALS[pair[0]], pair[1])] == []


def test_a_table_with_intervals_says_what_they_are(every_site: dict[str, Path]) -> None:
    tables = 0
    for site in ("ordinary", "small"):
        for path in sorted(every_site[site].glob("*.html")):
            text = path.read_text(encoding="utf-8")
            for told, body in re.findall(
                r'<p class="caption" id="[^"]*-c">(.*?)</p></div>\s*<div class="table(.*?)</table>',
                text,
                re.DOTALL,
            ):
                if re.search(r'class="interval">(?:<span[^>]*>)?[^<]*\d–[^<]*\d', body):
                    tables += 1
                    assert "interval" in told.lower() or "±" in told, (path.name, told)
    assert tables > 5
