"""The script that goes along with answers: what it computes is the certificate, it needs nothing, and no forged file gets past it."""

import ast
import copy
import json
import math
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rrcore as rr
from rrcore.budget import build
from rrcore.promise import check, integer_groups
from rrcore.promise.certificate import certify
from rrcore.promise.certificate_files import certificate_files
from rrcore.promise.statement import stated_truthful_shares
from rrcore.promise.weights import CountWeights, LieWeights
from tests import oracles
from tests.promise.designs_zoo import NAMES, ZOO, file_of, groups_of
from tests.promise.test_mechanism_file import earlier, nodes, refusal, sealed

SCRIPT = Path(check.__file__)
FEW = ["forced", "coupled", "unbounded", "two-groups", "counted"]


@pytest.fixture(autouse=True)
def digits():
    """The script is for a process of its own: what it allows there is taken back."""
    most = sys.get_int_max_str_digits()
    yield
    sys.set_int_max_str_digits(most)


def finite(ratio):
    return math.inf if ratio is None else ratio


def computed(file):
    """All epsilons by the script, and how often answers are reported truly."""
    found, total = check.promises(json.loads(file.to_json()))
    assert list(found) == list(file.schema.names)
    truths, epsilon, epsilon_informed = zip(*found.values(), strict=True)
    return epsilon, epsilon_informed, total, truths


def certified(file):
    found = file.certificate
    return tuple(map(finite, found.epsilon)), tuple(map(finite, found.epsilon_informed)), finite(found.epsilon_total)


@pytest.mark.parametrize("name", NAMES)
def test_it_computes_the_certificate_in_exact_fractions(name):
    file = file_of(groups_of(name))
    *found, truths = computed(file)
    assert tuple(found) == certified(file)
    assert [(min(each), max(each)) if each else None for each in truths] == list(stated_truthful_shares(file))


@pytest.mark.parametrize(
    ("name", "sizes", "epsilon"),
    [
        ("optimal", (3, 2, 5, 4, 2), [1.0, 0.4, 2.0, 1.5, 0.7]),
        ("preserving-3", (3, 2, 5, 4, 2), [1.0, 0.4, 2.0, 1.5, 0.7]),
        ("preserving-2", (2,) * 15 + (4,) * 10, [1.0] * 25),
        ("optimal", (2,) * 60, [0.5] * 60),
        ("closed-form", (5,) * 70, [9.0] * 70),
        ("independent", (2, 3, 7) * 40, [0.3, 2.0, 5.0] * 40),
    ],
)
def test_it_follows_mechanisms_that_no_table_of_records_holds(name, sizes, epsilon):
    file = file_of(integer_groups(build(name, sizes, epsilon)))
    *found, _ = computed(file)
    assert tuple(found) == certified(file)


small = st.integers(0, 5)


@settings(max_examples=30)
@given(st.lists(st.integers(2, 3), min_size=1, max_size=3), st.booleans(), st.data())
def test_random_weights_against_the_channel_that_is_written_out(sizes, counted, data):
    sizes = tuple(sorted(sizes))
    if counted:
        kinds = tuple(sizes.count(size) for size in sorted(set(sizes)))
        vectors = math.prod(n + 1 for n in kinds)
        records = tuple(data.draw(st.lists(small, min_size=vectors, max_size=vectors).filter(any)))
        weights = CountWeights(sizes, kinds, records)
    else:
        named = [format(i, f"0{len(sizes)}b") for i in range(1 << len(sizes))]
        lies = tuple((name, weight) for name in named if (weight := data.draw(small)))
        weights = LieWeights(sizes, data.draw(small) + (not lies), lies)
    groups = ((tuple(range(len(sizes))), weights),)
    *found, _ = computed(file_of(groups))
    epsilon, epsilon_informed, total = oracles.exact_promises(groups)
    assert tuple(found) == (tuple(map(finite, epsilon)), tuple(map(finite, epsilon_informed)), finite(total))


def test_largest_counts_no_bound_once_and_what_never_happens_not_at_all():
    assert check.largest([]) == check.largest([(0, 0)]) == 1
    assert check.largest([(3, 2), (0, 0), (2, 7)]) == Fraction(7, 2)
    assert check.largest([(3, 2), (0, 1), (2, 7)]) == math.inf


# in a folder of its own, by a Python that knows nothing else


def handed_over(place, document, **files):
    """The script next to a mechanism file and ``files``, and how it ended: code, output, message."""
    place.mkdir(exist_ok=True)
    (place / "check.py").write_bytes(SCRIPT.read_bytes())
    (place / "mechanism.json").write_text(document, encoding="utf-8")
    for name, text in files.items():
        (place / f"{name}.json").write_text(text, encoding="utf-8")
    environment = {"LC_ALL": "C"} | {key: os.environ[key] for key in ("SYSTEMROOT",) if key in os.environ}
    command = [sys.executable, "-I", "-X", "utf8=0", "check.py"]  # on a terminal that knows no letter but those of ASCII
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES[::8])
def test_it_runs_alone_and_finds_every_claim_kept_to_the_last_digit(name, tmp_path):
    file = file_of(groups_of(name), made_by="Büro", note="first")
    certificate = certificate_files(file)["certificate.json"]
    code, out, message = handed_over(tmp_path / "alone", file.to_json(), certificate=certificate)
    assert (code, message) == (0, "")
    assert [line for line in out.splitlines() if "to the last digit" in line] == [
        "mechanism.json: every claim holds, to the last digit.",
        "certificate.json: every claim holds, to the last digit.",
    ]


def test_what_it_prints(tmp_path):
    """By hand: 51/23 and 65/23 alone; 125/6 against 5/6 and against 14/6 for a record; 125/6 to 5/6 over all records."""
    schema = rr.Schema((rr.Attribute("smokes\x1b[31m", ("no", "yes")), rr.Attribute("Größe", ("a", "b", "c"))))
    file = rr.MechanismFile(schema, (((0, 1), LieWeights((2, 3), 5, (("00", 20), ("01", 3), ("11", 9)))),))
    code, out, _ = handed_over(tmp_path / "alone", file.to_json())
    assert code == 0
    assert out.splitlines() == [
        f"mechanism.json, SHA-256 {file.sha256}",
        "A report shifts the odds between two true answers at most by:",
        r"'smokes\x1b[31m': 68.9% of its reports are true; alone 2.218 times (0.796332 nats); all else known 25 times (3.218876 nats)",
        r"'Gr\xf6\xdfe': 58.6% of its reports are true; alone 2.827 times (1.038894 nats); "
        "all else known 8.929 times (2.189257 nats)",
        "Whole record, between any two people: 25 times (3.218876 nats)",
        "mechanism.json: every claim holds, to the last digit.",
    ]


def test_odds_of_more_digits_than_python_reads_by_itself(tmp_path):
    weights = LieWeights((2,), 1, (("0", (1 << 159) + 1),))
    file = file_of(tuple(((i,), weights) for i in range(120)))
    assert len(file.certificate.to_dict(file.schema.names)["epsilon_total"]["ratio"]) > 5000
    code, out, message = handed_over(tmp_path / "alone", file.to_json())
    assert (code, message) == (0, "")
    assert out.endswith("to the last digit.\n")


def test_it_needs_nothing_but_an_old_python():
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 9))
    modules = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    modules |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert modules <= set(sys.stdlib_module_names)
    strict = [node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "strict"]
    assert strict == []  # of Python 3.10


# forged files


def ended(place, certificate):
    """The sentence that the script ends with; empty where it ends well."""
    try:
        check.main(place, *([certificate] if certificate.exists() else []))
    except SystemExit as error:
        return error.code
    return ""


@pytest.fixture
def run(tmp_path, capsys):
    """How the script ends with a mechanism file, and a certificate: its sentence, empty where all is kept."""

    def sentence_of(document, certificate=None):
        place = tmp_path / "mechanism.json"
        (place.write_bytes if isinstance(document, bytes) else place.write_text)(document)
        if certificate is not None:
            (tmp_path / "certificate.json").write_text(certificate)
        sentence = ended(place, tmp_path / "certificate.json")
        if sentence:
            assert sentence.isprintable()
            assert sentence.startswith(("mechanism.json is refused: ", "certificate.json is refused: "))
            assert sentence.endswith(".")
            assert len(sentence) < 500
            return sentence
        out = capsys.readouterr().out
        assert "mechanism.json: every claim holds" in out
        return "" if "larger than" not in out else out

    return sentence_of


def changed(name, change):
    document = json.loads(file_of(ZOO[name]).to_json())
    change(document)
    return document


def lies(document):
    return document["randomization"][0]["lies"]


def first(document):
    return document["randomization"][0]


def less(ratio):
    top, bottom = map(int, ratio.split("/"))
    return f"{top * 10**6 - 1}/{bottom * 10**6}"


def lower(amount):
    amount.update(ratio=less(amount["ratio"]))


FORGED = {
    "a weight": ("coupled", lambda d: lies(d).update({"00": "21"}), "the weights give"),
    "a weight, so that fewer answers can be distinguished": ("coupled", lambda d: lies(d).update({"00": "19"}), None),
    "a matrix": (
        "forced",
        lambda d: first(d).update(matrix=[["6", "1"], ["1", "6"]]),
        "weights give 6: 6 times (1.791760 nats)",
    ),
    "a missing set of changes": ("all-listed", lambda d: lies(d).pop("11"), "the weights give 3: 3 times"),
    "a record": ("counted", lambda d: first(d)["records"].__setitem__(0, "41"), "the weights give"),
    "an epsilon": ("two-groups", lambda d: lower(d["claim"]["attributes"][0]["epsilon"]), "for the epsilon of 'q0'"),
    "an informed epsilon": (
        "two-groups",
        lambda d: lower(d["claim"]["attributes"][2]["epsilon_informed"]),
        "for the epsilon_informed of 'q2'",
    ),
    "a total": ("two-groups", lambda d: lower(d["claim"]["epsilon_total"]), "for the whole record"),
    "nats": ("forced", lambda d: d["claim"]["epsilon_total"].update(nats="1.609437912"), "claims 1.609437912 nats"),
    "no bound hidden": ("unbounded", lambda d: d["claim"]["epsilon_total"].update(ratio="9/1", nats="2.2"), "cannot be read"),
    "another question": ("two-groups", lambda d: d["claim"]["attributes"].reverse(), "different questions"),
    "a question less": ("two-groups", lambda d: d["claim"]["attributes"].pop(), "different questions"),
    "a negative weight": ("coupled", lambda d: lies(d).update({"00": "-20"}), "'-20' instead of a whole number"),
    "a fraction": ("coupled", lambda d: lies(d).update({"00": "20.5"}), "'20.5' instead of a whole number"),
    "other digits": ("coupled", lambda d: lies(d).update({"00": "２０"}), "instead of a whole number"),
    "a line break": ("coupled", lambda d: lies(d).update({"00": "20\n"}), "instead of a whole number"),
    "a number": ("coupled", lambda d: first(d).update(uniform=5), "'5' instead of a whole number"),
    "a large number": ("coupled", lambda d: first(d).update(uniform="9" * 5000), "instead of a whole number"),
    "no weight": ("coupled", lambda d: first(d).update(uniform="0", lies={}), "all weights are 0"),
    "no record": ("counted", lambda d: first(d).update(records=["0"] * 6), "all weights are 0"),
    "another set of changes": ("coupled", lambda d: lies(d).update({"000": "1"}), "a set of changes does not fit its questions"),
    "another sign": ("coupled", lambda d: lies(d).update({"0x": "1"}), "a set of changes does not fit its questions"),
    "unlike rows": ("skew", lambda d: first(d)["matrix"][1].__setitem__(0, "2"), "the rows of a matrix do not have the same sum"),
    "a row less": ("skew", lambda d: first(d)["matrix"].pop(), "a matrix does not have a row for each answer"),
    "a column less": (
        "skew",
        lambda d: [row.pop() for row in first(d)["matrix"]],
        "a matrix does not have a row for each answer",
    ),
    "a ragged row": ("skew", lambda d: first(d)["matrix"][2].pop(), "a matrix does not have a row for each answer"),
    "a report less": ("wide", lambda d: d["attributes"][0]["reports"].pop(), "a matrix does not have a row for each answer"),
    "a count less": ("counted", lambda d: first(d)["records"].pop(), "there is not one weight for each count"),
    "other kinds": ("counted", lambda d: first(d).update(kinds=[1, 2]), "the kinds do not fit their questions"),
    "no kind": ("counted", lambda d: first(d).update(kinds=[2, 0, 1]), "the kinds do not fit their questions"),
    "a kind that is none": ("counted", lambda d: first(d).update(kinds=[2, True]), "the kinds do not fit their questions"),
    "weights of two kinds": ("coupled", lambda d: first(d).update(matrix=[]), "unexpected structure"),
    "a group twice": ("coupled", lambda d: d["randomization"].append(first(d)), "a question is randomized twice, or not asked"),
    "a question twice": ("coupled", lambda d: first(d).update(attributes=["q0", "q0"]), "contains a duplicate"),
    "nobody's question": (
        "coupled",
        lambda d: first(d).update(attributes=["q0", "q2"]),
        "a question is randomized twice, or not",
    ),
    "a group less": ("two-groups", lambda d: d["randomization"].pop(), "a question is not randomized"),
    "one name for two": (
        "coupled",
        lambda d: d["attributes"][1].update(name="q0"),
        "a question is randomized twice, or not asked",
    ),
    "a category twice": (
        "coupled",
        lambda d: d["attributes"][0].update(categories=["x", "x"]),
        "contains a duplicate",
    ),
    "reports and lies": (
        "coupled",
        lambda d: d["attributes"][0].update(reports=["x", "y"]),
        "own reports needs a matrix",
    ),
    "a long name": ("forced", lambda d: first(d).update({"x" * 9000: []}), "unexpected structure"),
    "another format": ("coupled", lambda d: d.update(format="plan"), "not a mechanism file of version"),
    "true as a version": ("coupled", lambda d: d.update(version=True), "not a mechanism file of version"),
    "a later version": ("coupled", lambda d: d.update(version=6), "not a mechanism file of version"),
    "no fingerprint": ("coupled", lambda d: d.pop("claim"), "other fields"),
    "a field more": ("coupled", lambda d: d.update(epsilon="0.1"), "other fields"),
    "a field more in a question": ("coupled", lambda d: d["attributes"][0].update(epsilon="0.1"), "other fields"),
    "an earlier name": ("coupled", lambda d: earlier(d["claim"]), "other fields"),
    "a field more in a claim": ("coupled", lambda d: d["claim"]["epsilon_total"].update(epsilon="0.1"), "other fields"),
}


@pytest.mark.parametrize("forged", FORGED)
def test_forged_files_are_refused(forged, run):
    """Each carries the fingerprint that fits it."""
    name, change, sentence = FORGED[forged]
    document = changed(name, change)
    text = sealed(document)
    if sentence is None:
        assert "mechanism.json: every claim holds, and" in run(text)
    else:
        assert sentence in run(text)
    assert refusal(text) is not None


@pytest.mark.parametrize("kind", ["epsilon", "epsilon_informed", "epsilon_total"])
def test_one_number_that_stays_as_it_was_is_enough(kind, run):
    """A set of changes is missing, and all claims but one number follow from the file without it."""
    document = changed("all-listed", lambda d: lies(d).pop("11"))
    first(document)["lies"]["10"] = "2"
    found = certify((((0, 1), LieWeights((2, 2), 0, tuple((lie, int(weight)) for lie, weight in lies(document).items()))),))
    right, old = found.to_dict(("q0", "q1")), document["claim"]
    assert run(sealed(document | {"claim": right})) == ""
    if kind == "epsilon_total":
        right[kind] = old[kind]
    else:
        right["attributes"][0][kind] = old["attributes"][0][kind]
    assert f"the {'whole record' if kind == 'epsilon_total' else kind}" in run(sealed(document | {"claim": right}))


def test_one_digit_shows_in_the_fingerprint(run):
    document = changed("coupled", lambda d: lies(d).update({"00": "19"}))
    assert "SHA-256 does not match" in run(json.dumps(document))


def test_a_ratio_that_is_larger_by_next_to_nothing_is_told(run):
    document = changed("forced", lambda d: d["claim"]["epsilon_total"].update(ratio="500000000001/100000000000"))
    assert "and 1 of its numbers are larger" in run(sealed(document))


def test_nats_are_above_the_logarithm_however_near_one_the_odds_are():
    assert check.nats(Fraction(1)) == 0 < check.nats(1 + Fraction(1, 10**100))
    assert float(check.nats(Fraction(5))) == math.log(5)


@pytest.mark.parametrize("name", FEW)
def test_claims_larger_than_they_need_be_are_kept(name, run):
    document = changed(name, lambda d: d["claim"]["epsilon_total"].update(ratio="1" + "0" * 40 + "/1", nats="93.000000000"))
    kept = run(sealed(document))
    assert kept == run(sealed(document)) != "" or file_of(ZOO[name]).certificate.epsilon_total is None


def test_the_certificate_beside_it_is_held_against_it(run):
    file, other = file_of(ZOO["two-groups"]), file_of(ZOO["coupled"])
    certificate = certificate_files(file)["certificate.json"]
    assert run(file.to_json(), certificate) == ""
    document = json.loads(certificate)
    lower(document["attributes"][1]["epsilon"])
    assert "for the epsilon of 'q1'" in run(file.to_json(), json.dumps(document))
    assert "it belongs to another mechanism file" in run(file.to_json(), certificate_files(other)["certificate.json"])
    document = json.loads(certificate)
    both = document | {
        "claim": {key: document[key] for key in ("attributes", "epsilon_total")},
        "epsilon_total": {"ratio": "1/1", "nats": "0.000000000"},
    }
    assert "certificate.json is refused" in run(file.to_json(), json.dumps(both))
    assert "certificate.json is refused: it has an unexpected structure" in run(file.to_json(), "[]")
    assert "certificate.json is refused: Expecting value" in run(file.to_json(), "")


TEXT = file_of(ZOO["coupled"]).to_json()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Expecting value"),
        ("{", "Expecting property name"),
        ("[]", "unexpected structure"),
        ("[" * 100_000, "unexpected structure"),
        ("3", "unexpected structure"),
        (b"\xff\xfe", "can't decode"),
        (b"\xef\xbb\xbf" + TEXT.encode(), "BOM"),
        (TEXT.replace('"uniform": "5"', '"uniform": "5", "uniform": "5"'), "a field twice"),
        (TEXT.replace('"00": "20"', '"00": "20", "00": "1"'), "a field twice"),
        (TEXT + " " * 2**25 + "{}", "32 MB"),
        (TEXT.replace('"version": 1', '"version": NaN'), "'NaN' instead of a whole number"),
        (TEXT.replace('"version": 1', '"version": 1e999'), "'1e999' instead of a whole number"),
        (TEXT.replace('"version": 1', '"version": ' + "9" * 9000), "instead of a whole number"),
        (TEXT.replace('"note": ""', '"note": "\\ud800"'), "surrogates not allowed"),
    ],
)
def test_what_is_no_such_document_is_refused(text, sentence, run):
    assert sentence in run(text)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SystemExit, match=r"^mechanism.json is refused: .*No such file"):
        check.main(tmp_path / "mechanism.json")


JUNK = [None, True, 3, 2.5, "", "-1", "x\n", "9" * 400, [], [[]], {}, ["x", "y"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("junk", "name"), [(junk, FEW[i % len(FEW)]) for i, junk in enumerate(JUNK)], ids=lambda one: repr(one)[:12]
)
def test_whatever_stands_anywhere_it_ends_in_a_sentence(junk, name, run):
    """Nothing that the program reads is refused, and nothing is accepted that promises less than the program computes."""
    original = json.loads(file_of(ZOO[name]).to_json())
    for path in nodes(original):
        if path and path != ("sha256",):
            document = copy.deepcopy(original)
            parent = document
            for key in path[:-1]:
                parent = parent[key]
            parent[path[-1]] = junk
            text = sealed(document)
            sentence = run(text)
            assert sentence == "" or refusal(text) is not None, path
