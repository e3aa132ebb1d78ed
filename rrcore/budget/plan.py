"""A plan: which attributes are asked, at which levels, of how many people, by which mechanism."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rrcore.errors import InputError
from rrcore.levels import check_levels
from rrcore.limits import MAX_PEOPLE
from rrcore.mechanisms import MECHANISMS, Mechanism, build
from rrcore.schema import Schema

__all__ = ["PLAN_VERSION", "Plan"]

PLAN_VERSION = 1
"""Schema number of the plan file."""


@dataclass(frozen=True)
class Plan:
    """What a steward decides before anything is randomised.

    Parameters
    ----------
    schema : Schema of k attributes
    levels : k requested levels eps_i in nats
    respondents : number of people (expected or at hand), >= 1
    mechanism : a key of ``MECHANISMS``
    """

    schema: Schema
    levels: tuple[float, ...]
    respondents: int
    mechanism: str = "kronecker"

    def __post_init__(self) -> None:
        checked = check_levels(self.levels, self.schema.names)
        object.__setattr__(self, "levels", tuple(float(level) for level in checked))
        if isinstance(self.respondents, bool) or not isinstance(self.respondents, int) or self.respondents < 1:
            raise InputError(f"The number of people is {self.respondents}: give a whole number of at least 1.")
        if self.respondents > MAX_PEOPLE:
            raise InputError(f"The number of people is above {MAX_PEOPLE:,}: give a smaller one.")
        if self.mechanism not in MECHANISMS:
            raise InputError(f"There is no mechanism '{self.mechanism}': choose among {', '.join(MECHANISMS)}.")

    def with_mechanism(self, mechanism: str) -> Plan:
        """The same plan carried out by another mechanism."""
        return Plan(self.schema, self.levels, self.respondents, mechanism)

    def build(self) -> Mechanism:
        """The mechanism of this plan. Raises InputError where it cannot meet the levels."""
        return build(self.mechanism, self.schema.sizes, self.levels, names=self.schema.names)

    def to_json(self) -> str:
        """The plan as a JSON document, with what it achieves; ``from_json`` reads it back. No data are in it."""
        mechanism = self.build()
        attributes = self.schema.to_dict()
        columns = zip(attributes, self.levels, mechanism.levels, mechanism.leakage, strict=True)
        for entry, requested, achieved, leakage in columns:
            entry.update(requested_level=requested, achieved_level=float(achieved), leakage=float(leakage))
        document = {
            "format": "rr-workbench plan",
            "version": PLAN_VERSION,
            "unit_of_levels": "nats",
            "mechanism": self.mechanism,
            "respondents": self.respondents,
            "total_level": mechanism.total_level,
            "attributes": attributes,
        }
        return json.dumps(document, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Read what ``to_json`` wrote. Raises InputError with one sentence for anything else."""
        try:
            document: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError("The plan file is not JSON: choose a file saved by 'Download plan'.") from error
        if not isinstance(document, dict) or document.get("format") != "rr-workbench plan":
            raise InputError("This is not a plan file: choose a file saved by 'Download plan'.")
        if document.get("version") != PLAN_VERSION:
            raise InputError(f"The plan file has version {document.get('version')}: this program reads version {PLAN_VERSION}.")
        try:
            attributes: Sequence[Any] = document["attributes"]
            levels = tuple(entry["requested_level"] for entry in attributes)
            return cls(Schema.from_dict(attributes), levels, document["respondents"], document["mechanism"])
        except (KeyError, TypeError) as error:
            raise InputError(f"The plan file lacks a field ({error}): choose a file saved by 'Download plan'.") from error
