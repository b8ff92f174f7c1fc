"""A shortened cell on the files people download."""

from pathlib import Path

import pytest

from accelreport.spec.models import Measure
from tests.support.children import Measures, cell
from tests.support.data import mnist_folder

pytestmark = pytest.mark.e2e


def test_a_shortened_cell_learns_mnist_from_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: Measures
) -> None:
    root, origin = mnist_folder(tmp_path / "data")
    monkeypatch.setenv("ACCELREPORT_DATA", str(root))
    what = cell(
        "image_classification",
        {"train_examples": 6_000, "epochs": 2, "batch_size": 32, "model": "conv32_conv64_conv64"},
        measure=Measure(warmup_steps=20),
    )
    record = measure(what)
    assert record.failure is None
    assert record.data is not None
    assert record.data.origin == origin
    assert len(record.data.files) == 4
    assert record.data.train_examples == 6_000
    assert record.data.validation_examples == 10_000
    assert record.final["val_accuracy"] > 0.85
