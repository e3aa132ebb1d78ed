"""The mechanism file: what is written is read, what is changed is refused, and no claim is believed that the weights do not bear out."""

import copy
import hashlib
import json
import re
from dataclasses import astuple
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute, Schema
from tests import oracles
from tests.promise.designs_zoo import ZOO, file_of

FILES = {name: file_of(groups, made_by="Büro", note="first") for name, groups in ZOO.items()}


def sealed(document):
    """``document`` as text with the fingerprint that fits it."""
    body = {key: value for key, value in document.items() if key != "sha256"}
    canonical = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    return json.dumps(document | {"sha256": hashlib.sha256(canonical).hexdigest()})


def assert_one_sentence(message):
    """Short, on one line, and fit for any terminal."""
    assert message.endswith(".")
    assert message.isprintable()
    assert len(message) < 400


def refusal(text):
    """The sentence that ``text`` is refused with; None where it is accepted."""
    try:
        MechanismFile.from_json(text)
    except InputError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", FILES)
def test_what_is_written_is_read(name):
    file = FILES[name]
    again = MechanismFile.from_json(file.to_json())
    assert again == file
    assert again.sha256 == file.sha256 == json.loads(file.to_json())["sha256"]
    assert sealed(json.loads(file.to_json())).endswith(f'"sha256": "{file.sha256}"}}')


def test_layout_and_order_of_fields_do_not_matter_but_content_does():
    file = FILES["two-groups"]
    document = json.loads(file.to_json())
    shuffled = json.dumps(dict(reversed(document.items())), indent=7)
    assert MechanismFile.from_json(shuffled) == file
    assert file_of(ZOO["two-groups"], made_by="Büro", note="second").sha256 != file.sha256


@pytest.mark.parametrize("name", ["coupled", "two-groups", "planned", "forced"])
@pytest.mark.parametrize("step", [-1, 1])
def test_a_claim_one_unit_off_is_refused(name, step):
    original = json.loads(FILES[name].to_json())
    places = [("epsilon_total", None)] + [
        (kind, i) for i in range(len(original["attributes"])) for kind in ("epsilon", "epsilon_informed")
    ]
    for kind, i in places:
        for field in ("ratio", "nats"):
            document = copy.deepcopy(original)
            claim = document["claim"]["epsilon_total"] if i is None else document["claim"]["attributes"][i][kind]
            if field == "ratio":
                top, bottom = claim["ratio"].split("/")
                claim["ratio"] = f"{int(top) + step}/{bottom}"
            else:
                claim["nats"] = f"{float(claim['nats']) + step * 1e-9:.9f}"
            assert "does not follow from the weights" in refusal(sealed(document))
    assert refusal(sealed(original)) is None


def changed(name, change):
    document = json.loads(FILES[name].to_json())
    change(document)
    return sealed(document)


def earlier(claim):
    """Name the epsilons of a claim as earlier files did."""
    claim["total"] = claim.pop("epsilon_total")
    for each in claim["attributes"]:
        each["level"] = each.pop("epsilon")


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("coupled", lambda d: d.update(extra=1), "'extra'"),
        ("coupled", lambda d: d.pop("note"), "'note'"),
        ("coupled", lambda d: earlier(d["claim"]), r"claim.attributes\[0\]: .*'level'"),
        ("coupled", lambda d: d["attributes"][0].update(level=1), r"attributes\[0\]: .*'level'"),
        ("coupled", lambda d: d["randomization"][0].update(seed=1), r"randomization\[0\]: .*'seed'"),
        ("coupled", lambda d: d["randomization"][0].update(uniform=5), r"randomization\[0\].uniform: expected text"),
        ("coupled", lambda d: d["randomization"][0].update(uniform="5.0"), r"randomization\[0\].uniform: expected text"),
        ("coupled", lambda d: d["randomization"][0].update(uniform="05"), r"randomization\[0\].uniform: expected text"),
        ("coupled", lambda d: d["randomization"][0].update(uniform="-5"), r"randomization\[0\].uniform: expected text"),
        ("coupled", lambda d: d["randomization"][0].update(uniform=True), r"randomization\[0\].uniform: expected text"),
        ("coupled", lambda d: d["randomization"][0].update(uniform="9" * 49), "163 bits.*160"),
        ("coupled", lambda d: d["randomization"][0].update(uniform="9" * 5000), r"randomization\[0\].uniform: expected text"),
        ("coupled", lambda d: d["randomization"][0]["lies"].update({"00": "0"}), "weight below 1"),
        ("coupled", lambda d: d["randomization"][0]["lies"].update({"0": "1"}), "increasing order"),
        ("coupled", lambda d: d["randomization"][0]["lies"].update({"02": "1"}), "increasing order"),
        ("coupled", lambda d: d["randomization"][0].update(lies={"11": "9", "00": "20", "01": "3"}), "in increasing order"),
        (
            "coupled",
            lambda d: d["randomization"][0].update(lies=[["00", "20"]]),
            r"randomization\[0\].lies: expected a set",
        ),
        ("coupled", lambda d: d["randomization"][0].update(attributes=["q1", "q0"]), "does not follow from the weights"),
        ("coupled", lambda d: d["randomization"][0].update(attributes=["q0"]), "sets of 1 characters"),
        ("coupled", lambda d: d["randomization"][0].update(attributes=["q0", "q0"]), "named twice"),
        (
            "coupled",
            lambda d: d["randomization"][0].update(attributes=["q0", "zz"]),
            r"randomization\[0\].* no attribute 'zz'",
        ),
        ("coupled", lambda d: d["randomization"][0].update(attributes=["q0", "z" * 9000]), "no attribute 'zzz"),
        ("coupled", lambda d: d["randomization"][0]["lies"].update({"z\n\x1b": "1"}), "sets of 2 characters"),
        (
            "coupled",
            lambda d: d["attributes"][0].update(kind="k" * 9000),
            r"attributes\[0\].kind: expected 'nominal' or 'ordinal', got 'kkk",
        ),
        ("coupled", lambda d: d["attributes"][0].update(kind=[]), r"attributes\[0\].kind: expected"),
        ("coupled", lambda d: d.update({"a\nb\x1b[31m": 1}), r"'a\\nb\\x1b\[31m'"),
        ("coupled", lambda d: d.update({"x" * 9000: 1}), "'xxx"),
        ("coupled", lambda d: d.update(version=["v" * 9000]), "version"),
        ("coupled", lambda d: d["randomization"].append(d["randomization"][0]), "in no group"),
        ("coupled", lambda d: d.update(randomization=[]), "no group"),
        ("coupled", lambda d: d.update(version=2), "version: expected 1, got 2"),
        ("coupled", lambda d: d.update(version=True), "version: expected 1, got true"),
        ("coupled", lambda d: d.update(version=1.0), "version: expected 1, got 1.0"),
        ("coupled", lambda d: d.update(made_by=None), "made_by: expected text"),
        ("coupled", lambda d: d.update(note="x" * 501), "'note' has 501 characters"),
        (
            "coupled",
            lambda d: d["attributes"][0].update(categories="c0"),
            r"attributes\[0\].categories: expected a list",
        ),
        (
            "coupled",
            lambda d: d["attributes"][0].update(categories=["c0", 1]),
            r"attributes\[0\].categories\[1\]: expected text, got 1",
        ),
        ("coupled", lambda d: d["attributes"].pop(), r"randomization\[0\].* no attribute 'q1'"),
        (
            "skew",
            lambda d: d["randomization"][0]["matrix"][1].__setitem__(0, "2"),
            "row 2 of a matrix",
        ),
        ("skew", lambda d: d["randomization"][0]["matrix"].pop(), "got 2 and"),
        ("skew", lambda d: d["randomization"][0].update(matrix=[["1", "1", "1"]] * 3), "singular"),
        ("skew", lambda d: d["randomization"][0].update(lies={}), "got lies and matrix"),
        ("coupled", lambda d: d["claim"].update(note="trust me"), "claim: .*'note'"),
        ("coupled", lambda d: d.update(claim=None), "claim: expected a set"),
    ],
)
def test_every_rule_of_reading(name, change, message):
    found = refusal(changed(name, change))
    assert found is not None
    assert re.search(message, found)
    assert_one_sentence(found)


@pytest.mark.parametrize("change", [{"\ud800": 1}, {"version": "\ud800"}, {"note": "\ud800"}], ids=["field", "version", "note"])
def test_half_a_character_is_refused_wherever_it_stands(change):
    """A message that quoted it could not be printed."""
    found = refusal(json.dumps(json.loads(FILES["coupled"].to_json()) | change))
    assert "lone surrogate" in found
    assert_one_sentence(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "expected a set of named fields"),
        ('{"format": "rr-workbench plan"}', "format: expected 'rr-workbench mechanism', got 'rr-workbench plan'"),
        ('{"format": "rr-workbench mechanism", "version": 1}', "the field 'made_by' is missing"),
    ],
)
def test_what_is_no_mechanism_file(text, message):
    assert re.search(message, refusal(text))


def test_a_weight_changed_after_the_file_was_made_is_noticed():
    text = FILES["coupled"].to_json().replace('"uniform": "5"', '"uniform": "4"')
    assert "was changed or damaged" in refusal(text)


def test_half_a_character_is_refused_when_made():
    with pytest.raises(InputError, match="lone surrogate"):
        MechanismFile(Schema((Attribute("q0", ("a\ud800", "b")),)), ZOO["forced"])


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(InputError, match="UTF-8"):
        MechanismFile.from_json(b"\xff\xfe{}")
    assert MechanismFile.from_json(b"\xef\xbb\xbf" + FILES["forced"].to_json().encode()) == FILES["forced"]


def nodes(value, path=()):
    """Paths of everything inside a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from nodes(inner, (*path, key))


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 10**25), st.floats(allow_nan=False), st.text(max_size=6),
    st.sampled_from(["0", "1", "2", "7", "9" * 60, "-1", "1e3", "q0", "q1", "c0", "00", "01", "11", "unbounded", "5/1", "nominal"]),
    st.lists(st.sampled_from(["0", "1", "5"]), max_size=3),
    st.dictionaries(st.sampled_from(["00", "01", "11", "epsilon"]), st.just("3"), max_size=2),
)  # fmt: skip


def mutate(document, path, how, new, where):
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    if how == "delete":
        del parent[path[-1]]
    elif how == "duplicate" and isinstance(parent, list):
        parent.insert(where % (len(parent) + 1), copy.deepcopy(parent[path[-1]]))
    elif how == "duplicate":
        parent[f"{path[-1]} "] = copy.deepcopy(parent[path[-1]])
    elif how == "add" and isinstance(parent[path[-1]], list):
        parent[path[-1]].insert(where % (len(parent[path[-1]]) + 1), new)
    elif how == "add" and isinstance(parent[path[-1]], dict):
        parent[path[-1]][str(new)] = new
    else:
        parent[path[-1]] = new


def check(text):
    """Whatever was done to a file: a sentence, or a file whose claim is what the written-out channel gives."""
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    try:
        accepted = MechanismFile.from_json(content)
    except InputError as error:
        assert_one_sentence(str(error))
        return False
    claim = json.loads(content)["claim"]
    epsilon, epsilon_informed, total = (
        oracles.exact_promises(accepted.groups) if len(accepted.groups) < 3 else astuple(accepted.certificate)
    )
    assert [read(entry["epsilon"]) for entry in claim["attributes"]] == list(epsilon)
    assert [read(entry["epsilon_informed"]) for entry in claim["attributes"]] == list(epsilon_informed)
    assert read(claim["epsilon_total"]) == total
    return True


def read(stated):
    """The ratio that an entry of a claim states, after its logarithm was held against it."""
    if stated["ratio"] == "unbounded":
        assert stated["nats"] == "unbounded"
        return None
    ratio = Fraction(stated["ratio"])
    with localcontext(prec=60):
        exact = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
        assert re.fullmatch(r"\d+\.\d{9}", stated["nats"])
        assert Decimal("-1e-50") < Decimal(stated["nats"]) - exact < Decimal("1.000001e-9")
    return ratio


@pytest.mark.slow
@settings(max_examples=100)
@given(st.sampled_from(["forced", "skew", "coupled", "backwards", "unbounded", "two-groups"]), st.booleans(), st.data())
def test_mutations_end_in_a_sentence_or_a_true_claim(name, seal, data):
    document = json.loads(FILES[name].to_json())
    for _ in range(data.draw(st.integers(1, 3))):
        paths = [path for path in nodes(document) if path]
        if not paths:
            break
        path = paths[data.draw(st.integers(0, len(paths) - 1))]
        mutate(
            document,
            path,
            data.draw(st.sampled_from(["replace", "delete", "add", "duplicate"])),
            data.draw(JUNK),
            data.draw(st.integers(0, 5)),
        )
    try:
        text = sealed(document) if seal else json.dumps(document)
    except UnicodeEncodeError:
        text = json.dumps(document)
    check(text)


@pytest.mark.slow
@settings(max_examples=70)
@given(st.sampled_from(list(FILES)), st.floats(0, 1), st.integers(0, 30), st.text(max_size=4))
def test_cut_and_garbled_texts_end_in_a_sentence(name, where, gone, new):
    text = FILES[name].to_json()
    at = int(where * len(text))
    check(text[:at] + new + text[at + gone :])


@pytest.mark.slow
@settings(max_examples=100)
@given(st.sampled_from(["forced", "coupled"]), st.integers(0, 10**6), st.binary(max_size=5), st.integers(0, 5))
def test_changed_bytes_end_in_a_sentence(name, where, new, gone):
    content = FILES[name].to_json().encode()
    at = where % len(content)
    check(content[:at] + new + content[at + gone :])


@pytest.mark.slow
@settings(max_examples=30)
@given(st.recursive(JUNK, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)))
def test_any_json_is_refused_alone_and_in_place_of_a_part(value):
    assert not check(json.dumps(value))
    for place in ("attributes", "randomization", "claim"):
        assert not check(sealed(json.loads(FILES["coupled"].to_json()) | {place: value}))
