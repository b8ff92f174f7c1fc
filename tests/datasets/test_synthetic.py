"""Stand-ins: the published shapes and balance, the same from the same seed, learnable."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from accelreport.datasets import mnist, uci_har
from accelreport.datasets.base import Arrays, Dataset
from accelreport.datasets.cache import drawn
from accelreport.datasets.load import load

SHAPES = {
    "mnist": (
        ("x", "uint8", (60_000, 28, 28), (10_000, 28, 28)),
        ("y", "uint8", (60_000,), (10_000,)),
    ),
    "fashion_mnist": (
        ("x", "uint8", (60_000, 28, 28), (10_000, 28, 28)),
        ("y", "uint8", (60_000,), (10_000,)),
    ),
    "imdb": (
        ("x", "int32", (25_000, 250), (25_000, 250)),
        ("y", "uint8", (25_000,), (25_000,)),
    ),
    "uci_har": (
        ("x", "float32", (7_352, 128, 9), (2_947, 128, 9)),
        ("y", "uint8", (7_352,), (2_947,)),
    ),
    "shakespeare": (("text", "uint8", (1_003_855,), (111_539,)),),
    "shakespeare_gutenberg": (("text", "uint8", (4_950_000,), (550_000,)),),
    "weather_denmark": (
        ("inputs", "float32", (299_776, 20), (33_309, 20)),
        ("targets", "float32", (299_776, 3), (33_309, 3)),
    ),
    "beijing_pm25": (
        ("inputs", "float32", (39_398, 13), (4_378, 13)),
        ("targets", "float32", (39_398, 3), (4_378, 3)),
    ),
}  # fmt: skip
"""Arrays of each stand-in: name, dtype, shapes of training and validation."""


@pytest.fixture(scope="module", autouse=True)
def nothing_was_drawn_before(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Stand-ins are drawn here, and not taken from what other tests left."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACCELREPORT_CACHE", str(tmp_path_factory.mktemp("stand-ins")))
        yield


@functools.cache
def made(name: str) -> Dataset:
    """A stand-in, drawn once for all tests."""
    return load(name, mode="synthetic", seed=0)


@pytest.mark.parametrize("name", SHAPES)
def test_a_stand_in_has_the_published_form_and_says_what_it_is(name: str) -> None:
    data = made(name)
    assert data.origin == "synthetic"
    assert data.seed == 0
    assert data.files == {}
    assert "stand-in" in data.note
    assert set(data.train) == {array[0] for array in SHAPES[name]}
    for array, dtype, train, validation in SHAPES[name]:
        for part, shape in ((data.train, train), (data.validation, validation)):
            assert part[array].dtype == np.dtype(dtype)
            assert part[array].shape == shape
            assert np.isfinite(part[array]).all()


@pytest.mark.parametrize("name", ["mnist", "imdb", "uci_har", "shakespeare", "beijing_pm25"])
def test_the_same_seed_gives_the_same_stand_in_and_another_seed_another(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = made(name)
    monkeypatch.setenv("ACCELREPORT_CACHE", str(tmp_path))  # where none is kept yet
    assert load(name, mode="synthetic", seed=0).fingerprint == first.fingerprint
    assert load(name, mode="synthetic", seed=1).fingerprint != first.fingerprint


def test_a_stand_in_is_drawn_once_and_again_after_damage_or_a_change_of_the_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACCELREPORT_CACHE", str(tmp_path))
    source, values = tmp_path / "draws.py", np.arange(6, dtype=np.uint8).reshape(2, 3)
    source.write_text("one way")
    draws: list[str] = []

    def draw() -> Arrays:
        draws.append(source.read_text())
        return {"0/x": values}

    def kept() -> Path:
        """What lies in the cache after another call."""
        found = drawn("some", 7, source, draw)["0/x"]
        assert found.dtype == values.dtype
        assert np.array_equal(found, values)
        (file,) = (tmp_path / "stand-ins").iterdir()
        return file

    first = kept()
    assert kept() == first
    assert draws == ["one way"]
    first.write_bytes(first.read_bytes()[:-1] + b"!")
    kept()
    source.write_text("another way")
    assert kept() != first, "and only the newer one is left"
    kept()
    assert draws == ["one way", "one way", "another way"]
    drawn("some", 8, source, draw)
    assert len(draws) == 4, "another seed is another stand-in"


def test_classes_are_as_many_as_in_the_published_files() -> None:
    for name in ("mnist", "fashion_mnist"):
        data = made(name)
        for part, counts in zip((data.train, data.validation), mnist.COUNTS[name], strict=True):
            assert np.bincount(part["y"]).tolist() == list(counts)
    data = made("uci_har")
    for part, windows in zip((data.train, data.validation), uci_har.COUNTS, strict=True):
        assert np.bincount(part["y"]).tolist() == list(windows)
    data = made("imdb")
    for part in (data.train, data.validation):
        assert np.bincount(part["y"]).tolist() == [12_500, 12_500]


def test_validation_is_not_a_copy_of_training() -> None:
    for name in ("mnist", "imdb", "uci_har"):
        data = made(name)
        seen = {row.tobytes() for row in data.train["x"]}
        assert not any(row.tobytes() in seen for row in data.validation["x"])


def nearest_mean(data: Dataset, examples: int) -> float:
    """Accuracy of the nearest class mean, fitted on the first examples."""
    x = data.train["x"][:examples].reshape(examples, -1).astype(np.float64)
    y = data.train["y"][:examples]
    means = np.stack([x[y == label].mean(axis=0) for label in range(len(data.classes))])
    test = data.validation["x"][:2000].reshape(2000, -1).astype(np.float64)
    distance = (means**2).sum(axis=1) - 2 * test @ means.T
    return float((distance.argmin(axis=1) == data.validation["y"][:2000]).mean())


@pytest.mark.parametrize("name", ["mnist", "fashion_mnist"])
def test_images_can_be_learnt_but_not_by_a_mean(name: str) -> None:
    accuracy = nearest_mean(made(name), 5000)
    assert 0.3 < accuracy < 0.9


def test_movements_can_be_learnt_from_simple_features_but_not_wholly() -> None:
    data = made("uci_har")

    def features(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x.mean(axis=1), 3 * np.log(x.std(axis=1))], axis=1)

    simple = Dataset(
        "", {**data.train, "x": features(data.train["x"])},
        {**data.validation, "x": features(data.validation["x"])}, data.classes, "synthetic", {}, "",
    )  # fmt: skip
    assert 0.6 < nearest_mean(simple, 7352) < 0.97


def test_reviews_can_be_told_by_their_words_about_as_well_as_real_ones() -> None:
    data = made("imdb")
    x, y = data.train["x"], data.train["y"]
    counts = [np.bincount(x[y == label].ravel(), minlength=15_000) + 1.0 for label in (0, 1)]
    lean = np.log(counts[1] / counts[1].sum()) - np.log(counts[0] / counts[0].sum())
    lean[:3] = 0
    right = (lean[data.validation["x"]].sum(axis=1) > 0) == data.validation["y"]
    assert 0.82 < right.mean() < 0.92  # on the real reviews it is .82


@pytest.mark.parametrize("name", ["weather_denmark", "beijing_pm25"])
def test_series_can_be_forecast_in_part(name: str) -> None:
    data = made(name)
    x, y = data.train["inputs"], data.train["targets"]
    ones = np.ones((len(x), 1))
    weights = np.linalg.lstsq(np.concatenate([x, ones], axis=1), y, rcond=None)[0]
    later = data.validation
    guess = np.concatenate([later["inputs"], np.ones((len(later["inputs"]), 1))], 1) @ weights
    unexplained = ((guess - later["targets"]) ** 2).mean(0) / later["targets"].var(0)
    assert (unexplained < 0.95).all()
    assert (unexplained > 0.05).all()
