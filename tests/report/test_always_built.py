"""A site is always built: what cannot be shown is named on it, and the rest is there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import accelreport
from accelreport.cli import app
from accelreport.errors import ExitCode
from accelreport.report.charts import drawing
from accelreport.report.site.builder import BuildResult
from accelreport.report.view import BenchmarkView
from accelreport.results.store import Store
from tests.support.records import Study, store_of, study
from tests.support.sites import build

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("builds_start_one_engine")]

Place = tuple[str | int, ...]

FORECAST = {
    "target": "wind",
    "first_time": "2012-01-01T00:00:00",
    "step_s": 3600,
    "ignored_steps": 0,
}

IMPOSSIBLE: Sequence[tuple[Place, Any]] = (
    (("blocks", 1, "wall_s"), "NaN"),
    (("blocks", 1, "wall_s"), 1e308),
    (("blocks", 1, "wall_s"), -1e308),
    (("blocks", 1, "first_step"), 2**63),
    (("blocks", 1, "step_s", 0), 1e308),
    (("epochs", 1, "elapsed_s"), "NaN"),
    (("epochs", 0, "train_s"), -1.0),
    (("epochs", 0, "steps"), -3),
    (("times", "wall_s"), "Infinity"),
    (("flops", "per_step"), 1e300),
    (("memory", "host_peak_bytes"), 2**63),
    (("confusion",), {"classes": ["a", "b"], "counts": [[1, 2]]}),
    (("forecasts",), [FORECAST | {"true": [1.0, 2.0], "predicted": [1.0]}]),
    (("forecasts",), [FORECAST | {"first_time": "soon", "true": [], "predicted": []}]),
    (
        ("forecasts",),
        [FORECAST | {"first_time": "9999-12-31T23:30:00", "true": [1.0], "predicted": [1.0]}],
    ),
    (("environment", "threads"), 0),
    (("environment", "clock_max_mhz"), 5e-324),
    (("started_at",), "yesterday"),
    (("finished_at",), "9999-12-31T23:59:59-23:59"),
    (("parts",), {}),
    (("samples_per_step",), 0),
    (("final", "loss"), 1e308),
)
"""What no process can have observed."""


def small() -> list[Study]:
    """A training and matrix products on two devices."""
    training = study(devices=("cpu", "gpu"), repeats=2, epochs=3, steps_per_epoch=20, samples=4)
    return [training, study("matmul", devices=("cpu", "gpu"), repeats=2)]


def written(folder: Path, studies: Sequence[Study]) -> list[Path]:
    """Writes studies into a results folder; the files of their records."""
    store_of(folder, *studies)
    return sorted(folder.glob("cells/*.json"))


def put(document: Any, place: Place, value: Any) -> None:
    for key in place[:-1]:
        document = document[key]
    document[place[-1]] = value


def changed(file: Path, place: Place, value: Any) -> None:
    document = json.loads(file.read_text(encoding="utf-8"))
    put(document, place, value)
    file.write_text(json.dumps(document), encoding="utf-8")


def test_records_of_what_cannot_be_are_named_and_the_others_are_shown(tmp_path: Path) -> None:
    sound = study(devices=("cpu", "gpu"), repeats=4, epochs=3, steps_per_epoch=20)
    damaged = written(tmp_path / "results", [sound])[: len(IMPOSSIBLE)]
    for file, (place, value) in zip(damaged, IMPOSSIBLE, strict=True):
        changed(file, place, value)
    index = accelreport.build(tmp_path / "results", tmp_path / "site", specs=None)
    page = index.read_text(encoding="utf-8")
    assert [file.name for file in damaged if file.name not in page] == []
    assert (index.parent / f"{sound.plan.spec}.full.html").is_file()


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        (("cells", 0, "device"), "absent", "absent"),
        (("baseline",), "absent", "absent"),
        (("cells", 0, "repeat"), 2**63, "cells.0.repeat"),
        (("axes",), {}, "axes"),
        (("cells", 1, "point", "size"), "\0\x1b[31m", "size is swept over numbers"),
    ],
)
def test_a_plan_that_contradicts_itself_is_named_beside_the_others(
    place: Place, value: Any, says: str, tmp_path: Path
) -> None:
    sound, wrong = small()
    written(tmp_path / "results", [sound, wrong])
    (plan,) = (tmp_path / "results" / "plans").glob(f"{wrong.plan.spec}*.json")
    changed(plan, place, value)
    index = accelreport.build(tmp_path / "results", tmp_path / "site", specs=None)
    page = index.read_text(encoding="utf-8")
    assert plan.name in page
    assert says in page
    assert (index.parent / f"{sound.plan.spec}.full.html").is_file()


def test_a_key_that_stands_twice_makes_its_document_one_that_is_named(tmp_path: Path) -> None:
    sound = study(devices=("cpu", "gpu"), repeats=2, epochs=2, steps_per_epoch=20)
    first, second, *_ = written(tmp_path / "results", [sound])
    for file, once, twice in (
        (first, '"status":"ok"', '"status":"failed","status":"ok"'),
        (second, '"point":{"batch_size":', '"point":{"batch_size":1,"batch_size":'),
    ):
        text = file.read_text(encoding="utf-8")
        assert once in text
        file.write_text(text.replace(once, twice), encoding="utf-8")
    index = accelreport.build(tmp_path / "results", tmp_path / "site", specs=None)
    page = index.read_text(encoding="utf-8")
    for file, key in ((first, "status"), (second, "batch_size")):
        assert f"{file.name}: it is not JSON: an object has the key “{key}” twice" in page.replace(
            "&#34;", '"'
        ).replace(f'"{key}"', f"“{key}”")
    assert (index.parent / f"{sound.plan.spec}.full.html").is_file()


@pytest.mark.parametrize("how_many", ["one", "all"])
def test_steps_of_no_counted_operation_are_shown_without_a_rate_of_them(
    how_many: str, tmp_path: Path
) -> None:
    # Such as of a model that looks words up and takes their mean.
    training, product = small()
    files = written(tmp_path / "results", [training])
    for file in files[:1] if how_many == "one" else files:
        changed(file, ("flops",), {"per_step": 0, "method": "none", "least_per_step": 0})
    written(tmp_path / "results", [product])
    built = whole(tmp_path)
    page = (built.index.parent / f"{training.plan.spec}.full.html").read_text(encoding="utf-8")
    assert ("GFLOPS" in page) == (how_many == "one")


def test_a_product_without_operations_is_named_and_the_others_are_shown(tmp_path: Path) -> None:
    files = written(tmp_path / "results", small()[1:])
    changed(files[0], ("flops", "per_step"), 0)
    page = whole(tmp_path).index.read_text(encoding="utf-8")
    assert f"{files[0].name}: " in page
    assert "its steps had neither examples nor counted operations" in page
    for file in files[1:]:
        changed(file, ("flops", "per_step"), 0)
    page = whole(tmp_path).index.read_text(encoding="utf-8")
    assert "Nothing has been measured yet" in page


def test_a_figure_of_a_device_that_a_profile_leaves_out_is_shown(tmp_path: Path) -> None:
    training = small()[0]
    row = {"device": "zzz", "label": "Theirs", "epoch_time": 6.0}
    written(tmp_path / "results", [training])
    (plan,) = (tmp_path / "results" / "plans").glob("*.json")
    changed(plan, ("published",), [row])
    built = whole(tmp_path)
    page = (built.index.parent / f"{training.plan.spec}.full.html").read_text(encoding="utf-8")
    assert "zzz" in page
    assert "Theirs" in page


def test_a_row_that_cannot_be_is_left_out_of_its_plan_by_name(tmp_path: Path) -> None:
    training = small()[0]
    written(tmp_path / "results", [training])
    (plan,) = (tmp_path / "results" / "plans").glob("*.json")
    good = {"device": "gpu", "label": "Theirs", "epoch_time": 6.0}
    trend = {"text": "It rises", "check": {"rises": "speedup", "of": "gpu", "along": "zzz"}}
    changed(plan, ("published",), [good | {"epoch_time": 5e-324}, good])
    changed(plan, ("claims",), [trend])
    before = plan.read_bytes()
    built = build(Store(tmp_path / "results"), tmp_path / "site")
    page = built.index.read_text(encoding="utf-8")
    assert f"{plan.name}: row 1 of its `published`: it is not one: published.0.epoch_time" in page
    assert "row 1 of its `claims`: it is not one: Value error, a claim follows" in page
    assert built.unshown == ()
    own = (built.index.parent / f"{training.plan.spec}.full.html").read_text(encoding="utf-8")
    assert "Theirs" in own
    assert plan.read_bytes() == before


def long_label(letters: int) -> str:
    return "a" * letters + "\U0001f600" + "b" * 20


def test_a_published_label_may_have_an_emoji_wherever_it_is_cut(tmp_path: Path) -> None:
    training = small()[0]
    figures = [
        {"device": "gpu", "label": long_label(letters), "epoch_time": 6.0}
        for letters in range(10, 36)
    ]
    written(tmp_path / "results", [training])
    (plan,) = (tmp_path / "results" / "plans").glob("*.json")
    changed(plan, ("published",), figures)
    built = whole(tmp_path)
    page = (built.index.parent / f"{training.plan.spec}.full.html").read_text(encoding="utf-8")
    for letters in range(10, 36):
        assert f">{long_label(letters)}<" in page or long_label(letters)[: letters + 1] in page


def test_a_forecast_that_diverged_leaves_a_gap_and_is_told(tmp_path: Path) -> None:
    training = small()[0]
    said = ["NaN", 2.0, "Infinity", 1.0, 1e308]
    forecast = FORECAST | {"true": [1.0, 2.0, 3.0, 2.0, 1.0], "predicted": said}
    for file in written(tmp_path / "results", [training]):
        changed(file, ("forecasts",), [forecast])
    built = whole(tmp_path)
    page = (built.index.parent / f"{training.plan.spec}.full.html").read_text(encoding="utf-8")
    assert "not finite: diverged." in page


def as_the_command(folder: Path, *options: str) -> Result:
    arguments = ["build", "--results", str(folder / "results"), "--out", str(folder / "site")]
    return CliRunner().invoke(app, [*arguments, *options])


def test_one_figure_that_cannot_be_drawn_says_so_in_its_place_and_the_rest_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A forecast with a number that JSON does not know, as charts once wrote it.
    monkeypatch.setattr(drawing, "drawable", lambda _: True)
    training, product = small()
    forecast = FORECAST | {"true": [1.0, 2.0], "predicted": ["NaN", 2.0]}
    for file in written(tmp_path / "results", [training]):
        changed(file, ("forecasts",), [forecast])
    written(tmp_path / "results", [product])
    for _ in range(2):  # nothing of it is remembered as if it were whole
        ended = as_the_command(tmp_path)
        assert ended.exit_code == ExitCode.NOT_DRAWN, ended.output
        assert f"{training.plan.spec}.full.html: the figure “wind" in ended.stderr.lower()
    page = (tmp_path / "site" / f"{training.plan.spec}.full.html").read_text(encoding="utf-8")
    assert "This figure could not be drawn." in page
    assert "vl_spec" in page
    assert 'id="start-up"' in page
    assert (tmp_path / "site" / f"{product.plan.spec}.full.html").is_file()
    monkeypatch.undo()
    ended = as_the_command(tmp_path)
    assert ended.exit_code == ExitCode.OK, ended.output
    page = (tmp_path / "site" / f"{training.plan.spec}.full.html").read_text(encoding="utf-8")
    assert "could not be drawn" not in page


@pytest.mark.parametrize("options", [(), ("--single-file",), ("--no-cache",)])
def test_an_error_of_ours_ends_the_build_and_leaves_the_site_as_it_was(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training, product = small()
    written(tmp_path / "results", [training])
    assert as_the_command(tmp_path, *options).exit_code == ExitCode.OK
    written(tmp_path / "results", [product])

    def content(place: Path) -> dict[Path, bytes]:
        files = [place] if place.is_file() else place.rglob("*")
        return {path: path.read_bytes() for path in files if path.is_file()}

    before = content(tmp_path / "site")
    title_of = BenchmarkView.title_of

    def refuse(bench: BenchmarkView, device: str) -> str:
        if bench.plan.spec == training.plan.spec:
            raise KeyError("a fault that nobody foresaw")
        return title_of(bench, device)

    monkeypatch.setattr(BenchmarkView, "title_of", refuse)
    ended = as_the_command(tmp_path, *options)
    assert ended.exit_code == ExitCode.INTERNAL
    assert isinstance(ended.exception, KeyError)
    assert content(tmp_path / "site") == before


def whole(folder: Path) -> BuildResult:
    """The site of a folder's results, nothing of which may be left unshown."""
    built = build(Store(folder / "results"), folder / "site")
    assert [str(each) for each in built.unshown] == []
    return built
