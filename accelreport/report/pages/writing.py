"""What a trained model wrote."""

from __future__ import annotations

from accelreport.report.bench import Bench
from accelreport.report.model import Block, Code, Prose, Section, Token
from accelreport.report.pages.runs import first_run
from accelreport.report.text import clean, tail

MOST_TEXTS = 5


def writing_section(bench: Bench) -> Section | None:
    """The section; None where no run wrote anything."""
    run = first_run(bench, lambda record: bool(record.texts))
    if run is None:
        return None
    synthetic = bool(run.record.data and run.record.data.origin == "synthetic")
    note = f"From {run.name}. In bold what the model had read before it began to write."
    if synthetic:
        note += (
            " It was trained on synthetic text and had nothing of the real author to learn from."
        )
    blocks: list[Block] = [Prose(note)]
    for number, text in enumerate(run.record.texts[:MOST_TEXTS], start=1):
        tokens = (Token(clean(text.prompt), "head"), Token(tail(text.text)))
        blocks.append(Code(f"Text {number}", tokens, wrapped=True))
    return Section("writing", "What the model wrote", tuple(blocks))
