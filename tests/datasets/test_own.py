"""Data of somebody's own: tables, arrays, images by class, and what is wrong with others."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import io
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from accelreport.datasets.base import Dataset
from accelreport.datasets.cache import read_bounded
from accelreport.datasets.errors import DataCorrupt, DataUnavailable
from accelreport.datasets.own import OwnData, UnfitData, most_examples, place_of
from accelreport.datasets.own_reading import proposed, read

ROWS = 50


def table(folder: Path, text: str, name: str = "train.csv") -> OwnData:
    (folder / name).write_text(text, encoding="utf-8")
    return OwnData(path=name, task="classification", target=("kind",))


def changed(own: OwnData, **values: Any) -> OwnData:
    return OwnData(**{**vars(own), **values})


def people(count: int = ROWS) -> str:
    rows = (
        f"{20 + i},{'NSW'[i % 3]},{i % 2},{'yes' if i % 5 == 0 else 'no'}" for i in range(count)
    )
    return "\n".join(["age,side,member,kind", *rows]) + "\n"


def test_a_table_becomes_standardised_numbers_and_words_as_inputs(tmp_path: Path) -> None:
    data = read(table(tmp_path, people()), str(tmp_path))
    x, y = data.train["x"], data.train["y"]
    assert (x.shape, data.validation["x"].shape) == ((40, 5), (10, 5))  # age, N, S, W, member
    assert [x.dtype.name, y.dtype.name] == ["float32", "int32"]
    assert np.abs(x[:, [0, 4]].mean(axis=0)).max() < 1e-6
    assert np.abs(x[:, [0, 4]].std(axis=0) - 1).max() < 1e-6
    assert np.abs(data.validation["x"][:, 0].mean()) > 1e-6, "fitted on the training part alone"
    assert (x[:, 1:4].sum(axis=1) == 1).all()
    assert data.classes == ("no", "yes")
    # As large a share of each class validates.
    assert (np.bincount(y).tolist(), np.bincount(data.validation["y"]).tolist()) == (
        [32, 8],
        [8, 2],
    )
    sha256 = hashlib.sha256((tmp_path / "train.csv").read_bytes()).hexdigest()
    assert (data.name, dict(data.files), data.origin) == (
        "train.csv", {"train.csv": sha256}, "user-supplied",
    )  # fmt: skip
    assert read(table(tmp_path, people()), str(tmp_path)).fingerprint == data.fingerprint


def test_each_input_of_a_model_has_its_columns_and_identifiers_stay_as_they_are(
    tmp_path: Path,
) -> None:
    own = table(tmp_path, people())
    own = changed(own, features={"who": ("member",), "all": ("age", "side", "member")})
    data = read(own, str(tmp_path))
    assert [data.train[name].shape for name in ("x/who", "x/all")] == [(40, 1), (40, 5)]
    assert (data.train["x/who"][:, 0] == data.train["x/all"][:, 4]).all()
    kept = read(changed(own, standardise=("age",)), str(tmp_path))
    assert set(kept.train["x/who"].ravel()) == {0.0, 1.0}
    assert (kept.train["x/all"][:, 0] == data.train["x/all"][:, 0]).all()
    with pytest.raises(UnfitData, match="no column 'agee'") as info:
        read(changed(own, standardise=("agee",)), str(tmp_path))
    assert info.value.key == "standardise"


def test_numbers_are_predicted_in_their_own_unit_and_the_last_rows_may_validate(
    tmp_path: Path,
) -> None:
    own = changed(table(tmp_path, people()), task="regression", target=("age",), split="last",
                  features=("member",), standardise=False, validation_split=0.3)  # fmt: skip
    data = read(own, str(tmp_path))
    assert data.train["y"].tolist() == [[20 + i] for i in range(35)]
    assert data.validation["x"].tolist() == [[i % 2] for i in range(35, 50)]
    assert data.classes == ()


def test_missing_values_are_an_error_left_out_or_the_mean_of_the_training_part(
    tmp_path: Path,
) -> None:
    rows = people().splitlines()
    rows[7] = ",N,1,no"
    own = table(tmp_path, "\n".join(rows))
    with pytest.raises(
        UnfitData, match=r"Column 'age' of train\.csv has no value in row 7"
    ) as info:
        read(own, str(tmp_path))
    assert (info.value.key, "missing" in info.value.remedy) == ("missing", True)
    dropped = read(changed(own, missing="drop"), str(tmp_path))
    assert len(dropped.train["x"]) + len(dropped.validation["x"]) == ROWS - 1
    assert "left out because of missing values: 1." in dropped.note
    mean = changed(own, missing="mean", standardise=False, split="last", features=("age",))
    filled = read(mean, str(tmp_path)).train["x"][:, 0]
    known = [20 + i for i in range(40) if i != 6]
    assert filled[6] == pytest.approx(np.mean(known))
    rows[9:12] = ["28,,1,no", "29,,1,no", "30,N,1,"]
    own = table(tmp_path, "\n".join(rows))
    assert read(changed(own, missing="drop"), str(tmp_path)).note == (
        "Rows left out because their target is missing: 1. "
        "Rows left out because of missing values: 3. Random 9 of 46 rows validate."
    )
    rows[11] = "30,N,1,no"
    own = table(tmp_path, "\n".join(rows))
    assert read(changed(own, missing="mean"), str(tmp_path)).note == (
        "Missing numbers replaced by the mean of the training part: 1. "
        "Missing words, which are 0 in every input: 2. Random 10 of 50 rows validate."
    )


@pytest.mark.parametrize(
    ("change", "values", "message", "key"),
    [
        (("23,N,1,yes", "23,N,1,yes"), {"target": ("kin",)}, "has no column 'kin'", "target"),
        (("23,N", "23,N"), {"features": ("agee",)}, "has no column 'agee'", "features"),
        (("24,S", "old,S"), {}, "'age' of train.csv holds 'old' in row 5", "na_values"),
        (("24,S", "inf,S"), {}, "'age' of train.csv holds 'inf' in row 5", "features"),
        (("24,S,0,no", "24,S,0,"), {}, "'kind' of train.csv has no value in row 5", "missing"),
        (("x", "x"), {"task": "regression"}, "'kind' of train.csv holds 'yes' in row 1", "target"),
        (("x", "x"), {"validation_split": 0.001}, "leaves 0 for validation", "validation_split"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_by_row_and_column(
    change: tuple[str, str], values: dict[str, Any], message: str, key: str, tmp_path: Path
) -> None:
    own = table(tmp_path, people().replace(*change))
    with pytest.raises(UnfitData) as info:
        read(changed(own, **values), str(tmp_path))
    assert message in str(info.value)
    assert info.value.key == key


def test_a_number_that_is_no_class_and_a_column_of_names_are_refused(tmp_path: Path) -> None:
    text = "name,weight\n" + "".join(f"person {i},{i / 4}\n" for i in range(150))
    own = changed(table(tmp_path, text), target=("weight",))
    with pytest.raises(UnfitData, match=r"holds 0\.25 in row 2, which is not a class"):
        read(own, str(tmp_path))
    with pytest.raises(UnfitData, match=r"'name' of train\.csv holds 150 different words"):
        read(changed(own, task="regression"), str(tmp_path))


TWENTY = range(20)

READINGS: dict[str, tuple[str, Any, dict[str, Any] | str, Any]] = {
    # head, row by number → keys that are proposed, or why it is refused; values of the first input
    "an index without a name": (",a,kind", "{i},{f},{k}", {"features": ["a"]}, "{f}"),
    "an index that counts": ("nr,a,kind", "{j},{f},{k}", {"features": ["a"]}, "{f}"),
    "a shuffled id": ("a,UserID,kind", "{f},{s},{k}", {"features": ["a"]}, "{f}"),
    "an index of joined tables": ("index,a,kind", "{c},{f},{k}", {"features": ["a"]}, "{f}"),
    "an id from elsewhere": ("passengerid,a,kind", "{j},{f},{k}", {"features": ["a"]}, "{f}"),
    "an index of floats": ("n,a,kind", "{i}.0,{f},{k}", {"features": ["a"]}, "{f}"),
    "a number at the end": ("a,SNo,kind", "{f},{s},{k}", {"features": ["a"]}, "{f}"),
    "a row of totals": ("a,b,kind\nTotal,1,A", "{f},{i},{k}", "'Total' in row 1", None),
    "one class in two ways": ("a,kind\n1,aX.", "{f},{k}x", "which are one class or two", None),
    "blanks that cannot be seen": ("a,kind", "{f},\u200b{k}", {}, "{f}"),
    "row names of R": ('"","a","kind"', '"{j}",{f},{k}', {"features": ["a"]}, "{f}"),
    "an index saved twice": (
        "Unnamed: 0.1,Unnamed: 0,a,kind", "{i},{i},{f},{k}", {"features": ["a"]}, "{f}",
    ),
    "a number for each row that is none of the rows": ("paid,kind", "{s},{k}", {}, "{s}"),
    "a sign of typography": ("a,kind", "−{j},{k}", {}, "-{j}"),
    "marks out of ten": ("a,kind", "{c}/10,{k}", "a number with a unit", None),
    "a second line of units": ("a,kind\nkg,A", "{f},{k}", "'kg' in row 1", None),
    "a last column without a name": ("a,kind,", "{f},{k},", {"features": ["a"]}, "{f}"),
    "nothing but a count": ("x,kind", "{i},{k}", r'Write features = \["x"\]', None),
    "a decimal comma": ("a;kind", "{i},25;{k}", {"separator": ";", "decimal": ","}, "{i}.25"),
    "a decimal comma and groups": (
        "a;kind", "1.1{j},5;{k}", {"separator": ";", "thousands": ".", "decimal": ","}, "11{j}.5",
    ),
    "groups": ("a,kind", '"{j},345",{k}', {"thousands": ","}, "{j}345"),
    "spaces between groups": (
        "a;kind", "{j} 345,5;{k}", {"separator": ";", "thousands": " ", "decimal": ","}, "{j}345.5",
    ),
    "two meanings of a comma": ("a,b,kind", '"{j},345","{i},5",{k}', "does not divide thous", None),
    "two decimal marks": (
        "a,b,kind", '"{i},5",0.{j},{k}', {"decimal": ",", "features": ["a"]}, "{i}.5",
    ),
    "per cent": ("a,kind", "{c} %,{k}", "'0 %' in row 1, which is a number with a unit", None),
    "money": ("a,kind", "${j}.5,{k}", "a number with a unit", None),
    "kilograms": ("a,kind", "{j}kg,{k}", "a number with a unit", None),
    "dates": ("a,day,kind", "{f},2024-01-{j},{k}", {"features": ["a"]}, "{f}"),
    "times": ("a,kind", "{j}:30,{k}", "which is a date or a time", None),
    "a mark of what is missing": (
        "a,kind", "{q},{k}", {"na_values": ["?"], "missing": "mean"}, None,
    ),
    "no names": ("5.1,3.5,A", "{f},{j}.5,{k}", {"header": False, "target": "2"}, None),
    "no names, words": ("A,2,B", "{k},{j},{k}", {"header": False, "target": "2"}, None),
    "numbered names": ("0,1,kind", "{f},{j},{k}", {}, "{f}"),
    "a class called NA": ("a,kind", "{f},{n}", "Write keep_default_na = false", None),
    "blanks": (" a ,kind ", " {f} ,{k} ", {}, "{f}"),
    "a text": ("a,kind", "what {f} was,{k}", 'data = "data.py:load"', None),
}  # fmt: skip


@pytest.mark.parametrize(("head", "row", "expected", "first"), READINGS.values(), ids=READINGS)
def test_a_table_means_what_its_owner_means_or_is_refused(
    head: str, row: str, expected: dict[str, Any] | str, first: str | None, tmp_path: Path
) -> None:
    def filled(text: str, i: int) -> str:
        marks = {"i": i, "j": i + 10, "f": (i * 7 % 20) / 8, "c": i % 3, "s": i * 7 % 20 + 50}
        words = {"k": "AB"[i % 2], "q": "?" if i % 4 else i / 2, "n": ("NA", "EU")[i % 2]}
        return text.format(**marks, **words)

    rows = [filled(row, i) for i in TWENTY]
    path = tmp_path / "train.csv.gz"
    path.write_bytes(gzip.compress("\n".join([head, *rows, ""]).encode()))

    def both() -> tuple[dict[str, Any], Any]:
        keys = dict(proposed(path, path.name)[0])
        lists = {key: tuple(value) for key, value in keys.items() if isinstance(value, list)}
        own = OwnData(path.name, **(keys | lists | {"target": (keys["target"],)}))
        return keys, read(changed(own, split="last", standardise=False), str(tmp_path))

    if isinstance(expected, str):
        with pytest.raises(UnfitData, match=expected):
            both()
        return
    keys, data = both()
    assert keys == {"target": "kind", "task": "classification", **expected}
    assert data.classes == ("A", "B")
    if first is not None:
        inputs = [float(filled(first, i)) for i in range(16)]
        assert data.train["x"][:, 0].tolist() == pytest.approx(inputs)


def test_another_separator_is_named_and_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    own = table(tmp_path, people().replace(",", ";"))
    with pytest.raises(UnfitData, match='Write separator = ";"'):
        read(own, str(tmp_path))
    assert read(changed(own, separator=";"), str(tmp_path)).train["x"].shape == (40, 5)
    wrong = {
        "": "not a CSV file",
        "a,kind\n": "no row",
        "a,a\n1,2\n": "two columns",
        "a,kind\n1,2\n1,2,3\n": "line 3",
        "a,kind\n1,2,3\n": "more values",
    }
    for text, why in wrong.items():
        with pytest.raises(DataCorrupt, match=why):
            read(table(tmp_path, text), str(tmp_path))
    with pytest.raises(DataUnavailable, match=r"no data trian\.csv[^?]*Did you mean train\.csv\?"):
        read(changed(own, path="trian.csv"), str(tmp_path))


def test_neither_a_device_nor_a_pipe_is_opened_as_data(tmp_path: Path) -> None:
    (tmp_path / "train.csv").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.csv")
    for name in ("train.csv", "pipe.csv"):
        with pytest.raises(DataUnavailable, match="is neither a file nor a folder"):
            place_of(name, str(tmp_path))
        with pytest.raises(DataCorrupt, match="not a regular file"):
            read_bounded(tmp_path / name, 10, "")
        assert most_examples(tmp_path / name, 0.2) is None


def test_parquet_is_read_where_its_reader_is_and_else_the_package_is_named(tmp_path: Path) -> None:
    import pandas as pd

    own = table(tmp_path, people())
    own = changed(own, path="train.parquet")
    (tmp_path / "train.parquet").write_bytes(b"PAR1")
    if importlib.util.find_spec("pyarrow") is None:
        with pytest.raises(DataUnavailable, match="pip install pyarrow"):
            read(own, str(tmp_path))
        return
    with pytest.raises(DataCorrupt, match="not a Parquet file"):
        read(own, str(tmp_path))
    pd.read_csv(tmp_path / "train.csv").to_parquet(tmp_path / "train.parquet")
    same = read(changed(own, path="train.csv"), str(tmp_path))
    assert read(own, str(tmp_path)).fingerprint == same.fingerprint


def arrays(folder: Path, **named: Any) -> OwnData:
    np.savez(folder / "img.npz", allow_pickle=True, **named)
    return OwnData(path="img.npz", task="classification")


def test_arrays_of_several_inputs_are_known_by_their_names(tmp_path: Path) -> None:
    own = arrays(tmp_path)

    def saved(**named: Any) -> Dataset:
        np.savez(tmp_path / own.path, **named)
        return read(own, str(tmp_path))

    part = {"left": np.arange(20).reshape(10, 2), "age": np.arange(10)}
    y = np.arange(10) % 2
    data = saved(**part, y=y)
    assert [len(data.train[name]) for name in ("x/left", "x/age", "y")] == [8, 8, 8]
    assert (data.train["x/left"][:, 0] == 2 * data.train["x/age"]).all()
    assert most_examples(tmp_path / own.path, 0.2) == 8
    both = {f"{k}_{end}": v for end in ("train", "test") for k, v in {**part, "y": y}.items()}
    data = saved(**both)
    assert (set(data.validation), len(data.train["x/age"])) == ({"x/left", "x/age", "y"}, 10)
    del both["age_train"]
    for wrong, message in (
        (both, "holds left_train, y_train, left_test, age_test"),
        ({**part, "age": y[:9], "y": y}, "9 examples in `x/age` and 10 labels"),
    ):
        with pytest.raises(UnfitData, match=message):
            saved(**wrong)


def test_arrays_are_divided_or_taken_as_they_are_divided(tmp_path: Path) -> None:
    x = np.arange(20 * 4 * 4, dtype=np.uint8).reshape(20, 4, 4)
    y = np.array(["cat", "dog"] * 10)
    data = read(arrays(tmp_path, x=x, y=y), str(tmp_path))
    assert data.train["x"].dtype.name == "uint8"
    assert data.train["x"].shape == (16, 4, 4)
    assert data.classes == ("cat", "dog")
    assert sorted([*data.train["y"], *data.validation["y"]]) == [0] * 10 + [1] * 10
    one_hot = np.eye(3, dtype=np.int64)[np.arange(12) % 3]
    four = {"x_train": x[:12], "y_train": one_hot, "x_test": x[12:], "y_test": one_hot[:8]}
    data = read(arrays(tmp_path, **four), str(tmp_path))
    assert data.train["x"].tolist() == x[:12].tolist()
    assert data.validation["y"].tolist() == [0, 1, 2, 0, 1, 2, 0, 1]


@pytest.mark.parametrize(
    ("named", "error", "message"),
    [
        ({"a": [1], "b": [2]}, UnfitData, "img.npz holds a, b"),
        ({"x": [[1.0]], "y": [1, 2]}, UnfitData, "1 examples in `x` and 2 labels in `y`"),
        ({"x": [[1.0], [np.nan]], "y": [0, 1]}, UnfitData, r"`x\[1, 0\]` of img.npz is nan"),
        ({"x": [[1]], "y": [1], "sample_weight": [1]}, UnfitData, "weights of examples are not"),
        ({"x": [[1j]], "y": [1]}, UnfitData, "`x` of img.npz holds complex128"),
        ({"x": [["a"], ["b"]], "y": [0, 1]}, UnfitData, "`x` of img.npz holds text"),
        (
            {"x_train": np.ones((8, 4)), "y_train": [0, 1] * 4, "x_test": np.ones((4, 3)),
             "y_test": [0, 1] * 2},
            UnfitData, r"\(4,\) in `x_train` and \(3,\) in `x_test`",
        ),
        (
            {"x_train": np.ones((8, 4)), "y_train": np.full((8, 3), 2), "x_test": np.ones((4, 4)),
             "y_test": np.full((4, 2), 2)},
            UnfitData, r"\(3,\) in `y_train` and \(2,\) in `y_test`",
        ),
        ({"x": np.array([{}], dtype=object), "y": [1]}, DataCorrupt, "Python objects"),
        ({"x": np.ones((4, 0)), "y": [1] * 4}, DataCorrupt, "x holds no value"),
        ({"x": np.zeros((20_000_001, 1), bool), "y": [1]}, DataCorrupt, "20,000,001 examples"),
    ],
)  # fmt: skip
def test_arrays_that_no_model_takes_are_refused(
    named: dict[str, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message):
        read(arrays(tmp_path, **named), str(tmp_path))
    (tmp_path / "img.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(DataCorrupt, match=r"no archive of np\.savez"):
        read(OwnData(path="img.npz", task="classification"), str(tmp_path))


def test_a_head_that_states_more_than_the_file_holds_is_refused(tmp_path: Path) -> None:
    held = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        held, {"descr": "<f4", "fortran_order": False, "shape": (10**11,)}
    )
    own = arrays(tmp_path, y=np.zeros(4))
    with zipfile.ZipFile(tmp_path / "img.npz", "a") as archive:
        archive.writestr("x.npy", held.getvalue() + bytes(400))
    with pytest.raises(DataCorrupt, match="states 400,000,000,000 bytes"):
        read(own, str(tmp_path))


def pictures(folder: Path, *sizes: int) -> OwnData:
    for number, size in enumerate(sizes):
        place = folder / "pets" / ("cat", "dog")[number % 2]
        place.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (size, size), (10 * number, 0, 0)).save(place / f"{number}.png")
    return OwnData(path="pets", task="classification")


def test_a_folder_of_images_by_class_becomes_pixels(tmp_path: Path) -> None:
    data = read(pictures(tmp_path, *[6] * 10), str(tmp_path))
    assert data.train["x"].dtype.name == "uint8"
    assert data.train["x"].shape == (8, 6, 6, 3)
    assert data.classes == ("cat", "dog")
    first = data.files["pets"]
    pictures(tmp_path, 6, 6, 8)
    with pytest.raises(UnfitData, match=r"image_size = \[6, 6\]"):
        read(OwnData(path="pets", task="classification"), str(tmp_path))
    sized = OwnData(path="pets", task="classification", image_size=(4, 5))
    assert read(sized, str(tmp_path)).train["x"].shape == (8, 4, 5, 3)
    assert read(sized, str(tmp_path)).files["pets"] != first
    (tmp_path / "pets" / "cat" / "0.png").write_bytes(b"no image")
    with pytest.raises(DataCorrupt, match="It is not an image"):
        read(sized, str(tmp_path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnfitData, match="holds 0 folders with images"):
        read(OwnData(path="empty", task="classification"), str(tmp_path))


def test_a_folder_without_images_and_a_hidden_one_are_no_classes(tmp_path: Path) -> None:
    own = pictures(tmp_path, *[6] * 10)
    for name in (".ipynb_checkpoints", "bird"):
        (tmp_path / "pets" / name).mkdir()
    hidden = tmp_path / "pets" / ".ipynb_checkpoints" / "0.png"
    hidden.write_bytes((tmp_path / "pets" / "cat" / "0.png").read_bytes())
    data = read(own, str(tmp_path))
    assert data.classes == ("cat", "dog")
    assert sorted([*data.train["y"], *data.validation["y"]]) == [0] * 5 + [1] * 5
    assert proposed(tmp_path / "pets", "pets")[1] == 10
    assert most_examples(tmp_path / "pets", 0.2) == 8


@pytest.mark.parametrize(
    ("parts", "sizes", "note"),
    [
        (("train", "test"), (6, 2), ""),
        (("Training", "val"), (6, 2), ""),
        (("train", "test", "valid"), (6, 3), "test/ is left out: valid/ validates."),
        (("train", "test", "extra"), None, "divided into train and test, and holds extra too"),
        (("first", "second"), None, "lies in a folder below that of a class"),
    ],
)
def test_images_that_are_divided_already_stay_so(
    parts: tuple[str, ...], sizes: tuple[int, int] | None, note: str, tmp_path: Path
) -> None:
    for part, count in zip(parts, (6, 2, 3), strict=False):
        pictures(tmp_path / part, *[6] * count)
        (tmp_path / "pets").mkdir(exist_ok=True)
        (tmp_path / part / "pets").rename(tmp_path / "pets" / part)
    own = OwnData(path="pets", task="classification")
    if sizes is None:
        with pytest.raises(UnfitData, match=note):
            read(own, str(tmp_path))
        return
    data = read(own, str(tmp_path))
    assert (len(data.train["x"]), len(data.validation["x"])) == sizes
    assert data.note == note


def test_images_of_every_mode_are_read_upright_and_what_is_not_is_named(tmp_path: Path) -> None:
    pictures(tmp_path, *[4] * 4)
    cats = tmp_path / "pets" / "cat"
    grey = np.array([[0, 255]] * 2, np.uint8)
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned by a quarter
    for name, image in {
        "a.tif": Image.fromarray(grey),
        "b.png": Image.fromarray(grey.astype(np.uint16) * 257),
        "c.png": Image.fromarray(grey).convert("RGBA"),
        "d.gif": Image.fromarray(grey).convert("P"),
        "e.jfif": Image.fromarray(grey),
    }.items():
        more = {"save_all": True, "append_images": [image.rotate(90)]} if name == "d.gif" else {}
        image.save(cats / name, format="JPEG" if name.endswith("jfif") else None, **more)
    Image.fromarray(grey.T.copy()).save(cats / "f.png", exif=exif)
    (cats / "notes.txt").write_text("Tom")
    (tmp_path / "pets" / "0.png").write_bytes((cats / "a.tif").read_bytes())
    own = changed(OwnData("pets", "classification"), image_size=(2, 2), split="last",
                  validation_split=0.2)  # fmt: skip
    data = read(own, str(tmp_path))
    x = np.concatenate([data.train["x"], data.validation["x"]])
    assert x.shape == (10, 2, 2, 3)
    for number, name in enumerate("abcdef", start=2):
        wanted = grey[::, ::-1] if name == "f" else grey
        assert np.abs(x[number, :, :, 0].astype(int) - wanted).max() < 6, name
    for words in (
        "2 files, such as 0.png, cat/notes.txt",
        "1 of I;16",
        "1 of P",
        "frames, of which the first is read: 1",
    ):
        assert words in data.note
    assert read(changed(own, color_mode="grayscale"), str(tmp_path)).train["x"].shape[3] == 1
    Image.fromarray(grey.astype(np.float32)).save(cats / "g.tif")
    with pytest.raises(UnfitData, match=r"cat/g\.tif has pixels of 32 bits"):
        read(own, str(tmp_path))


def test_what_a_spec_would_say_follows_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(people())
    assert proposed(tmp_path / "a.csv", "a.csv")[0] == {"target": "kind", "task": "classification"}
    text = "id;size;price\n" + "".join(f"p{i};{'' if i == 3 else i};{i / 3}\n" for i in range(150))
    (tmp_path / "b.csv").write_text(text)
    assert proposed(tmp_path / "b.csv", "b.csv")[0] == {
        "target": "price", "features": ["size"], "task": "regression", "missing": "mean",
        "separator": ";",
    }  # fmt: skip
    arrays(tmp_path, x=np.zeros((3, 2, 2), np.uint8), y=[0, 1, 1])
    assert proposed(tmp_path / "img.npz", "img.npz")[0] == {
        "task": "classification", "divide_by": 255.0,
    }  # fmt: skip
    pictures(tmp_path, 6)
    assert proposed(tmp_path / "pets", "pets")[0]["image_size"] == [6, 6]
