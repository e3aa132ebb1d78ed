"""The mechanism file: one JSON document that says how answers are randomised, in integers, and what that promises, exactly.

Weights are written as decimal strings, since many readers of JSON lose the digits of large numbers. The document names its own SHA-256,
taken over its canonical form: UTF-8, keys sorted, no spaces, without the field "sha256".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, Protocol

import msgspec
from msgspec import Meta

from rrcore.channel import Channel, product_channel
from rrcore.documents import Document, Fields, encode, inside, simple
from rrcore.errors import InputError, check_positions
from rrcore.limits import MAX_COLUMNS, MAX_RECORD_BITS, MAX_TEXT, MAX_WEIGHT_BITS
from rrcore.progress import Report, quiet
from rrcore.promise.certificate import Certificate, Claim, certify
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights, Weights
from rrcore.table.schema import Attribute, Kind, Schema
from rrcore.wording import counted
from rrcore.wording.short import Short


class PlanLike(Protocol):
    """What is asked of a ``Plan``, which stands a floor above."""

    @property
    def schema(self) -> Schema: ...
    @property
    def remark(self) -> str: ...
    def integer_groups(self, *, report: Report = quiet) -> tuple[tuple[tuple[int, ...], Weights], ...]: ...


_DIGITS = "^(0|[1-9][0-9]*)$"
_Weight = Annotated[str, Meta(pattern=_DIGITS, max_length=len(str(1 << MAX_WEIGHT_BITS)))]
_RecordWeight = Annotated[str, Meta(pattern=_DIGITS, max_length=len(str(1 << MAX_RECORD_BITS)))]


class AskedFields(Fields, frozen=True):
    """One attribute, and the reports that take the place of its categories, if they differ."""

    name: str
    kind: Kind
    categories: tuple[str, ...]
    reports: tuple[str, ...] = ()


class GroupFields(Fields, frozen=True):
    """Weights of a group of attributes: uniform and lies, or a matrix, or kinds and records."""

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
        raise InputError(f"Expected uniform and lies, or a matrix, or kinds and records, got {' and '.join(given) or 'none'}.")


class MechanismFields(Fields, frozen=True, kw_only=True):
    """How answers are randomized, in integers, with what that promises. There are no answers in it."""

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
        """SHA-256 of the canonical form, which lacks the field "sha256"."""
        body = {key: value for key, value in msgspec.to_builtins(self, enc_hook=simple).items() if key != "sha256"}
        canonical = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


@dataclass(frozen=True)
class MechanismFile(Short, Document):
    """How the answers to ``schema`` are randomised, in integers.

    Parameters
    ----------
    schema : Schema of at most ``MAX_COLUMNS`` attributes
    groups : tuple of (positions, Weights)
        Groups of attributes, randomised independently of each other; every attribute is in one group.
    made_by, note : str, at most ``MAX_TEXT`` characters each; for people
    reports : Schema of the same names, what is reported; ``schema`` by default
        Attributes with a matrix may have reports of their own, as many as the matrix has columns. Their order means nothing.

    Raises
    ------
    InputError
        If the groups do not fit the schema and the reports.

    Examples
    --------
    >>> import rrcore as rr
    >>> plan = rr.Plan.for_levels(rr.Schema((rr.Attribute("smokes", ("no", "yes")),)), 1.0, respondents=500)
    >>> file = rr.MechanismFile.from_plan(plan, note="Pilot")
    >>> file
    <MechanismFile: 1 attribute: smokes (2); whole record 1.000000000 nats, attributes 1.000000000 nats; sha256 db5617bf9f3b...>
    >>> rr.MechanismFile.from_json(file.to_json()) == file
    True
    """

    schema: Schema
    groups: tuple[tuple[tuple[int, ...], Weights], ...]
    made_by: str = ""
    note: str = ""
    reports: Schema = None  # type: ignore[assignment]  # the schema itself, so that nobody has to ask whether there are any

    _file = MechanismFields
    _called = "mechanism file"
    _advice = "choose a file as it was saved by 'Download mechanism file', or make it again"

    def _summary(self) -> str:
        return f"{self.schema._summary()}; {self.certificate._summary()}; sha256 {self.sha256[:12]}..."

    def __post_init__(self) -> None:
        k = len(self.schema.attributes)
        object.__setattr__(self, "reports", _reports(self.schema, self.reports))
        if k > MAX_COLUMNS:
            raise InputError(f"The mechanism file has {k:,} attributes: at most {MAX_COLUMNS:,} are allowed.")
        if sorted(i for positions, _ in self.groups for i in positions) != list(range(k)):
            raise InputError(
                "Some attribute is not randomised, or randomised twice: every attribute belongs to exactly one group."
            )
        for positions, weights in self.groups:
            if weights.sizes != tuple(self.schema.sizes[i] for i in positions):
                name = self.schema.names[positions[0]]
                rows = f": {len(weights.rows)} rows of a matrix" if weights.rows is not None else ""
                raise InputError(
                    f"The weights of the group of '{name}' do not match its numbers of categories{rows}. Make the file again."
                )
            self._check_reports(positions, weights)
        for field, text in (("made_by", self.made_by), ("note", self.note)):
            if len(text) > MAX_TEXT:
                raise InputError(f"The field '{field}' has {len(text)} characters: use at most {MAX_TEXT}.")
        encode([self.schema, self.reports, self.made_by, self.note])  # refuses half characters

    def _check_reports(self, positions: tuple[int, ...], weights: Weights) -> None:
        for i, needed in zip(positions, weights.report_sizes, strict=True):
            asked, reported = self.schema.attributes[i], self.reports.attributes[i]
            if needed != reported.size:
                raise InputError(
                    f"The matrix of '{asked.name}' has {needed} columns and {counted(reported.size, 'report is', 'reports are')} named: "
                    "name one report for each column."
                )
            if asked != reported and weights.rows is None:
                raise InputError(
                    f"'{asked.name}' has reports of its own and is not randomised by a matrix: leave its reports out, or give it a matrix."
                )

    @cached_property
    def certificate(self) -> Certificate:
        """Exact levels, leakage and total, computed from the integers."""
        return certify(self.groups)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories a_i, one per attribute."""
        return self.schema.sizes

    def marginal_channel(self, axes: Sequence[int]) -> Channel:
        """The channel on the marginal over ``axes`` (positions of attributes, in the order wanted), in floating point."""
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
        """The fingerprint of the canonical form: 64 hexadecimal digits, the same for the same mechanism file anywhere."""
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
        """The mechanism of a plan in integers.

        Parameters
        ----------
        plan : Plan
        made_by, note : as in the class
        report : is told how far the search for the mechanism is

        Raises
        ------
        InputError
            Where the mechanism cannot be written in integers; before the search for it, where that is known.
        """
        return cls(plan.schema, plan.integer_groups(report=report), made_by, note or plan.remark)

    @classmethod
    def _of(cls, found: MechanismFields) -> MechanismFile:
        if found.sha256 != found.fingerprint:
            raise InputError("The content does not match its fingerprint (sha256): it was changed or damaged, so make it again.")
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
            raise InputError("It has a field that is empty or needless, such as reports that are the categories: make it again.")
        return made

    def _check_claim(self, claim: Claim) -> None:
        """Refuse a claim that is not exactly what the weights give: a lower one promises too much, a higher one was made otherwise."""
        right = self.certificate.claim(self.schema.names)
        for found, own in zip(claim.attributes, right.attributes, strict=False):
            if found != own:
                raise InputError(
                    f"The claim for '{own.attribute}' is not what its weights give ({own.level.nats} nats): make it again."
                )
        if claim != right:
            raise InputError(
                f"The claim for the whole record is not what its weights give ({right.total.nats} nats): make it again."
            )


def _reports(schema: Schema, reports: Schema | None) -> Schema:
    """``reports`` with the attributes of ``schema`` where they are the same."""
    if reports is None or reports == schema:
        return schema
    if reports.names != schema.names:
        raise InputError("The reports are not of the attributes that are asked about: name them alike, in the same order.")
    found = (
        asked if asked.categories == own.categories else Attribute(own.name, own.categories)
        for asked, own in zip(schema.attributes, reports.attributes, strict=True)
    )
    return Schema(tuple(found))
