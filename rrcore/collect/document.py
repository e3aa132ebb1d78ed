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
from typing import Any, NoReturn, get_args

from rrcore.channel import Channel, side_by_side
from rrcore.collect.certificate import Certificate, certify
from rrcore.collect.weights import CountWeights, LieWeights, MatrixWeights, Weights
from rrcore.errors import InputError
from rrcore.limits import MAX_COLUMNS, MAX_FIRST_FILE_ATTRIBUTES, MAX_MECHANISM_BYTES, MAX_RECORD_BITS, MAX_TEXT, MAX_WEIGHT_BITS
from rrcore.table.schema import Attribute, Kind, Schema
from rrcore.wording import counted

MECHANISM_VERSION = 3
"""Newest schema number of the mechanism file. What an earlier version can say is still written as that one, so that no fingerprint changes.
"""

_FORMAT = "rr-workbench mechanism"
_TOP = ("format", "version", "made_by", "note", "attributes", "randomization", "claim", "sha256")
_INTEGER = re.compile(r"0|[1-9][0-9]*")
_LONGEST, _LONGEST_OF_RECORD = (len(str(1 << bits)) for bits in (MAX_WEIGHT_BITS, MAX_RECORD_BITS))


@dataclass(frozen=True)
class MechanismFile:
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
    >>> file = rr.MechanismFile(plan.schema, rr.integer_groups(plan.build()), note="Pilot")
    >>> rr.MechanismFile.from_json(file.to_json()) == file
    True
    """

    schema: Schema
    groups: tuple[tuple[tuple[int, ...], Weights], ...]
    made_by: str = ""
    note: str = ""
    reports: Schema = None  # type: ignore[assignment]  # the schema itself, so that nobody has to ask whether there are any

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
                rows = f": {len(weights.rows)} rows of a matrix" if isinstance(weights, MatrixWeights) else ""
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
            if asked != reported and not isinstance(weights, MatrixWeights):
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
        channels, found = [], []
        for places, weights in self.groups:
            asked = [position for position, i in enumerate(axes) if i in places]
            if asked:
                channels.append(weights.channel([places.index(axes[position]) for position in asked]))
                found.append(asked)
        return side_by_side(channels, found)

    @property
    def version(self) -> int:
        """The lowest version of the file that can hold it."""
        if self.reports != self.schema:
            return 3
        counts = any(isinstance(weights, CountWeights) for _, weights in self.groups)
        return 2 if counts or len(self.schema.attributes) > MAX_FIRST_FILE_ATTRIBUTES else 1

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
            "version": self.version,
            "made_by": self.made_by,
            "note": self.note,
            "attributes": [
                entry if asked == reported else entry | {"reports": list(reported.categories)}
                for entry, asked, reported in zip(
                    self.schema.to_dict(), self.schema.attributes, self.reports.attributes, strict=True
                )
            ],
            "randomization": [{"attributes": [names[i] for i in places], **weights.to_dict()} for places, weights in self.groups],
        }

    @classmethod
    def from_bytes(cls, content: bytes) -> MechanismFile:
        """``from_json`` of a file's content."""
        try:
            return cls.from_json(content.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise InputError("The mechanism file is not UTF-8 text: choose a file saved by 'Download mechanism file'.") from None

    @classmethod
    def from_json(cls, text: str) -> MechanismFile:
        """Read what ``to_json`` wrote.

        Raises
        ------
        InputError
            For anything else, with one sentence: unknown or missing fields, weights that are not integers or too large, rows that do not
            sum to the same, a claim that is not exactly what the weights give, a fingerprint that does not match.
        """
        if len(text) > MAX_MECHANISM_BYTES:
            _refuse(f"it has more than {MAX_MECHANISM_BYTES // 2**20} MB")
        try:
            document = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
        except InputError:
            raise
        except (ValueError, RecursionError):
            raise InputError("The mechanism file is not JSON: choose a file saved by 'Download mechanism file'.") from None
        return cls._from_document(document)

    @classmethod
    def _from_document(cls, document: Any) -> MechanismFile:
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise InputError("This is not a mechanism file: choose a file saved by 'Download mechanism file'.")
        found = _fingerprint(document)
        if type(document.get("version")) is not int or not 1 <= document["version"] <= MECHANISM_VERSION:
            shown = repr(document.get("version"))[:20]
            _refuse(f"it has version {shown} and this program reads versions 1 to {MECHANISM_VERSION}")
        _check_fields(document, _TOP, "it")
        if document["sha256"] != found:
            _refuse("its content does not match its fingerprint (sha256), so it was changed or damaged after it was made")
        schema, reports = _schemas(document["attributes"])
        entries = document["randomization"]
        if not isinstance(entries, list) or not entries:
            _refuse("'randomization' is not a list of groups")
        groups = tuple(_group(entry, schema, number) for number, entry in enumerate(entries, 1))
        made = cls(schema, groups, _text(document["made_by"], "made_by"), _text(document["note"], "note"), reports)
        if made.version != document["version"]:
            _refuse(f"it has version {document['version']}, and what it says is written as version {made.version}")
        made._check_claim(document["claim"])
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
    raise InputError(f"The mechanism file cannot be used: {why}. Use the file as it was downloaded, or make it again.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        _refuse("a field occurs twice in one place")
    return found


def _no_constant(name: str) -> NoReturn:
    _refuse(f"it contains {name}, which is not a number")


def _check_fields(entry: Mapping[str, Any], fields: Sequence[str], where: str) -> None:
    unknown = [name for name in entry if name not in fields]
    if unknown:
        _refuse(f"{where} has an unknown field {unknown[0][:40]!r}")
    missing = [name for name in fields if name not in entry]
    if missing:
        _refuse(f"{where} lacks the field '{missing[0]}'")


def _text(value: Any, field: str) -> str:
    if not isinstance(value, str):
        _refuse(f"the field '{field}' is not text")
    return str(value)


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


def _schemas(entries: Any) -> tuple[Schema, Schema]:
    """What is asked, and what is reported."""
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        _refuse("'attributes' is not a list of attributes")
    asked, reported = [], []
    for number, entry in enumerate(entries, 1):
        own = ("reports",) if "reports" in entry else ()
        _check_fields(entry, ("name", "kind", "categories", *own), f"attribute {number}")
        if not isinstance(entry["categories"], list) or entry["kind"] not in get_args(Kind):
            _refuse(f"the categories or the kind of attribute {number} are not understood")
        asked.append(Attribute(entry["name"], tuple(entry["categories"]), entry["kind"]))
        if own and (not isinstance(entry["reports"], list) or entry["reports"] == entry["categories"]):
            _refuse(f"the reports of attribute {number} are not a list of their own")
        reported.append(Attribute(entry["name"], tuple(entry["reports"])) if own else asked[-1])
    return Schema(tuple(asked)), Schema(tuple(reported))


def _group(entry: Any, schema: Schema, number: int) -> tuple[tuple[int, ...], Weights]:
    where = f"group {number}"
    if not isinstance(entry, dict) or not isinstance(entry.get("attributes"), list):
        _refuse(f"{where} has no list of attributes")
    if not entry["attributes"] or not all(isinstance(name, str) for name in entry["attributes"]):
        _refuse(f"{where} has no names of attributes")
    unknown = [name for name in entry["attributes"] if name not in schema.names]
    if unknown:
        _refuse(f"{where} names {unknown[0][:40]!r}, which is not one of its attributes")
    positions = schema.axes(entry["attributes"])
    if "matrix" in entry:
        _check_fields(entry, ("attributes", "matrix"), where)
        rows = entry["matrix"]
        if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
            _refuse(f"the matrix of {where} is not a list of rows")
        return positions, MatrixWeights(tuple(tuple(_integer(cell, where) for cell in row) for row in rows))
    sizes = tuple(schema.sizes[i] for i in positions)
    if "kinds" in entry:
        _check_fields(entry, ("attributes", "kinds", "records"), where)
        if not isinstance(entry["kinds"], list) or not all(type(number) is int for number in entry["kinds"]):
            _refuse(f"the kinds of {where} are not a list of whole numbers")
        if not isinstance(entry["records"], list):
            _refuse(f"the weights of {where} are not a list")
        records = tuple(_integer(weight, where, _LONGEST_OF_RECORD) for weight in entry["records"])
        return positions, CountWeights(sizes, tuple(entry["kinds"]), records)
    _check_fields(entry, ("attributes", "uniform", "lies"), where)
    if not isinstance(entry["lies"], dict):
        _refuse(f"the lie sets of {where} are not a JSON object")
    lies = tuple((name, _integer(weight, where)) for name, weight in entry["lies"].items())
    return positions, LieWeights(sizes, _integer(entry["uniform"], where), lies)


def _integer(text: Any, where: str, longest: int = _LONGEST) -> int:
    if not isinstance(text, str) or len(text) > longest or not _INTEGER.fullmatch(text):
        _refuse(f"{where} has the weight {str(text)[:40]!r}, and weights are whole numbers of at most {longest} digits, as text")
    return int(text)


def _fingerprint(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(_encode({key: value for key, value in document.items() if key != "sha256"})).hexdigest()


def _encode(document: Mapping[str, Any]) -> bytes:
    """The canonical form. Raises InputError for text that is not valid Unicode, and for endlessly nested lists."""
    try:
        return json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        raise InputError("A name or category holds half a character (a lone surrogate): retype it.") from None
    except RecursionError:
        raise InputError("The mechanism file is nested too deeply: choose a file saved by 'Download mechanism file'.") from None
