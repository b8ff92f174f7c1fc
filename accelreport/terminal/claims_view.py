"""What the claims of specs test, in sentences, for `accelreport check`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accelreport.spec.cells import Spec


def claims_text(specs: Iterable[Spec]) -> Iterator[str]:
    """Lines: each spec that makes claims, and each claim with the sentence that is tested.

    A person who wrote a rule the wrong way round reads here what it says.
    """
    for spec in specs:
        if spec.claims:
            yield f"{spec.path}"
        for claim in spec.claims:
            yield f"  “{claim.text}”"
            yield f"    holds when {claim.check.reading(spec.baseline, spec.axes)}"
