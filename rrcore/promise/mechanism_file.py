"""The mechanism file: one JSON document that says how answers are randomised, in integers, and what that promises, exactly.

Weights are written as decimal strings, since many readers of JSON lose the digits of large numbers. The document names its own SHA-256,
taken over its canonical form: UTF-8, keys sorted, no spaces, without the field "sha256".
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn, Protocol

from rrcore.channel import Channel, product_channel
from rrcore.errors import InputError, check_positions, reading
from rrcore.files import new_file
from rrcore.limits import MAX_COLUMNS, MAX_RECORD_BITS, MAX_TEXT, MAX_WEIGHT_BITS
from rrcore.progress import Report, quiet
from rrcore.promise.certificate import Certificate, certify
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights, Weights
from rrcore.table.impossible import Impossible
from rrcore.table.plain import Place, described, from_plain, parse
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


_FORMAT = "rr-workbench mechanism"
_PLACE = Place("mechanism file", "choose a file as it was saved by 'Download mechanism file', or make it again")
_INTEGER = re.compile(r"0|[1-9][0-9]*")
_LONGEST, _LONGEST_OF_RECORD = (len(str(1 << bits)) for bits in (MAX_WEIGHT_BITS, MAX_RECORD_BITS))


@dataclass(frozen=True)
class MechanismFile(Short):
    """How the answers to ``schema`` are randomised, in integers.

    Parameters
    ----------
    schema : Schema of at most ``MAX_COLUMNS`` attributes. Which of their combinations cannot occur changes no promise: that holds for all
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
        _encode(self._body())

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
        return _fingerprint(self._document())

    def to_json(self) -> str:
        """The document; ``from_json`` reads it back. It holds no answers."""
        return json.dumps(self._document() | {"sha256": self.sha256}, ensure_ascii=False, indent=1)

    def _document(self) -> dict[str, Any]:
        return self._body() | {"claim": self.certificate.to_dict(self.schema.names)}

    def _body(self) -> dict[str, Any]:
        names = self.schema.names
        return {
            "format": _FORMAT,
            "version": 1,
            "made_by": self.made_by,
            "note": self.note,
            "attributes": [
                entry if asked == reported else entry | {"reports": list(reported.categories)}
                for entry, asked, reported in zip(
                    self.schema.to_dict(), self.schema.attributes, self.reports.attributes, strict=True
                )
            ],
            **self.schema.rules_to_dict(),
            "randomization": [{"attributes": [names[i] for i in places], **weights.to_dict()} for places, weights in self.groups],
        }

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
    def open(cls, path: str | PathLike[str]) -> MechanismFile:
        """Read a mechanism file from the disk. Raises InputError where it cannot be read, or is none.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import rrcore as rr
        >>> place = Path(tempfile.mkdtemp()) / "survey.json"
        >>> table = rr.load_demo("titanic").select(["Survived"])
        >>> rr.MechanismFile.from_plan(rr.Plan.for_levels(table, 1.0)).save(place)
        >>> rr.MechanismFile.open(place).schema.names
        ('Survived',)
        """
        with reading(path):
            return cls.from_bytes(Path(path).read_bytes())

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file, as a whole or not at all. Raises InputError where there is one already, or none can be written."""
        with new_file(Path(path)) as out:
            out.write(self.to_json().encode())

    @classmethod
    def from_bytes(cls, content: bytes) -> MechanismFile:
        """``from_json`` of a file's content."""
        return cls.from_json(content)

    @classmethod
    def from_json(cls, text: str | bytes) -> MechanismFile:
        """Read what ``to_json`` wrote.

        Raises
        ------
        InputError
            For anything else, with one sentence: unknown or missing fields, weights that are not integers or too large, rows that do not
            sum to the same, a claim that is not exactly what the weights give, a fingerprint that does not match.
        """
        document = parse(text, _PLACE)
        _PLACE.head(document, _FORMAT)
        found = from_plain(_Document, document, _PLACE, only=True)
        if found.sha256 != _fingerprint(document):
            _refuse("its content does not match its fingerprint (sha256), so it was changed or damaged after it was made")
        schema, reports = _schemas(document["attributes"], found.attributes)
        schema = schema.declared_in(document, _PLACE)
        places = map(_PLACE["randomization"].__getitem__, range(len(found.randomization)))
        groups = tuple(_group(entry, schema, place) for entry, place in zip(found.randomization, places, strict=True))
        made = cls(schema, groups, found.made_by, found.note, reports)
        made._check_claim(found.claim)
        return made

    def _check_claim(self, claim: Any) -> None:
        """Refuse a claim that is not exactly what the weights give: a lower one promises too much, a higher one was made otherwise."""
        right = self.certificate.to_dict(self.schema.names)
        if claim == right:
            return
        found = claim.get("attributes") if isinstance(claim, dict) else None
        wanted = right["attributes"]
        assert isinstance(wanted, list)
        if isinstance(found, list) and len(found) == len(wanted):
            for entry, correct in zip(found, wanted, strict=True):
                if entry != correct:
                    _refuse(
                        f"what it claims for '{correct['attribute']}' is not what its weights give ({correct['level']['nats']} nats)"
                    )
        total = right["total"]
        assert isinstance(total, dict)
        _refuse(f"what it claims for the whole record is not what its weights give ({total['nats']} nats)")


def _refuse(why: str) -> NoReturn:
    _PLACE.complain(why)


@dataclass(frozen=True)
class _Asked:
    """An attribute in a mechanism file."""

    name: str
    kind: Kind
    categories: tuple[str, ...]
    reports: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Document:
    """The fields of a mechanism file."""

    format: str
    version: int
    made_by: str
    note: str
    attributes: tuple[_Asked, ...]
    randomization: tuple[Mapping[str, Any], ...]
    claim: Mapping[str, Any]
    sha256: str
    impossible: tuple[Impossible, ...] = ()


@dataclass(frozen=True)
class _Matrix:
    """A group that is one attribute with a matrix of its own."""

    attributes: tuple[str, ...]
    matrix: tuple[tuple[str, ...], ...]

    def weights(self, sizes: tuple[int, ...], place: Place) -> Weights:
        return MatrixWeights(tuple(_integers(row, place["matrix"][number]) for number, row in enumerate(self.matrix)))


@dataclass(frozen=True)
class _Counts:
    """A group that weighs counts of lies."""

    attributes: tuple[str, ...]
    kinds: tuple[int, ...]
    records: tuple[str, ...]

    def weights(self, sizes: tuple[int, ...], place: Place) -> Weights:
        return CountWeights(sizes, self.kinds, _integers(self.records, place["records"], _LONGEST_OF_RECORD))


@dataclass(frozen=True)
class _Lies:
    """A group that weighs lie sets."""

    attributes: tuple[str, ...]
    uniform: str
    lies: Mapping[str, str]

    def weights(self, sizes: tuple[int, ...], place: Place) -> Weights:
        lies = tuple((name, _integer(weight, place["lies"][name])) for name, weight in self.lies.items())
        return LieWeights(sizes, _integer(self.uniform, place["uniform"]), lies)


def _schemas(entries: Sequence[Mapping[str, Any]], attributes: Sequence[_Asked]) -> tuple[Schema, Schema]:
    """What is asked, and what is reported."""
    asked, reported = [], []
    for number, (entry, own) in enumerate(zip(entries, attributes, strict=True)):
        asked.append(Attribute(own.name, own.categories, own.kind))
        if "reports" in entry and own.reports in ((), own.categories):
            _PLACE["attributes"][number]["reports"].refuse(
                "empty or the list of categories", "a list of its own, or no such field"
            )
        reported.append(Attribute(own.name, own.reports) if own.reports else asked[-1])
    return Schema(tuple(asked)), Schema(tuple(reported))


def _group(entry: Mapping[str, Any], schema: Schema, place: Place) -> tuple[tuple[int, ...], Weights]:
    kind: type[_Matrix | _Counts | _Lies] = _Matrix if "matrix" in entry else _Counts if "kinds" in entry else _Lies
    group = from_plain(kind, entry, place, only=True)
    if not group.attributes:
        place["attributes"].refuse("an empty list", "at least one name")
    with place.named():
        positions = schema.axes(group.attributes)
        return positions, group.weights(tuple(schema.sizes[i] for i in positions), place)


def _integers(texts: tuple[str, ...], place: Place, longest: int = _LONGEST) -> tuple[int, ...]:
    return tuple(_integer(text, place[number], longest) for number, text in enumerate(texts))


def _integer(text: str, place: Place, longest: int = _LONGEST) -> int:
    if len(text) > longest or not _INTEGER.fullmatch(text):
        place.refuse(described(text), f"a weight, which is a whole number of at most {longest} digits as text,")
    return int(text)


def _reports(schema: Schema, reports: Schema | None) -> Schema:
    """``reports`` with the attributes of ``schema`` where they are the same."""
    if reports is None or reports.attributes == schema.attributes:
        return schema
    if reports.names != schema.names:
        raise InputError("The reports are not of the attributes that are asked about: name them alike, in the same order.")
    found = (
        asked if asked.categories == own.categories else Attribute(own.name, own.categories)
        for asked, own in zip(schema.attributes, reports.attributes, strict=True)
    )
    return Schema(tuple(found))


def _fingerprint(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(_encode({key: value for key, value in document.items() if key != "sha256"})).hexdigest()


def _encode(document: Mapping[str, Any]) -> bytes:
    """The canonical form. Raises InputError for text that is not valid Unicode."""
    try:
        return json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        raise InputError("A name or category holds half a character (a lone surrogate): retype it.") from None
