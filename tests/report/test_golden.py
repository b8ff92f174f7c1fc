"""Every kind of page looks as it did when somebody last looked at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright

from tests.report.golden.camera import Photograph, camera, liberation_folder, photographs, revision
from tests.report.golden.kinds import (
    FORMS,
    IMAGES,
    KINDS,
    Form,
    Kind,
    SiteName,
    golden_of,
    page_of,
)
from tests.report.golden.likeness import difference, heat, reduced, save_golden

pytestmark = pytest.mark.e2e

TRAINING = next(kind for kind in KINDS if kind.name == "training")
LIGHT = FORMS[0]

HOW = "If this is how it should look: python -m tests.report.golden --update"

DAMAGES = {
    "a figure is missing": "document.querySelector('#sweep').remove()",
    "a section far down is missing": "document.querySelector('#run').remove()",
    "two devices have each other's colours": """
        const root = document.documentElement, of = getComputedStyle(root);
        const [a, b] = [of.getPropertyValue('--s0'), of.getPropertyValue('--s1')];
        root.style.setProperty('--s0', b); root.style.setProperty('--s1', a)""",
    "dark colours in a light page": "document.documentElement.style.colorScheme = 'dark'",
    "a column is 12 px to the right": """
        for (const cell of document.querySelectorAll('#record summary'))
          { cell.style.position = 'relative'; cell.style.left = '12px' }""",
    "a line of text lies over another": """
        document.querySelector('.deck').style.marginBottom = '-1.6rem'""",
    "a heading is in another family of letters": """
        document.querySelector('h1').style.fontFamily = 'Liberation Sans'""",
    "a grey caption is 12 px to the right": """
        for (const caption of document.querySelectorAll('#sweep .caption'))
          { caption.style.position = 'relative'; caption.style.left = '12px' }""",
    "an axis lost its labels": """
        const grey = '#sweep .full svg g[fill="var(--soft)"] text';
        for (const label of document.querySelectorAll(grey)) label.remove()""",
}
"""What a careless change does to a page; the page of a training, light, as wide as a screen."""


@pytest.fixture(scope="module")
def steady(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser that draws the same letters on every machine."""
    with camera(playwright, tmp_path_factory.mktemp("fonts")) as made:
        yield made


def compare(taken: Photograph, golden: Path, folder: Path) -> str:
    """What differs, and where the pictures are that show it; nothing if nothing does."""
    found = difference(taken, golden)
    if found is None:
        return ""
    actual = reduced(taken.picture)
    (folder / "golden.png").write_bytes(golden.read_bytes())
    actual.save(folder / "actual.png")
    taken.picture.save(folder / "actual-full-size.png")
    heat(found.blocks, actual).save(folder / "difference.png")
    return f"{golden.stem}: {found.words}. Look at the pictures in {folder}. {HOW}"


def test_the_letters_are_of_the_version_that_the_goldens_were_drawn_with() -> None:
    found = liberation_folder() / "LiberationSans-Regular.ttf"
    assert int(revision(found)) == 1, (
        f"{found} is of version {revision(found):.2f}; goldens hold letters of version 1.07 "
        "(Debian 12), and some of them differ by that alone"
    )


Seen = Callable[[Kind], Sequence[Photograph]]
"""A kind of page in each of `FORMS`."""


@pytest.fixture(scope="module")
def seen(every_site: dict[SiteName, Path], steady: Browser) -> Seen:
    """Opens each page once for all its forms; one form follows the other in the tests, too."""

    @lru_cache(maxsize=1)
    def of(kind: Kind) -> Sequence[Photograph]:
        forms = [kind.seen_as(form) for form in FORMS]
        page = page_of(kind, every_site)
        return photographs(steady, page, forms, start=kind.start, height=kind.height)

    return of


@pytest.mark.parametrize("form", FORMS, ids=[form.name for form in FORMS])
@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_a_page_looks_as_its_golden_does(
    kind: Kind, form: Form, seen: Seen, tmp_path: Path
) -> None:
    taken = seen(kind)[FORMS.index(form)]
    assert compare(taken, golden_of(kind, form), tmp_path) == ""


@pytest.fixture(scope="module")
def unchanged(
    every_site: dict[SiteName, Path], steady: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A golden of the page of a training, as it is now."""
    golden = tmp_path_factory.mktemp("unchanged") / golden_of(TRAINING, LIGHT).name
    (taken,) = photographs(steady, page_of(TRAINING, every_site), [LIGHT])
    save_golden(taken, golden)
    return golden


def after(script: str, every_site: dict[SiteName, Path], steady: Browser) -> Photograph:
    """The page of a training after a script ran in it."""

    def change(page: Page) -> None:
        page.evaluate(f"() => {{ {script} }}")

    (taken,) = photographs(steady, page_of(TRAINING, every_site), [LIGHT], change=change)
    return taken


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_page_is_told_with_its_name_and_place(
    damage: str, every_site: dict[SiteName, Path], steady: Browser, unchanged: Path, tmp_path: Path
) -> None:
    said = compare(after(DAMAGES[damage], every_site, steady), unchanged, tmp_path)
    assert said.startswith("training.light: ")
    assert "px" in said
    assert str(tmp_path) in said
    pictures = {path.name for path in tmp_path.glob("*.png")}
    assert pictures >= {"golden.png", "actual.png", "actual-full-size.png", "difference.png"}


def test_every_golden_is_of_a_page_and_all_of_them_are_small() -> None:
    wanted = {golden_of(kind, form).name for kind in KINDS for form in FORMS}
    kept = {path.name for path in IMAGES.glob("*.png")}
    assert kept == wanted
    assert sum(path.stat().st_size for path in IMAGES.glob("*.png")) < 1_500_000
