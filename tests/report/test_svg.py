"""A drawing in a page is small, the same every time, and can neither run nor fetch."""

from __future__ import annotations

import itertools
import math
import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.report.site.drawing import TOLERANCE, UnexpectedSvgError, page_svg, simpler

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 5" width="10" height="5">'


def drawn(inside: str, prefix: str = "c") -> str:
    return str(page_svg(f"{HEAD}{inside}</svg>", prefix=prefix, title="A & B", description="<it>"))


def test_ids_of_a_process_wide_counter_become_ids_of_the_chart() -> None:
    vega = (
        '<g clip-path="url(#clip{n})"><path d="M0 0"/></g><defs><clipPath id="clip{n}">'
        '<rect width="1" height="1" fill="red"/></clipPath></defs>'
    )
    first, second = drawn(vega.replace("{n}", "7")), drawn(vega.replace("{n}", "93"))
    assert first == second
    assert 'clip-path="url(#c-0)"' in first
    assert 'id="c-0"' in first


def test_a_chart_has_a_title_and_a_description_for_those_who_hear_it() -> None:
    text = drawn('<text fill="red">x</text>')
    assert 'role="img" aria-labelledby="c-t c-d"' in text
    assert '<title id="c-t">A &amp; B</title>' in text
    assert '<desc id="c-d">&lt;it&gt;</desc>' in text


@pytest.mark.parametrize(
    "inside",
    [
        "<script>1</script>",
        "<foreignObject><p/></foreignObject>",
        '<image href="http://evil.example/x.png"/>',
        '<path d="M0 0" fill="url(http://evil.example/x)"/>',
        '<a href="javascript:1"><text>x</text></a>',
        "<style>@import 'http://evil.example'</style>",
    ],
)
def test_what_could_run_or_fetch_is_refused(inside: str) -> None:
    with pytest.raises(UnexpectedSvgError):
        drawn(inside)


def test_attributes_that_could_run_or_style_are_dropped() -> None:
    text = drawn('<path d="M0 0" onclick="x()" style="fill:red" class="mark" href="x"/>')
    assert text.endswith('<path d="M0 0"/></svg>')


def test_numbers_are_shortened_and_idle_groups_vanish() -> None:
    text = drawn('<g><g class="x"><path d="M1.23456,0.00001L2.5,-0.0004" opacity="1"/></g></g>')
    assert text.endswith('<path d="M1.23,0L2.5,0"/></svg>')


def test_text_of_a_chart_is_escaped() -> None:
    text = drawn('<text fill="red">&lt;script&gt; &amp; &quot;</text>')
    assert "&lt;script&gt; &amp; " in text
    assert ET.fromstring(text) is not None  # noqa: S314 -- made two lines above


def test_colours_stay_names_that_follow_the_theme() -> None:
    assert re.search(r'fill="var\(--s0\)"', drawn('<path d="M0 0" fill="var(--s0)"/>'))


@given(
    st.lists(
        st.tuples(st.integers(0, 8600), st.integers(0, 4000)).map(lambda p: (p[0] / 10, p[1] / 10)),
        min_size=14, max_size=80,
    )
)  # fmt: skip
def test_no_point_of_a_shorter_line_is_further_off_than_anybody_sees(
    points: list[tuple[float, float]],
) -> None:
    path = "M" + "L".join(f"{x},{y}" for x, y in points)
    shorter = simpler(path)
    kept = [tuple(map(float, text.split(","))) for text in shorter[1:].split("L")]
    assert (kept[0], kept[-1]) == (points[0], points[-1])
    for x, y in points:
        near = min(_distance(x, y, a, b) for a, b in itertools.pairwise(kept))
        assert near <= TOLERANCE + 1e-9


def _distance(x: float, y: float, a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """From a point to a stretch of line."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dy * dy
    share = max(0.0, min(1.0, ((x - a[0]) * dx + (y - a[1]) * dy) / square)) if square else 0.0
    return math.hypot(x - a[0] - share * dx, y - a[1] - share * dy)


def test_a_curve_or_a_short_line_is_left_as_it_is() -> None:
    curve = "M0,0" + "C1,1,2,2,3,3" * 20
    short = "M0,0L1,0L2,0"
    assert (simpler(curve), simpler(short)) == (curve, short)
    assert simpler("M0,0" + "".join(f"L{x},0" for x in range(1, 30))) == "M0,0L29,0"
