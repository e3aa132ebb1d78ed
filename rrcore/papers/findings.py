"""What the papers say about their schemes, and what is measured here: one line each."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FINDINGS", "Finding"]


@dataclass(frozen=True)
class Finding:
    """A claim of a paper and its measurement.

    Parameters
    ----------
    paper : which one, with table or figure
    claim : what it says
    measured : what is found here, with numbers
    verdict : "yes", "no" or "in part"
    """

    paper: str
    claim: str
    measured: str
    verdict: str


FINDINGS: tuple[Finding, ...] = ()
