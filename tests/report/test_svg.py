"""A drawing in a page is small, the same every time, and can neither run nor fetch."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from accelreport.report.site.drawing import UnexpectedSvgError, page_svg

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


def test_the_outline_of_a_text_is_painted_before_its_letters() -> None:
    ground = '<text stroke="var(--paper)" stroke-width="4" fill="var(--ink)">x</text>'
    assert 'paint-order="stroke"' in drawn(ground)
    assert "paint-order" not in drawn('<text fill="var(--ink)">x</text>')
