"""The mechanism file: a JSON document with integer weights and exact guarantees.

Weights are decimal strings, because many JSON parsers lose digits of large numbers. The document contains the SHA-256 of its
canonical form: UTF-8, sorted keys, no spaces, without the field "sha256".
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, Protocol

import msgspec
import numpy as np
from msgspec import Meta

from rrcore.arrays import Codes, Floats
from rrcore.channel import Channel, product_channel
from rrcore.documents import Document, Fields, encode, inside, simple
from rrcore.errors import InputError, check_codes, check_positions
from rrcore.limits import MAX_COLUMNS, MAX_RECORD_BITS, MAX_TEXT, MAX_WEIGHT_BITS
from rrcore.progress import Report, quiet
from rrcore.promise.certificate import Certificate, Claim, Ratio, certify
from rrcore.promise.sampler import randomize_codes
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights, Weights
from rrcore.table.schema import Attribute, Kind, Schema
from rrcore.wording.short import Short, some


class PlanLike(Protocol):
    """The part of a ``Plan`` that a mechanism file needs.

    ``Plan`` is in a package above this one.
    """

    @property
    def schema(self) -> Schema: ...
    def integer_groups(self, *, report: Report = quiet) -> tuple[tuple[tuple[int, ...], Weights], ...]: ...


_DIGITS = "^(0|[1-9][0-9]*)$"
_Weight = Annotated[str, Meta(pattern=_DIGITS, max_length=len(str(1 << MAX_WEIGHT_BITS)))]
_RecordWeight = Annotated[str, Meta(pattern=_DIGITS, max_length=len(str(1 << MAX_RECORD_BITS)))]


class AskedFields(Fields, frozen=True):
    """An attribute, and the reports that replace its categories, if they differ."""

    name: str
    kind: Kind
    categories: tuple[str, ...]
    reports: tuple[str, ...] = ()


class GroupFields(Fields, frozen=True):
    """Weights of a group: uniform and lies, or a matrix, or kinds and records."""

    attributes: tuple[str, ...]
    uniform: _Weight | None = None
    lies: Mapping[str, _Weight] | None = None
    matrix: tuple[tuple[_Weight, ...], ...] | None = None
    kinds: tuple[int, ...] | None = None
    records: tuple[_RecordWeight, ...] | None = None

    def weights(self, sizes: tuple[int, ...]) -> Weights:
        """Return the weights of attributes with these numbers of categories."""
        given = [name for name in self.__struct_fields__[1:] if getattr(self, name) is not None]
        if self.matrix is not None and given == ["matrix"]:
            return MatrixWeights(tuple(tuple(map(int, row)) for row in self.matrix))
        if self.kinds is not None and self.records is not None and given == ["kinds", "records"]:
            return CountWeights(sizes, self.kinds, tuple(map(int, self.records)))
        if self.uniform is not None and self.lies is not None and given == ["uniform", "lies"]:
            return LieWeights(sizes, int(self.uniform), tuple((name, int(weight)) for name, weight in self.lies.items()))
        raise InputError(f"Expected uniform and lies, or matrix, or kinds and records, got {' and '.join(given) or 'none'}.")


class MechanismFields(Fields, frozen=True, kw_only=True):
    """Integer weights of a mechanism and what they guarantee. They hold no answers."""

    format: Literal["rr-workbench mechanism"]
    version: Literal[1]
    made_by: str
    note: str
    attributes: tuple[AskedFields, ...]
    randomization: tuple[GroupFields, ...]
    claim: Claim
    sha256: str

    @property
    def fingerprint(self) -> str:
        """Return the SHA-256 of the canonical form, which lacks the field "sha256"."""
        body = {key: value for key, value in msgspec.to_builtins(self, enc_hook=simple).items() if key != "sha256"}
        canonical = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


@dataclass(frozen=True)
class MechanismFile(Short, Document):
    """Integer randomization of the answers to ``schema``, with its certificate.

    Parameters
    ----------
    schema : Schema
        At most 1,000 attributes.
    groups : tuple of (positions, Weights)
        Groups of attributes that are randomized independently of each other. Every attribute is in exactly one group.
    made_by, note : str
        Texts for people, at most 500 characters each.
    reports : Schema, optional
        The attributes with the categories of the randomized answers, ``schema`` by default. Attributes with a matrix can have
        different categories, one for each column of the matrix. These categories are unordered.

    Raises
    ------
    InputError
        If the groups do not match the schema and the reports.

    Examples
    --------
    >>> import rrcore as rr
    >>> plan = rr.Plan(rr.Schema((rr.Attribute("smokes", ("no", "yes")),)), 1.0, n=500)
    >>> file = rr.MechanismFile.from_plan(plan, note="Pilot")
    >>> file.epsilon.round(6), round(file.epsilon_total, 6)
    (array([1.]), 1.0)
    >>> rr.MechanismFile.from_json(file.to_json()) == file
    True
    """

    schema: Schema
    groups: tuple[tuple[tuple[int, ...], Weights], ...]
    made_by: str = ""
    note: str = ""
    reports: Schema = None  # type: ignore[assignment]  # the schema itself by default

    _file = MechanismFields
    _called = "mechanism file"
    _advice = "choose a file saved by 'Download mechanism file', or create it again"
    _how = "rr.MechanismFile.from_plan(plan)"

    def _summary(self) -> str:
        return f"{self.schema._summary()}; {self.certificate._summary()}; sha256 {self.sha256[:12]}..."

    def _repr_html_(self) -> str:
        """Return every epsilon, for a notebook."""
        return self.certificate._repr_html_(self.schema.names, f"Mechanism file {self.sha256[:12]}...")

    def __post_init__(self) -> None:
        k = len(self.schema.attributes)
        object.__setattr__(self, "reports", _reports(self.schema, self.reports))
        if k > MAX_COLUMNS:
            raise InputError(f"The mechanism file has {k:,} attributes, but at most {MAX_COLUMNS:,} are allowed.")
        if sorted(i for positions, _ in self.groups for i in positions) != list(range(k)):
            raise InputError("An attribute is in no group or in several groups. Put every attribute into exactly one group.")
        for positions, weights in self.groups:
            asked, reported = ([each.attributes[i] for i in positions] for each in (self.schema, self.reports))
            sizes, reports = tuple(each.size for each in asked), tuple(each.size for each in reported)
            if weights.sizes != sizes or weights.report_sizes != reports:
                raise InputError(
                    f"Expected weights of '{asked[0].name}' for {some(sizes)} categories and {some(reports)} reports, got "
                    f"{some(weights.sizes)} and {some(weights.report_sizes)}."
                )
            if asked != reported and weights.rows is None:
                raise InputError(f"'{asked[0].name}' has its own reports, which require a matrix. Leave its reports out.")
        for field, text in (("made_by", self.made_by), ("note", self.note)):
            if len(text) > MAX_TEXT:
                raise InputError(f"The field '{field}' has {len(text)} characters. Use at most {MAX_TEXT}.")
        encode([self.schema, self.reports, self.made_by, self.note])  # refuses half characters

    @cached_property
    def certificate(self) -> Certificate:
        """Exact epsilons, computed from the integers."""
        return certify(self.groups)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories, one per attribute."""
        return self.schema.sizes

    @property
    def report_sizes(self) -> tuple[int, ...]:
        """Numbers of different randomized answers, one per attribute."""
        return self.reports.sizes

    @property
    def epsilon(self) -> Floats:
        """Epsilon of each attribute, from the certificate, as floats. Infinite if there is no bound."""
        return np.array([_nats(ratio) for ratio in self.certificate.epsilon])

    @property
    def epsilon_informed(self) -> Floats:
        """Epsilon of each attribute for an attacker who knows the other answers."""
        return np.array([_nats(ratio) for ratio in self.certificate.epsilon_informed])

    @property
    def epsilon_total(self) -> float:
        """Epsilon of the whole record."""
        return _nats(self.certificate.epsilon_total)

    def sample(self, codes: Codes, *, rng: np.random.Generator) -> Codes:
        """Simulate randomized answers. Real answers need ``rr.randomize``.

        Parameters
        ----------
        codes : ndarray of int, shape (n, k)
            True answers, as positions among the categories.
        rng : Generator
            Source of randomness.

        Returns
        -------
        ndarray of int, shape (n, k)
            Randomized answers.

        Raises
        ------
        InputError
            If ``codes`` is not a table of k columns, or a code is out of range.
        """
        check_codes(codes, self.sizes)
        return randomize_codes(self, codes, rng.bytes)

    def channel(self, axes: Sequence[int]) -> Channel:
        """Return the floating-point channel of a marginal.

        Parameters
        ----------
        axes : sequence of int
            Positions of attributes, in the desired order.

        Returns
        -------
        Channel
            Probabilities of the randomized answers for each true answer.

        Raises
        ------
        InputError
            If the positions are invalid or repeated.
        """
        check_positions([axes], len(self.sizes), "A marginal")
        channels, found = [], []
        for places, weights in self.groups:
            asked = [position for position, i in enumerate(axes) if i in places]
            if asked:
                channels.append(weights.channel([places.index(axes[position]) for position in asked]))
                found.append(asked)
        return product_channel(channels, found)

    @cached_property
    def sha256(self) -> str:
        """Fingerprint of the canonical form: 64 hexadecimal digits, equal for equal mechanisms."""
        return self._fields().sha256

    def _fields(self) -> MechanismFields:
        names = self.schema.names
        fields = MechanismFields(
            format="rr-workbench mechanism",
            version=1,
            made_by=self.made_by,
            note=self.note,
            attributes=tuple(
                AskedFields(asked.name, asked.kind, asked.categories, () if asked == own else own.categories)
                for asked, own in zip(self.schema.attributes, self.reports.attributes, strict=True)
            ),
            randomization=tuple(
                GroupFields(tuple(names[i] for i in places), **weights.to_dict()) for places, weights in self.groups
            ),
            claim=self.certificate.claim(names),
            sha256="",
        )
        return msgspec.structs.replace(fields, sha256=fields.fingerprint)

    @classmethod
    def from_plan(cls, plan: PlanLike, *, made_by: str = "", note: str = "", report: Report = quiet) -> MechanismFile:
        """Return the integer mechanism file of a plan.

        Parameters
        ----------
        plan : Plan
            The plan.
        made_by, note : str
            Texts for people, at most 500 characters each.
        report : callable
            Called with the completed fraction and a description of the next step.

        Returns
        -------
        MechanismFile
            The mechanism, ready to save.

        Raises
        ------
        InputError
            If this is no plan, or the mechanism cannot be written in integers.
        """
        if not hasattr(plan, "integer_groups"):
            raise InputError(
                f"Expected a plan, got {type(plan).__name__}. Pass rr.Plan(...), or rr.Plan.load(path) for a plan file."
            )
        return cls(plan.schema, plan.integer_groups(report=report), made_by, note)

    @classmethod
    def _of(cls, found: MechanismFields) -> MechanismFile:
        if found.sha256 != found.fingerprint:
            raise InputError(
                "The content does not match its fingerprint (sha256), so the file was changed or damaged. Create it again."
            )
        asked = tuple(Attribute(each.name, each.categories, each.kind) for each in found.attributes)
        reported = (
            Attribute(each.name, each.reports) if each.reports else own for each, own in zip(found.attributes, asked, strict=True)
        )
        schema, groups = Schema(asked), []
        for number, group in enumerate(found.randomization):
            with inside(f"the mechanism file, randomization[{number}]"):
                positions = schema.axes(group.attributes)
                groups.append((positions, group.weights(tuple(schema.sizes[i] for i in positions))))
        made = cls(schema, tuple(groups), found.made_by, found.note, Schema(tuple(reported)))
        made._check_claim(found.claim)
        if made.sha256 != found.sha256:
            raise InputError(
                "The file has an empty or redundant field, such as reports that equal the categories. Create it again."
            )
        return made

    def _check_claim(self, claim: Claim) -> None:
        """Refuse a claim that is not exactly what the weights give."""
        right = self.certificate.claim(self.schema.names)
        pairs = zip(claim.attributes, right.attributes, strict=False)
        wrong = [f"'{own.attribute}'" for found, own in pairs if found != own] or ["the whole record"]
        if claim != right:
            raise InputError(f"The claim for {wrong[0]} does not follow from the weights. Create the file again.")


def _nats(ratio: Ratio) -> float:
    return math.inf if ratio is None else math.log(ratio.numerator) - math.log(ratio.denominator)


def _reports(schema: Schema, reports: Schema | None) -> Schema:
    """Return ``reports`` with the attributes of ``schema`` if they are the same."""
    if reports is None or reports == schema:
        return schema
    if reports.names != schema.names:
        raise InputError(
            "The recorded values and the questions have different attributes. Use the same names in the same order for both."
        )
    found = (
        asked if asked.categories == own.categories else Attribute(own.name, own.categories)
        for asked, own in zip(schema.attributes, reports.attributes, strict=True)
    )
    return Schema(tuple(found))
