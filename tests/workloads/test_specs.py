"""The specs of the systems say what their sources did, and what their sources printed."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from accelreport.loader.load import load
from accelreport.spec.cells import Spec
from accelreport.spec.models import FIGURES, Published

SPECS = Path(__file__).parents[2] / "specs"


def spec(name: str, profile: str | None = None) -> Spec:
    (found,) = load([SPECS / f"{name}.toml"], profile=profile).specs
    return found


WORK: dict[str, dict[str, Any]] = {
    "mnist_cnn": {"model": "conv32_conv64_conv64", "epochs": 10, "steps_per_epoch": 60},
    "mnist_gorner": {"model": "conv12_conv24_conv32", "epochs": 10, "steps_per_epoch": 117},
    "fashion_mnist": {
        "model": "conv64_conv128_conv256",
        "scale_pixels": False,
        "epochs": 15,
        "steps_per_epoch": 100,
        "batch_size": 512,
    },
    "imdb_lstm": {"words": 15000, "length": 250, "embedding": 32, "units": 100, "epochs": 20},
    "har_sample": {"model": "bilstm128_bilstm128_lstm64", "epochs": 30, "batch_size": 64},
    "weather_gru": {
        "window": 1344,
        "ignored_steps": 50,
        "units": 512,
        "epochs": 10,
        "steps_per_epoch": 10,
        "batch_size": 256,
        "restore_best_weights": True,
    },
    "shakespeare": {
        "length": 100,
        "embedding": 512,
        "units": 512,
        "layers": 2,
        "batch_size": 1024,
        "epochs": 10,
        "steps_per_epoch": 100,
        "texts": 5,
        "characters": 250,
    },
}


@pytest.mark.parametrize("name", WORK)
def test_a_system_does_the_work_of_its_source(name: str) -> None:
    workload = spec(name).workload
    assert {key: workload[key] for key in WORK[name]} == WORK[name]
    assert workload["data"] == "real"
    assert list(spec(name).devices) == ["cpu", "gpu", "tpu"]


AXES: dict[str, dict[str, list[Any]]] = {
    "mnist_cnn": {"batch_size": [1024, 8192]},
    "imdb_lstm": {"kernel": ["default", "no_cudnn", "hard_sigmoid"]},
    "har_sweep": {
        "layers": [1, 2, 3],
        "units": [32, 64, 128, 256],
        "batch_size": [64, 128],
    },
}


@pytest.mark.parametrize("name", AXES)
def test_a_sweep_has_the_points_of_its_source(name: str) -> None:
    assert spec(name).axes == AXES[name]


SHIPPED = [found for found in load([SPECS]).specs if found.published]
QUOTED = tomllib.loads((SPECS / "sources" / "quotations.toml").read_text(encoding="utf-8"))
Quoted = tuple[str, str, str, str, bool]
"""Spec, source, device, figure, and whether it stands in the piece behind the source."""


def digits(text: object) -> set[float]:
    """Every number of a text."""
    return {float(number) for number in re.findall(r"\d+(?:\.\d+)?", str(text))}


def values(each: dict[str, Any]) -> dict[str, set[float]]:
    """The figures of a quotation, in SI units and fractions."""
    found: dict[str, set[float]] = {}
    for figure in FIGURES:
        for text in each.get(figure, ()):
            assert digits(text) <= digits(each["words"]), (text, each["words"])
            row = {"device": each["device"], "label": "quoted", figure: text}
            found.setdefault(figure, set()).add(Published.model_validate(row).figures()[figure])
    return found


def quoted() -> dict[Quoted, set[float]]:
    """What sources printed, in SI units and fractions."""
    found: dict[Quoted, set[float]] = {}
    for each in QUOTED["quotation"]:
        for figure, printed in values(each).items():
            key = (each["spec"], each["source"], each["device"], figure, "original" in each)
            found.setdefault(key, set()).update(printed)
    return found


@pytest.mark.parametrize("found", SHIPPED, ids=lambda found: found.name)
def test_a_figure_marked_as_printed_stands_in_a_quotation_of_its_source(found: Spec) -> None:
    printed = quoted()
    for row in found.published:
        source = row.source or found.source
        assert source is not None
        for figure, value in row.figures().items() if row.mark != "D" else ():
            key = (found.name, source.title, row.device, figure, row.mark == "O")
            assert value in printed.get(key, ()), f"nobody printed {figure} {value} of {row.label}"


@pytest.mark.parametrize("found", SHIPPED, ids=lambda found: found.name)
def test_a_derived_figure_says_from_what(found: Spec) -> None:
    for row in found.published:
        assert row.mark != "D" or re.search(r"[Dd]erived|=", row.note)


def test_every_quotation_is_of_a_source_that_a_spec_names_and_is_shown_there() -> None:
    shown = {
        (found.name, source.title, row.device, figure, row.mark == "O")
        for found in SHIPPED
        for row in found.published
        if row.mark != "D" and (source := row.source or found.source)
        for figure in row.figures()
    }
    assert set(quoted()) == shown
    assert all(each["place"] and each["words"] for each in QUOTED["quotation"])


def test_a_row_of_another_network_is_not_compared_with_this_one() -> None:
    """A source's network is told apart by its number of parameters, where it prints one."""
    for each in (each for each in QUOTED["quotation"] if "parameters" in each):
        found, printed = spec(each["spec"]), values(each)
        assert digits(each["parameters"]) <= digits(each["words"])
        rows = [
            row
            for row in found.published
            if row.device == each["device"]
            and all(value in printed.get(name, ()) for name, value in row.figures().items())
        ]
        own = f"{each['parameters']} parameters" in found.description
        assert rows, each["words"]
        assert all(row.comparable is own for row in rows), each["words"]


def test_one_piece_has_one_address_and_one_author_wherever_it_is_named() -> None:
    sources = [source for found in load([SPECS]).specs for source in [found.source] if source]
    sources += [row.source for found in SHIPPED for row in found.published if row.source]
    for title in {source.title for source in sources}:
        alike = [source for source in sources if source.title == title]
        assert all(source.url for source in alike), title
        assert len({source.url for source in alike}) == 1, title
        # "; the notebook is by …" follows the author of the piece itself.
        assert len({source.authors.partition(";")[0] for source in alike}) == 1, title


def test_what_is_not_comparable_says_why() -> None:
    for name in (*WORK, "har_sweep", "beijing_gru", "mnist_deploy"):
        for row in spec(name).published:
            assert row.comparable or row.note


NO_SAMPLE = {"imdb", "weather_denmark"}
"""Data sets whose licences do not say that a part of them may be passed on."""

QUICK = (
    *WORK, "har_sweep", "beijing_gru", "mnist_deploy", "har_strategies", "precision_cnn",
    "precision_lstm",
)  # fmt: skip


@pytest.mark.parametrize("name", QUICK)
def test_the_quick_profile_learns_without_a_download_in_little_time(
    name: str,
) -> None:
    quick = spec(name, "quick")
    assert len([cell for cell in quick.cells if cell.device == "cpu"]) <= 4
    for cell in quick.cells:
        own = NO_SAMPLE.isdisjoint({cell.workload["dataset"]})
        assert cell.workload["data"] == ("sample" if own else "synthetic")
        assert cell.workload["epochs"] >= 4
        assert cell.measure.budget <= 30
        steps = cell.workload["epochs"] * cell.workload["steps_per_epoch"]
        assert steps <= 150 or steps * cell.workload["batch_size"] <= 5120
        assert cell.measure.warmup_steps < steps


def test_a_first_report_starts_few_processes_where_there_is_only_a_cpu() -> None:
    """A process takes two to three seconds before its first steady step, whatever it then does."""
    found = [each for each in load([SPECS], profile="quick").specs if not each.only_named]
    cells = [
        cell for each in found for cell in each.cells if each.devices[cell.device].kind == "CPU"
    ]
    assert len({cell.spec for cell in cells}) == len(found), "every system has a page with a time"
    assert len(cells) <= 47
