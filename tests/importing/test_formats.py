"""Each format says what its makers' tools write, and nothing that they do not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from accelreport.importing import WhichEpoch
from accelreport.importing.reader import Asked, NotAsked, Unreadable
from tests.importing.files import a_file, read, rows

AXES = {"batch_size": (256, 512), "optimizer.learning_rate": (1e-3, 0.1), "fused": (True, False)}


# Tables of figures ----------------------------------------------------------------------------


def test_a_swept_key_is_the_value_that_the_spec_sweeps(tmp_path: Path) -> None:
    path = a_file(
        tmp_path,
        "label,batch_size,where.optimizer.learning_rate,fused,epoch_time\nx,256,0.001,true,6\n",
    )
    (row,) = rows(path, Asked(AXES))
    assert row.published.where == {
        "batch_size": 256,
        "optimizer.learning_rate": 0.001,
        "fused": True,
    }
    assert [type(value) for value in row.published.where.values()] == [int, float, bool]


def test_a_column_that_means_nothing_is_named_with_what_was_meant(tmp_path: Path) -> None:
    path = a_file(tmp_path, "label,epochtime,loss\nx,6,1\n")
    with pytest.raises(Unreadable, match='"epochtime" is neither a key of') as caught:
        rows(path, Asked(AXES))
    assert caught.value.remedy == "Did you mean `epoch_time`?"
    (row,) = rows(path, Asked(AXES, frozenset({"epochtime"})))
    assert row.published.figures() == {"loss": 1.0}
    with pytest.raises(NotAsked, match="--leave-out nothing"):
        rows(path, Asked(AXES, frozenset({"nothing"})))


def test_without_a_spec_every_other_column_is_a_swept_key(tmp_path: Path) -> None:
    path = a_file(tmp_path, "label,batch_size,model,epoch_time\nx,256,small,6\n")
    assert rows(path)[0].published.where == {"batch_size": 256, "model": "small"}


def test_a_speedup_says_what_it_compares_and_at_which_other_point(tmp_path: Path) -> None:
    """The TPU's epoch at its batch over the GPU's at another, in CSV and in nested JSON."""
    table = (
        "label,batch_size,speedup,over,over_where.batch_size,quantity\nx,512,4,gpu,256,epoch_time\n"
    )
    nested = (
        '[{"label": "x", "where": {"batch_size": 512}, "speedup": 4, "over": "gpu",'
        ' "over_where": {"batch_size": 256}, "quantity": "epoch_time"}]'
    )
    for name, content in (("one.csv", table), ("one.json", nested)):
        (row,) = rows(a_file(tmp_path, content, name), Asked(AXES))
        found = row.published
        assert (found.speedup, found.over, found.quantity) == (4, "gpu", "epoch_time")
        assert (found.where, found.over_where) == ({"batch_size": 512}, {"batch_size": 256})
        assert type(found.over_where["batch_size"]) is int


def test_a_row_may_cite_another_piece_than_the_command_line(tmp_path: Path) -> None:
    path = a_file(
        tmp_path,
        "label,epoch_time,source.title,source.year,source.doi\n"
        "x,6,Another page,2021,10.1145/123\ny,7,,,\n",
    )
    first, second = (row.published.source for row in rows(path))
    assert first is not None
    assert second is not None
    assert (first.title, first.year, first.url) == (
        "Another page",
        2021,
        "https://doi.org/10.1145/123",
    )
    assert (second.title, second.year) == ("A page", 2018)


def test_numbers_keep_the_digits_they_were_printed_with(tmp_path: Path) -> None:
    path = a_file(tmp_path, '[{"label": "x", "tflops": 15.70, "loss": 1E-7}]', "figures.json")
    (row,) = rows(path)
    assert "tflops = 15.70\n" in row.text
    assert row.published.figures() == {"loss": 1e-7, "tflops": 15.7}


def test_a_selection_that_fits_nothing_says_what_there_is(tmp_path: Path) -> None:
    path = a_file(tmp_path, "label,total_time\nA GPU,1 min\nA TPU,2 min\n")
    (one,) = rows(path, label="a tpu")
    assert one.published.total_time == 120.0
    with pytest.raises(NotAsked, match="--select label=A CPU: no row is left") as caught:
        rows(path, label="A CPU")
    assert caught.value.remedy == 'The values are "A GPU" and "A TPU".'
    with pytest.raises(NotAsked, match="no such column"):
        rows(path, labels="A GPU")


# optimum-benchmark ----------------------------------------------------------------------------


def _target(mean: float, rate: float | None = None, unit: str = "samples/s") -> dict[str, Any]:
    throughput = None if rate is None else {"unit": unit, "value": rate}
    latency = {"unit": "s", "values": [mean], "count": 1, "mean": mean, "p50": mean, "stdev": 0}
    return {"memory": None, "latency": latency, "throughput": throughput, "energy": None}


REPORT = {
    "load_model": _target(15.6),
    "first_generate": _target(3.0, 0.33),
    "generate": _target(2.0, 0.5),
    "decode": _target(1.9, 52.0, "tokens/s"),
}


def test_a_report_is_one_row_for_each_target_that_has_a_time_of_a_sample(tmp_path: Path) -> None:
    path = a_file(tmp_path, json.dumps(REPORT), "benchmark_report.json")
    (row,) = rows(path)
    assert row.published.figures() == {"sample_time": 2.0}
    assert "generate, which does not train" in row.published.note
    assert not row.published.comparable
    (said,) = read(path).left_out
    assert said.startswith('"load_model", "first_generate", "decode": neither')


def test_a_report_with_its_configuration_says_what_was_measured_on_what(tmp_path: Path) -> None:
    document = {
        "config": {
            "backend": {"name": "pytorch", "model": "bert", "device": "cuda"},
            "scenario": {"input_shapes": {"batch_size": 64}},
            "environment": {"cpu": " A CPU", "gpu": ["Tesla T4"]},
        },
        "report": {
            "overall": _target(0.3, 200.0),
            "warmup": _target(0.9, 70.0),
            "train": _target(0.25, 256.0),
        },
    }
    path = a_file(tmp_path, json.dumps(document), "benchmark.json")
    (found,) = read(path).rows
    assert found.name == "bert, Tesla T4, pytorch, batch 64: train"
    assert found.facts["target"] == "train"
    (row,) = rows(path)
    assert row.published.figures() == {"step_time": 0.25, "sample_time": 1 / 256}


# Keras ----------------------------------------------------------------------------------------

HISTORY = {
    "loss": [0.9, 0.4, 0.3],
    "sparse_categorical_accuracy": [0.7, 0.9, 0.93],
    "val_loss": [0.5, 0.35, 0.45],
    "learning_rate": [0.001, 0.001, 0.0005],
}


def test_a_history_is_its_last_epoch_or_its_best(tmp_path: Path) -> None:
    path = a_file(tmp_path, json.dumps(HISTORY), "history.json")
    (last,) = rows(path)
    assert last.published.figures() == {"accuracy": 0.93, "loss": 0.3, "val_loss": 0.45}
    (best,) = rows(path, Asked(take=WhichEpoch.BEST))
    assert best.published.figures() == {"accuracy": 0.9, "loss": 0.4, "val_loss": 0.35}
    assert best.published.note.endswith("these are of epoch 2, the best by val_loss.")
    assert list(read(path).left_out) == ['"learning_rate": not figures of a spec']


SAVED = {"accuracy": [0.5, 0.7, 0.6], "loss": [0.9, 0.4, 0.3], "val_loss": [0.8, 0.5, 0.6]}
BY_EPOCH = [dict(zip(SAVED, values, strict=True)) for values in zip(*SAVED.values(), strict=True)]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(SAVED),
        json.dumps({"history": SAVED, "epoch": [0, 1, 2], "params": {"epochs": 3}}),
        json.dumps({key: {str(i): v for i, v in enumerate(SAVED[key])} for key in SAVED}),
        json.dumps(BY_EPOCH),
        json.dumps([{"epoch": i, **row} for i, row in enumerate(BY_EPOCH, 1)]),
        pd.DataFrame(SAVED).to_csv(),
        pd.DataFrame(SAVED).to_csv(index=False),
        pd.DataFrame(SAVED).to_csv(index_label="epoch"),
        pd.DataFrame({**SAVED, "lr": 0.1, "auc": 1, "val_auc": 1}).to_csv(index=False),
        pd.DataFrame({**SAVED, "precision": 0.5}).to_csv(index_label="Unnamed: 0"),
    ],
)
def test_a_history_is_one_row_however_it_was_saved(content: str, tmp_path: Path) -> None:
    path = a_file(tmp_path, content, "history.json" if content[0] in "[{" else "history.csv")
    (last,) = rows(path)
    assert last.published.figures() == {"accuracy": 0.6, "loss": 0.3, "val_loss": 0.6}
    (best,) = rows(path, Asked(take=WhichEpoch.BEST))
    assert best.published.figures() == {"accuracy": 0.7, "loss": 0.4, "val_loss": 0.5}


@pytest.mark.parametrize(
    ("content", "last", "best"),
    [
        ('{"loss": [5, 4, 3, 2, 1], "val_loss": [8, 9]}', (1, 9), (4, 8)),
        ("epoch,loss,val_loss\n0,5,NA\n1,4,8\n2,3,NA\n3,2,9\n4,1,NA\n", (1, 9), (4, 8)),
    ],
)
def test_with_validation_freq_the_last_validation_counts_and_its_epoch_is_named(
    content: str, last: tuple[int, int], best: tuple[int, int], tmp_path: Path
) -> None:
    path = a_file(tmp_path, content, "history")
    (row,) = rows(path)
    assert row.published.figures() == {"loss": last[0], "val_loss": last[1]}
    assert row.published.note.endswith("these are of the last. val_loss is of epoch 4.")
    (row,) = rows(path, Asked(take=WhichEpoch.BEST))
    assert row.published.figures() == {"loss": best[0], "val_loss": best[1]}


def test_a_table_of_figures_with_losses_is_no_history(tmp_path: Path) -> None:
    path = a_file(tmp_path, ",batch_size,loss,val_loss\n0,256,1,2\n1,512,3,4\n")
    assert [row.published.where for row in rows(path)] == [{"batch_size": 256}, {"batch_size": 512}]


def test_a_loss_that_diverged_is_left_out_and_told(tmp_path: Path) -> None:
    path = a_file(
        tmp_path, json.dumps({"loss": [1.0, float("nan")], "accuracy": [0.5, 0.1]}), "history.json"
    )
    assert rows(path)[0].published.figures() == {"accuracy": 0.1}
    assert list(read(path).left_out) == ['"loss": not a number']


LOG = "epoch,accuracy,loss,val_accuracy,val_loss,{}\n0,0.5,2,NA,NA,{}\n1,0.75,1,NA,NA,{}\n"


@pytest.mark.parametrize(
    ("column", "values", "asked"),
    [
        ("epoch_time", ("9", "6"), Asked()),
        ("elapsed", ("9", "15"), Asked()),
        ("time", ("9", "6"), Asked(time_column="time")),
        ("time", ("9", "15"), Asked(elapsed_column="time")),
    ],
)
def test_times_of_epochs_are_read_from_a_column_that_says_so(
    column: str, values: tuple[str, str], asked: Asked, tmp_path: Path
) -> None:
    path = a_file(tmp_path, LOG.format(column, *values), "training.csv")
    (row,) = rows(path, asked)
    times = {"first_epoch_time": 9.0, "epoch_time": 6.0, "total_time": 15.0}
    assert row.published.figures() == times | {"accuracy": 0.75, "loss": 1.0}
    assert row.published.mark == "D"


def test_a_time_that_could_be_either_is_left_out_and_asked_about(tmp_path: Path) -> None:
    path = a_file(tmp_path, LOG.format("time", "9", "15"), "training.csv")
    assert rows(path)[0].published.figures() == {"accuracy": 0.75, "loss": 1.0}
    assert "--time-column time" in read(path).left_out[-1]


def test_two_trainings_in_one_log_are_not_taken_for_one(tmp_path: Path) -> None:
    text = LOG.format("epoch_time", "9", "6")
    path = a_file(tmp_path, text + text.partition("\n")[2], "training.csv")
    with pytest.raises(Unreadable, match=r'training\.csv:4: the epoch "0" does not follow 1'):
        rows(path)


def test_elapsed_times_that_do_not_grow_are_refused(tmp_path: Path) -> None:
    path = a_file(tmp_path, LOG.format("elapsed", "9", "6"), "training.csv")
    with pytest.raises(Unreadable, match='"elapsed" does not hold times that grow'):
        rows(path)


def test_several_accuracies_are_not_chosen_among(tmp_path: Path) -> None:
    path = a_file(tmp_path, json.dumps({"acc": [0.5], "binary_accuracy": [0.6]}), "history.json")
    with pytest.raises(NotAsked, match='There are "acc" and "binary_accuracy"'):
        rows(path)
    (row,) = rows(path, Asked(leave_out=frozenset({"binary_accuracy"})))
    assert row.published.accuracy == 0.5


TRAINED = """
import json, keras, numpy as np
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse", metrics=["accuracy"])
log = keras.callbacks.CSVLogger("log.csv")
points, targets = np.zeros((8, 2), "float32"), np.ones((8, 1), "float32")
done = model.fit(points, targets, validation_split=0.5, epochs=2, verbose=0, callbacks=[log])
json.dump(done.history, open("history.json", "w"))
"""


@pytest.mark.e2e
def test_what_keras_itself_writes_is_read(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", TRAINED], cwd=tmp_path, check=True, timeout=1200)
    (logged,) = rows(tmp_path / "log.csv")
    (recorded,) = rows(tmp_path / "history.json")
    history = json.loads((tmp_path / "history.json").read_text())
    assert recorded.published.figures() == {
        "accuracy": history["accuracy"][-1],
        "val_accuracy": history["val_accuracy"][-1],
        "loss": history["loss"][-1],
        "val_loss": history["val_loss"][-1],
    }
    assert logged.published.figures() == pytest.approx(recorded.published.figures())
