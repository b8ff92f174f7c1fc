"""Each format says what its makers' tools write, and nothing that they do not."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

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


# MLPerf ---------------------------------------------------------------------------------------

TRAINING = (
    "division,availability,submitter,system,number_of_nodes,host_processor_model_name,"
    "host_processors_count,accelerator_model_name,accelerators_count,framework,notes,bert,resnet,"
    "details_url,code_url\n"
    "closed,cloud,Lab,n1,1,CPU,2,Chip,8,TF,,,29.37418888888889,https://e.org/1,https://e.org/c\n"
    "open,cloud,Lab,n2,2,CPU,4,Chip,16,TF,,3.5,14.25,https://e.org/2,https://e.org/c\n"
)


def test_a_training_summary_is_minutes_to_the_target(tmp_path: Path) -> None:
    path = a_file(tmp_path, TRAINING, "summary.csv")
    found = rows(path)
    assert [row.published.total_time for row in found] == pytest.approx(
        [29.37418888888889 * 60, 210.0, 855.0]
    )
    assert found[0].published.label == "Theirs: resnet on Lab n1 (8 × Chip, TF)"
    assert all(not row.published.comparable for row in found)
    assert "closed division" in found[0].published.note
    (one,) = rows(path, benchmark="bert")
    assert one.published.label == "Theirs"
    (other,) = rows(path, benchmark="ResNet", system="n2")
    assert other.published.total_time == 855.0


def test_the_json_of_a_training_summary_says_the_same(tmp_path: Path) -> None:
    records = list(csv.DictReader(TRAINING.splitlines()))
    for record in records:
        for key in ("bert", "resnet"):
            record[key] = json.loads(record[key] or "null")
    path = a_file(tmp_path, json.dumps(records), "summary.json")
    same = rows(a_file(tmp_path, TRAINING, "summary.csv"))
    assert [row.published.figures() for row in rows(path)] == [
        row.published.figures() for row in same
    ]


def test_a_selection_that_fits_nothing_says_what_there_is(tmp_path: Path) -> None:
    path = a_file(tmp_path, TRAINING, "summary.csv")
    with pytest.raises(NotAsked, match="--select benchmark=ssd: no row is left") as caught:
        rows(path, benchmark="ssd")
    assert caught.value.remedy == 'The values are "resnet" and "bert".'
    with pytest.raises(NotAsked, match="no such column"):
        rows(path, benchmarks="resnet")


INFERENCE_COLUMNS = (
    "Organization,Availability,Division,SystemType,SystemName,Platform,Model,MlperfModel,Scenario,"
    "Result,Accuracy,number_of_nodes,host_processor_model_name,host_processors_per_node,"
    "host_processor_core_count,accelerator_model_name,accelerators_per_node,Location,framework,"
    "operating_system,notes,compilance,errors,version,inferred,has_power,Units"
)


def _inference(scenario: str, result: str, unit: str) -> str:
    row = dict.fromkeys(INFERENCE_COLUMNS.split(","), "")
    row |= {"Organization": "Lab", "SystemName": '"n4 (4x Chip, RT)"', "MlperfModel": "resnet"}
    row |= {"Scenario": scenario, "Result": result, "Units": unit, "version": "v3.0"}
    return ",".join(row.values())


def test_an_inference_summary_is_the_time_of_a_sample(tmp_path: Path) -> None:
    lines = [
        INFERENCE_COLUMNS,
        _inference("Offline", "160000.0", "Samples/s"),
        _inference("Server", "140007.0", "Queries/s"),
        _inference("SingleStream", "0.42", "Latency (ms)"),
        _inference("MultiStream", "0.9", "Latency (ms)"),
        _inference("Offline", "512.5", "Watts"),
        _inference("Offline", "2500", "Tokens/s"),
        _inference("Offline", "None", "Samples/s"),
    ]
    path = a_file(tmp_path, "\n".join(lines), "summary.csv")
    found = rows(path)
    assert [row.published.sample_time for row in found] == pytest.approx(
        [1 / 160000, 1 / 140007, 0.42e-3], rel=1e-11
    )
    assert [row.published.mark for row in found] == ["D", "D", "S"]
    assert "no training" in found[0].published.note
    assert found[0].published.label == "Theirs: resnet Offline on Lab n4 (4x Chip, RT)"
    assert list(read(path).left_out) == [
        '1 row: a query of "MultiStream" has several samples',
        '1 row: a spec has no figure in "Watts"',
        '1 row: a spec has no figure in "Tokens/s"',
        "1 row: there is no result",
    ]


def test_an_inference_summary_without_units_is_refused(tmp_path: Path) -> None:
    columns = INFERENCE_COLUMNS.removesuffix(",Units")
    path = a_file(tmp_path, f"{columns}\n{'x,' * columns.count(',')}x\n")
    with pytest.raises(Unreadable, match="not a summary of MLPerf Inference with units"):
        rows(path)


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
    assert last.published.figures() == {"accuracy": 0.93, "loss": 0.3}
    (best,) = rows(path, Asked(take=WhichEpoch.BEST))
    assert best.published.figures() == {"accuracy": 0.9, "loss": 0.4}
    assert best.published.note.endswith("these are of epoch 2, the best by val_loss.")
    assert list(read(path).left_out) == ['"val_loss", "learning_rate": not figures of a spec']


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
    }
    assert logged.published.figures() == pytest.approx(recorded.published.figures())
