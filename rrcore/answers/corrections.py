"""What estimates become if people who did not follow the instructions answered by another law, or if there were none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rrcore.answers.answers import Answers
from rrcore.errors import InputError
from rrcore.estimate import CLICK_LAWS, ClickLaw, Clicks, Estimate, Noncompliance, cell_table, estimate_table
from rrcore.table.schema import Schema
from rrcore.wording import Quantity, quantity_target

UNCORRECTED = "everybody follows the instructions"


@dataclass(frozen=True, eq=False)
class Correction:
    """One joint distribution, read as if people who did not follow the instructions answered by one law.

    Parameters
    ----------
    law : ClickLaw, or "" where everybody is taken to have followed them
    law_text : that in words
    estimate : Estimate, or None where it cannot be read
    noncompliance : how many such people there are by it; None without a law
    why : why it cannot be; else empty
    """

    law: ClickLaw | str
    law_text: str
    estimate: Estimate | None = None
    noncompliance: Noncompliance | None = None
    why: str = ""

    @property
    def share_text(self) -> str:
        """How many such people there are by it, with an interval; empty without a law."""
        return "" if self.noncompliance is None else self.noncompliance.share_text

    def to_dict(self, *, population: bool = True, confidence: float = 0.95) -> dict[str, Any]:
        """For JSON: cells as ``estimate_table`` has them, None where it cannot be read."""
        cells = None
        if self.estimate is not None:
            cells = estimate_table(self.estimate, population=population, confidence=confidence, projections=False)
        share = "" if self.noncompliance is None else self.noncompliance.at(confidence).share_text
        return {"law": self.law, "taken_for_granted": self.law_text, "share": share, "cells": cells, "why": self.why}


def corrections(answers: Answers, names: Sequence[str]) -> tuple[Correction, ...]:
    """The joint distribution of ``names`` without correction, then by each law that the answers do not use; empty where none is corrected.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> corrections(nigeria(), nigeria().schema.names)  # it has no control item
    ()
    """
    if not answers.corrects(names):
        return ()
    used = answers.clicks
    assert used is not None
    found = [Correction("", UNCORRECTED, estimate=answers.uncorrected.estimate(names))]
    for law, law_text in CLICK_LAWS.items():
        if law != used.law or used.own:
            try:
                other = replace(answers, clicks=Clicks(law, by=used.by))
                found.append(Correction(law, law_text, other.estimate(names), other.noncompliance))
            except InputError as error:
                found.append(Correction(law, law_text, why=str(error)))
    return tuple(found)


def corrections_table(
    schema: Schema, estimate: Estimate, found: Sequence[Correction], *, population: bool = True, simultaneous: bool = False
) -> dict[str, list[Any]]:
    """The ``estimate``, corrected, beside what ``found`` has in its place: columns of texts, one row for each cell."""
    columns, meant = {"Corrected (95 %)": estimate}, {"population": population, "simultaneous": simultaneous}
    for each in found:
        if each.estimate is not None:
            columns[f"If {each.law_text}" + (f": {each.share_text}" if each.share_text else "")] = each.estimate
    return cell_table(schema, {}) | {heading: _texts(each, meant) for heading, each in columns.items()}


def _texts(estimate: Estimate, meant: Mapping[str, bool]) -> list[str]:
    low, high = estimate.interval(**meant)
    target = quantity_target(meant["population"])
    return [
        Quantity("share", ", ".join(names), target).estimated(float(estimate.shares[i]), float(low[i]), float(high[i]))
        for i, names in estimate.cells(estimate.shares.size)
    ]
