"""How to cite a benchmark, and the piece it reproduces."""

from __future__ import annotations

import json

from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.model import Code, Section, Token
from accelreport.report.pages.about import web_address
from accelreport.report.text import label, slug
from accelreport.spec.models import Source


def cite_section(bench: Bench) -> Section:
    """The results and the piece they reproduce, for BibTeX and as a citation file."""
    blocks = (
        Code("BibTeX", (Token("\n\n".join(_entries(bench))),)),
        Code("CITATION.cff", (Token(citation_file(bench)),), folded=True),
    )
    return Section("cite", "How to cite it", blocks)


def _entries(bench: Bench) -> list[str]:
    dates = formatting.days(record.started_at for record in bench.records.values())
    versions = _versions(bench)
    key = slug(bench.plan.spec).replace("-", "_")
    note = f"Measured {dates}" if dates else "Not measured yet"
    note += f" with accelreport {versions}" if versions else ""
    fields = {"title": bench.plan.title, "howpublished": "accelreport", "note": note}
    entries = [_bibtex(f"accelreport_{key}", fields)]
    for number, source in enumerate(_sources(bench), start=1):
        own = {"title": source.title, "author": source.authors, "year": str(source.year or "")}
        own |= {"url": web_address(source.url), "note": _note(source)}
        entries.append(_bibtex(f"source_{key}{f'_{number}' if number > 1 else ''}", own))
    return entries


def _sources(bench: Bench) -> list[Source]:
    """The piece that is reproduced, and those that single published figures are from, each once."""
    every = [bench.plan.source, *(row.source for row in bench.plan.published)]
    return list({(each.title, each.url): each for each in every if each}.values())


def _note(source: Source) -> str:
    read = f"Accessed {source.accessed}" if source.accessed else ""
    return ". ".join(part for part in (read, source.licence) if part)


def _versions(bench: Bench) -> str:
    found = {r.environment.accelreport for r in bench.records.values() if r.environment}
    return ", ".join(sorted(found))


def _bibtex(key: str, fields: dict[str, str]) -> str:
    """An entry of the fields that say something, braces and backslashes in them escaped."""
    said = [(name, _tex(label(text, 200))) for name, text in fields.items() if text]
    lines = [f"@misc{{{key},", *(f"  {name} = {{{text}}}," for name, text in said), "}"]
    return "\n".join(lines)


def _tex(text: str) -> str:
    escaped = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}"}
    escaped |= {letter: f"\\{letter}" for letter in "%&$#_"}
    return "".join(escaped.get(letter, letter) for letter in text)


def citation_file(bench: Bench) -> str:
    """The results in the Citation File Format, version 1.2.0 (Druskat et al. 2021)."""
    whens = [formatting.instant(record.finished_at) for record in bench.records.values()]
    days = sorted(when.date().isoformat() for when in whens if when is not None)
    lines = [
        "cff-version: 1.2.0",
        "message: If you use these results, please cite them as below.",
        "type: dataset",
        f"title: {_yaml(bench.plan.title)}",
        "authors:",
        '  - name: "those who measured it"',
        *([f"date-released: {days[-1]}"] if days else []),
        *([f"version: {_yaml(_versions(bench))}"] if _versions(bench) else []),
    ]
    sources = _sources(bench)
    lines += ["references:"] if sources else []
    for source in sources:
        lines += [
            "  - type: generic",
            f"    title: {_yaml(source.title)}",
            "    authors:",
            f"      - name: {_yaml(source.authors or 'unknown')}",
            *([f"    year: {source.year}"] if source.year else []),
            *([f"    url: {_yaml(web_address(source.url))}"] if web_address(source.url) else []),
        ]
    return "\n".join(lines) + "\n"


def _yaml(text: str) -> str:
    """A text as YAML reads it back: a string of JSON is one."""
    return json.dumps(label(text, 200), ensure_ascii=True)
