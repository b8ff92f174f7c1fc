"""The hero of a network that writes: its text by epoch, and how well it guesses letters."""

from __future__ import annotations

from accelreport.report import formatting
from accelreport.report.heroes.hero import Hero, Shown
from accelreport.report.heroes.learning import curves_figure
from accelreport.report.heroes.parts import kicker, of_stand_ins, usual_numbers
from accelreport.report.model import Code, Token
from accelreport.report.pages.sections.learning import Curves
from accelreport.report.pages.sections.predictions import epochs_written, first_run, text_by_epoch
from accelreport.report.text import beginning, clean
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Record

MOST_EPOCHS = 3
"""Epochs whose text stands in the first screen."""
LONGEST, LONGEST_ON_A_CARD = 150, 90
"""Letters of each."""


def writing_hero(bench: BenchmarkView) -> Hero | None:
    """The hero; None where no run wrote anything."""
    run = first_run(bench, lambda record: bool(record.texts))
    if run is None:
        return None
    text = _text(run.record, MOST_EPOCHS, LONGEST)
    title = _title(run.record)
    origin = run.record.data.origin if run.record.data else ""
    told = of_stand_ins(title, [origin])
    figures: tuple[Shown, ...] = (text,)
    if bench.quality:
        figures = (text, curves_figure(Curves(bench)))
    return Hero(
        kicker=kicker(bench),
        title=told,
        answer=_answer(run.record),
        figures=figures,
        note=f"From {run.name}. In bold what the network had read before it wrote.",
        numbers=usual_numbers(bench),
        thumbnail=_text(run.record, 1, LONGEST_ON_A_CARD),
        sentence=f"{told}.",
        findings=(told, _answer(run.record).rstrip("."))[: len(figures)],
    )


def _text(record: Record, epochs: int, longest: int) -> Code:
    """What was written, after some epochs where that was kept, the last one among them."""
    rows = epochs_written(record, epochs) if epochs > 1 else epochs_written(record, 2)[-1:]
    if rows:
        return text_by_epoch(rows, "", longest)
    last = record.texts[0]
    tokens = (Token(clean(last.prompt), "head"), Token(beginning(clean(last.text), longest)))
    return Code("", tokens, wrapped=True)


def _title(record: Record) -> str:
    epochs = formatting.plural(len(record.epochs), "epoch")
    share = _right(record, -1)
    if not share:
        return f"What it writes after {epochs}"
    return f"After {epochs} it guesses {share} of the letters that come next"


def _answer(record: Record) -> str:
    if not record.epochs:
        return "It wrote before an epoch had ended."
    seconds = formatting.duration(record.epochs[-1].elapsed_s)
    first, last = _right(record, 0), _right(record, -1)
    if not first or len(record.epochs) == 1:
        return f"This is what {seconds} of training taught it."
    return f"From {first} after the first epoch to {last}, in {seconds} of training."


def _right(record: Record, place: int) -> str:
    """The share of letters guessed rightly after an epoch; empty where that is not known."""
    if not record.epochs:
        return ""
    metrics = record.epochs[place].metrics
    share = metrics.get("val_accuracy", metrics.get("accuracy"))
    return "" if share is None else formatting.percent(share, 0)
