"""JSON documents: what is read, the place of what is not, and the JSON Schemas that are generated."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from rrcore.asking import SurveyFile
from rrcore.budget import Pinned, Plan, Project
from rrcore.documents import Fields, decode, encode
from rrcore.errors import DocumentError
from rrcore.promise import MechanismFile
from tests.formats.test_formats import KINDS, text


@dataclass(frozen=True)
class Inner:
    name: str
    size: int = 2


class Outer(Fields, frozen=True):
    format: Literal["test"]
    share: float
    inner: tuple[Inner, ...] = ()
    weights: Mapping[str, float] = {}
    more: Inner | None = None


GOOD = '{"format": "test", "share": 1, "inner": [{"name": "é"}]}'


def read(content):
    return decode(content, Outer, "test file", "choose another")


def refusal(content):
    with pytest.raises(DocumentError) as caught:
        read(content)
    return str(caught.value)


@pytest.mark.parametrize("content", [GOOD, GOOD.encode(), b"\xef\xbb\xbf" + GOOD.encode(), "\ufeff" + GOOD])
def test_text_and_bytes_with_and_without_a_mark(content):
    found = read(content)
    assert found == Outer("test", 1.0, (Inner("é"),))
    assert type(found.share) is float
    assert read(encode(found)) == found


def test_values_of_numpy_and_infinity_are_written():
    value = Outer("test", np.float64(np.inf), weights={"a": np.float64(0.5)}, more=Inner(np.str_("x"), np.int64(3)))
    assert json.loads(encode(value)) == {
        "format": "test",
        "share": None,
        "weights": {"a": 0.5},
        "more": {"name": "x", "size": 3},
    }


def with_inner(inner):
    return '{"format": "test", "share": 1, "inner": [{"name": "a"}, ' + inner + "]}"


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("", ["line 1, column 1"]),
        ('{"format": "test",\n "share": 1,\n}', ["line 3, column 1"]),
        ('{"format": "test",\r\n "share": .5}', ["line 2, column 11"]),
        ('{"format": "test",\n "share": "\\ud83d\\ude00 \\ud83d"}', ["line 2, column 25"]),
        (b'{"format": "\xff"}', ["UTF-8", "13"]),
        ("[" * 100_000, ["nested too deeply"]),
        ("[]", ["a set of named fields", "a list of 0"]),
        ('{"share": 1}', ["'format'"]),
        ('{"format": "x", "share": 1}', ["format:", "'test'", "'x'"]),
        ('{"format": "test", "share": "1"}', ["share:", "a number", "'1'"]),
        ('{"format": "test", "share": true}', ["share:", "a number", "true"]),
        ('{"format": "test", "share": NaN}', ["share:", "a number", "NaN"]),
        ('{"format": "test", "share": 1e999}', ["share:", "a number", "too large"]),
        ('{"format": "test", "share": 1, "share": 1}', ["share:", "the field twice"]),
        ('{"format": "test", "share": 1, "other": 1}', ["'other'"]),
        (with_inner('{"name": "b", "size": 2.0}'), ["inner[1].size:", "a whole number", "2.0"]),
        (with_inner('{"name": "b", "size": ' + "1" * 41 + "}"), ["inner[1].size:", "40 digits"]),
        (with_inner('{"name": "b", "name": "b"}'), ["inner[1].name:", "the field twice"]),
        (with_inner('{"name": "b", "sise": 1}'), ["inner[1]:", "'sise'"]),
        (with_inner("{}"), ["inner[1]:", "'name'"]),
        (with_inner("3"), ["inner[1]:", "a set of named fields", "3"]),
        ('{"format": "test", "share": 1, "weights": {"a": null}}', ["weights['a']:", "a number", "null"]),
        (
            '{"format": "test", "share": 1, "weights": {' + ", ".join(f'"{i}": {i}' for i in range(9)) + ', "x": "y"}}',
            ["weights['x']:", "'y'"],
        ),
        ('{"format": "test", "share": 1, "more": 1}', ["more:", "a set of named fields or null"]),
    ],
)
def test_a_fault_is_named_with_its_place(content, named):
    found = refusal(content)
    assert found.endswith(". Choose another.")
    assert [each for each in named if each not in found] == []


@pytest.mark.parametrize("name", KINDS)
def test_schemas_are_generated_and_strict(name):
    schema, document = KINDS[name].json_schema(), json.loads(text(f"{name}.json"))
    Draft202012Validator.check_schema(schema)
    valid = Draft202012Validator(schema).is_valid
    assert valid(document)
    for wrong in (document | {"version": 2}, document | {"format": "x"}, document | {"more": 1}):
        assert not valid(wrong)
    for field in schema["$defs"][KINDS[name]._file.__name__]["required"]:
        assert not valid({key: value for key, value in document.items() if key != field})


@pytest.mark.parametrize("kind", [Plan, Pinned, Project, MechanismFile, SurveyFile])
def test_documents_are_saved_and_opened(kind, tmp_path):
    name = next(name for name, each in KINDS.items() if each is kind)
    value = kind.from_json(text(f"{name}.json"))
    value.save(tmp_path / "a.json")
    assert kind.load(tmp_path / "a.json") == value
