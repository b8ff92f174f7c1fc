"""Whether our loop learns what plain Keras learns, on the same data.

For each system the product trains three seeds through `accelreport run`, and an independent
script trains the same network three times with `model.fit`, each run in a process of its own.
The script shares only the arrays with us: layers, loss, optimiser and order of batches are
Keras' own. Both print the validation accuracy after the last epoch.

    ACCELREPORT_DATA=FOLDER python benchmarks/keras_agreement.py [--systems S3 S1 S4] [--seeds 3]

Agreement means that the 95 % interval of the difference of means (Welch, 1947) holds zero.
Needs the real data sets; nothing is replaced by a stand-in.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SPECS = Path(__file__).resolve().parent.parent / "specs"


@dataclass(frozen=True)
class System:
    """A system of the catalogue.

    Attributes:
        title: what it is.
        spec: the spec that holds it, and what picks one cell of it.
        epochs: epochs both train.
        batch: examples a step.
        dataset: name and options of the arrays.
    """

    title: str
    spec: str
    options: tuple[str, ...]
    epochs: int
    batch: int
    dataset: str
    dataset_options: dict[str, Any]


SYSTEMS = {
    "S3": System(
        "MNIST CNN, batch 256",
        "mnist_batch_sweep",
        ("--filter", "batch_size=256"),
        4,
        256,
        "mnist",
        {},
    ),
    "S1": System(
        "IMDB LSTM, batch 64",
        "imdb_lstm",
        ("--filter", "kernel=default"),
        3,
        64,
        "imdb",
        {"num_words": 15000, "length": 250},
    ),
    "S4": System("UCI HAR, the sample model, batch 64", "har_sample", (), 4, 64, "uci_har", {}),
}
"""The systems, by the names of the catalogue."""


def layers_of(name: str) -> list[Any]:
    """The network, written down again from the catalogue with Keras' layers."""
    from keras import Input, layers

    if name == "S3":
        return [
            Input((28, 28, 1)),
            layers.Conv2D(64, 2, padding="same", activation="relu"),
            layers.MaxPooling2D(2),
            layers.Dropout(0.3),
            layers.Conv2D(32, 2, padding="same", activation="relu"),
            layers.MaxPooling2D(2),
            layers.Dropout(0.3),
            layers.Flatten(),
            layers.Dense(256, activation="relu"),
            layers.Dropout(0.5),
            layers.Dense(10, activation="softmax"),
        ]
    if name == "S1":
        return [
            Input((250,)),
            layers.Embedding(15000, 32),
            layers.LSTM(100),
            layers.Dense(1, activation="sigmoid"),
        ]
    return [
        Input((128, 9)),
        layers.Bidirectional(layers.LSTM(128, return_sequences=True)),
        layers.Bidirectional(layers.LSTM(128, return_sequences=True)),
        layers.LSTM(64),
        layers.Dense(6, activation="softmax"),
    ]


def fit(name: str, seed: int) -> float:
    """Validation accuracy after the last epoch of plain Keras."""
    import keras
    import numpy as np

    from accelreport.datasets.load import load

    system = SYSTEMS[name]
    data = load(system.dataset, mode="real", options=system.dataset_options)
    pairs = []
    for part in (data.train, data.validation):
        inputs, labels = np.asarray(part["x"]), np.asarray(part["y"])
        if name == "S3":
            inputs = inputs.reshape(-1, 28, 28, 1).astype("float32") / 255
        pairs.append((inputs, labels))
    keras.utils.set_random_seed(seed)
    model = keras.Sequential(layers_of(name))
    loss = "binary_crossentropy" if name == "S1" else "sparse_categorical_crossentropy"
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss=loss, metrics=["accuracy"])
    train, validation = pairs
    history = model.fit(
        *train,
        validation_data=validation,
        batch_size=system.batch,
        epochs=system.epochs,
        verbose=0,
    )
    print("epochs:", *(f"{value:.4f}" for value in history.history["val_accuracy"]))
    return float(history.history["val_accuracy"][-1])


def ours(name: str, seeds: int, folder: Path) -> list[float]:
    """Validation accuracies after the last epoch of the product's own runs."""
    system = SYSTEMS[name]
    command = [sys.executable, "-m", "accelreport", "run", str(SPECS / f"{system.spec}.toml")]
    command += ["--device", "cpu", *system.options, "--results", str(folder), "--data", "real"]
    command += ["--set", f"workload.epochs={system.epochs}", "--set", f"measure.repeats={seeds}"]
    subprocess.run([*command, "--budget", "50m", "--quiet"], check=True)
    records = [json.loads(path.read_text()) for path in sorted(folder.rglob("*.json"))]
    return [final_accuracy(record) for record in records if record.get("status") == "ok"]


def final_accuracy(record: dict[str, Any]) -> float:
    """The last epoch's validation accuracy of a record."""
    return float(record["epochs"][-1]["metrics"]["val_accuracy"])


def welch(ours: list[float], theirs: list[float]) -> tuple[float, float]:
    """Difference of means and the half-width of its 95 % interval.

    Unequal variances, degrees of freedom after Welch and Satterthwaite.
    """
    from scipy.stats import t

    parts = [statistics.variance(each) / len(each) for each in (ours, theirs)]
    spread = sum(parts)
    free = spread**2 / sum(
        part**2 / (len(each) - 1) for part, each in zip(parts, (ours, theirs), strict=True)
    )
    half = float(t.ppf(0.975, free)) * math.sqrt(spread)
    return statistics.mean(ours) - statistics.mean(theirs), half


def compare(name: str, seeds: int) -> bool:
    """Train, print, and say whether both agree."""
    with tempfile.TemporaryDirectory() as folder:
        own = ours(name, seeds, Path(folder))
    theirs = []
    for seed in range(seeds):
        command = [sys.executable, __file__, "--fit", name, str(seed)]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        theirs.append(float(run.stdout.split()[-1]))
    difference, half = welch(own, theirs)
    print(f"{name}: {SYSTEMS[name].title}; validation accuracy after {SYSTEMS[name].epochs} epochs")
    for who, values in (("ours", own), ("Keras", theirs)):
        single = ", ".join(f"{value:.4f}" for value in values)
        deviation = statistics.stdev(values)
        print(f"  {who:6} {statistics.mean(values):.4f} ± {deviation:.4f}   ({single})")
    agrees = abs(difference) <= half
    print(f"  difference {difference:+.4f}, 95 % interval ± {half:.4f}: ", end="")
    print("they agree" if agrees else "they differ", flush=True)
    return agrees


def main() -> int:
    """Parse the command line and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--fit", nargs=2, metavar=("SYSTEM", "SEED"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.fit:
        print(fit(chosen.fit[0], int(chosen.fit[1])))
        return 0
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    agreed = [compare(name, chosen.seeds) for name in chosen.systems]
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    sys.exit(main())
