"""What the specs say that sources printed or claimed stands in these sources, word for word."""

import re
from pathlib import Path
from typing import Any

import pytest

from accelreport.analysis.hardware import RUNTIMES, HostedMachine
from accelreport.loader.load import load
from accelreport.spec.cells import Spec
from accelreport.spec.models import FIGURES
from docsite.sources import figures_of, quotations
from tests.support.quoted import LEFT_OUT, fingerprint, fingerprints, stands_in

SPECS = Path(__file__).parents[2] / "specs"

EVERY = load([SPECS]).specs
SHIPPED = [found for found in EVERY if found.published]
QUOTED = quotations()
Quoted = tuple[str, str, str, str, bool]
"""Spec, source, device, figure, and whether it stands in the piece behind the source."""


def digits(text: object) -> set[float]:
    """Every number of a text; "11,164" is one."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", str(text))
    return {float(number) for number in re.findall(r"\d+(?:\.\d+)?", plain)}


def values(each: dict[str, Any]) -> dict[str, set[float]]:
    """The figures of a quotation, in SI units and fractions, whose digits stand in its words."""
    for text in (text for figure in FIGURES for text in each.get(figure, ())):
        assert digits(text) <= digits(each["words"]), (text, each["words"])
    return figures_of(each)


def quoted() -> dict[Quoted, set[float]]:
    """What sources printed, in SI units and fractions."""
    found: dict[Quoted, set[float]] = {}
    for each in QUOTED:
        for figure, printed in values(each).items():
            key = (each["spec"], each["source"], each["device"], figure, "original" in each)
            found.setdefault(key, set()).update(printed)
    return found


@pytest.mark.parametrize("found", SHIPPED, ids=lambda found: found.name)
def test_a_figure_stands_in_a_quotation_of_its_source_or_says_from_what_it_is_derived(
    found: Spec,
) -> None:
    printed = quoted()
    for row in found.published:
        source = row.source or found.source
        assert source is not None
        assert row.mark != "D" or re.search(r"[Dd]erived|=", row.note)
        for figure, value in row.figures().items() if row.mark != "D" else ():
            key = (found.name, source.title, row.device, figure, row.mark == "O")
            assert value in printed.get(key, ()), f"nobody printed {figure} {value} of {row.label}"


def test_every_quotation_is_of_a_source_that_a_spec_names_and_is_shown_there() -> None:
    shown = {
        (found.name, source.title, row.device, figure, row.mark == "O")
        for found in SHIPPED
        for row in found.published
        if row.mark != "D" and (source := row.source or found.source)
        for figure in row.figures()
    }
    assert set(quoted()) == shown
    assert all(each["place"] and each["words"] for each in QUOTED)


def test_accuracies_by_epoch_stand_in_a_quotation_too() -> None:
    key = "val_accuracy_by_epoch"
    printed = [each for each in QUOTED if key in each]
    shown = [row.val_accuracy_by_epoch for found in SHIPPED for row in found.published]
    assert [row for row in shown if row] == [each[key] for each in printed]
    assert all(set(each[key].values()) <= digits(each["words"]) for each in printed)


def test_a_row_of_another_network_is_not_compared_with_this_one() -> None:
    """A source's network is told apart by its number of parameters, where it prints one."""
    for each in (each for each in QUOTED if "parameters" in each):
        printed = values(each)
        (found,) = (one for one in SHIPPED if one.name == each["spec"])
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
    sources = [source for found in EVERY for source in [found.source] if source]
    sources += [row.source for found in SHIPPED for row in found.published if row.source]
    for title in {source.title for source in sources}:
        alike = [source for source in sources if source.title == title]
        assert all(source.url for source in alike), title
        assert len({source.url for source in alike}) == 1, title
        # "; the notebook is by …" follows the author of the piece itself.
        assert len({source.authors.partition(";")[0] for source in alike}) == 1, title


TEXTS = fingerprints()


def of_the_five(each: dict[str, Any]) -> bool:
    """Whether a quotation is of one of the five sources, and not of a piece behind one."""
    return "original" not in each


@pytest.mark.parametrize("each", [each for each in QUOTED if of_the_five(each)])
def test_a_quotation_of_a_source_stands_in_its_text_word_for_word(each: dict[str, Any]) -> None:
    assert each["verbatim"], "the text is at hand, so its words can be quoted"
    assert stands_in(each["words"], TEXTS[each["source"]]), each["words"]


LOGS = {"weather_gru": 1, "imdb_lstm": 2}
"""Spec → logs of losses, epoch by epoch, that its notes sum up."""


@pytest.mark.parametrize("found", EVERY, ids=lambda found: found.name)
def test_words_and_logs_that_a_note_repeats_stand_in_the_text_of_a_source(found: Spec) -> None:
    rows = [row.note for row in found.published] + [claim.note for claim in found.claims]
    notes = " ".join(" ".join([found.source.note if found.source else "", *rows]).split())
    logs = re.findall(r"(?:[01]\.\d{4}, ){3,}[01]\.\d{4}", notes)
    assert len(logs) == LOGS.get(found.name, 0)
    lines = [f" {LEFT_OUT} ".join(f"loss: {loss}" for loss in log.split(", ")) for log in logs]
    for words in [*re.findall(r'"([^"]*)"', notes), *lines]:
        known = any(stands_in(words, text) for text in TEXTS.values())
        assert known or " " not in words, words


@pytest.mark.parametrize("machine", RUNTIMES, ids=lambda machine: f"{machine.name}, {machine.by}")
def test_a_published_machine_stands_in_the_text_of_its_source(machine: HostedMachine) -> None:
    assert stands_in(machine.words, TEXTS[machine.source])
    printed = digits(machine.words)
    stated = {machine.tflops, machine.tops} - {None}
    assert stated <= printed, machine.words
    assert digits(re.sub(r"TPU v\d", "", machine.hardware)) <= printed


def test_words_that_a_source_does_not_have_do_not_stand_in_its_text() -> None:
    text = fingerprint("The run took 7 minutes, or 8 with its start.")
    assert stands_in("took 7 minutes … with its start", text)
    assert not stands_in("took 8 minutes", text)
    assert not stands_in("with its start … took 7 minutes", text)
    assert not stands_in("took", text), "a single word proves nothing"


def test_every_claim_of_a_source_rests_on_words_of_that_source() -> None:
    rests = {
        (each["spec"], each["source"], text) for each in QUOTED for text in each.get("claims", ())
    }
    made = {
        (found.name, claim.source or (found.source.title if found.source else ""), claim.text)
        for found in EVERY
        for claim in found.claims
        if claim.by == "source"
    }
    assert made == rests


@pytest.mark.parametrize("found", [spec for spec in EVERY if spec.advice], ids=lambda s: s.name)
def test_advice_is_quoted_where_its_numbers_bear_on_it(found: Spec) -> None:
    quoted_advice = {
        (each["words"], each["advice"]): found.name in each["bears_on"]
        for each in QUOTED
        if "advice" in each
    }
    assert {use for _, use in quoted_advice} == {"CPU", "GPU", "TPU"}
    assert all(set(each.get("bears_on", ())) <= {spec.name for spec in EVERY} for each in QUOTED)
    told = {(words, row.use): True for row in found.advice for words in row.words}
    told |= {(words, row.use): False for row in found.advice for words in row.others}
    assert {key: quoted_advice[key] for key in told} == told
    assert {key for key, bears in quoted_advice.items() if bears} <= told.keys()
