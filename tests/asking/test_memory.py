"""Memoised answers of the form: the same truth gives the same report, by the sampler that is proven, and the device keeps a seed only."""

import hashlib
import hmac
import io
import json
import re
import shutil
import subprocess
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from rrcore.asking import LANGUAGES, respondent_form
from rrcore.asking.languages import language as language_of
from rrcore.errors import InputError
from rrcore.promise import MechanismFile, in_two_stages, remembered
from rrcore.promise.sampler import randomise_codes
from rrcore.promise.stages import every_wave
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights
from rrcore.table import Attribute, Schema

HERE = Path(__file__).parent


def file_of(*weights):
    """Groups one after the other."""
    sizes = [size for each in weights for size in each.sizes]
    groups, start = [], 0
    for each in weights:
        groups.append((tuple(range(start, start + len(each.sizes))), each))
        start += len(each.sizes)
    schema = Schema(tuple(Attribute(f"q{i}", tuple(map(str, range(a)))) for i, a in enumerate(sizes)))
    return MechanismFile(schema, tuple(groups))


PAIR = LieWeights((2, 3), 6, (("00", 20), ("01", 3), ("10", 4), ("11", 7)))
MATRIX = MatrixWeights(((70, 20, 9), (33, 33, 33), (1, 8, 90)))
COUNTS = CountWeights((2, 2, 2), (3,), (40, 9, 7, 3))
ALL = file_of(PAIR, MATRIX, COUNTS)


def stream(seed, sha256, number, codes):
    """The bytes of one group of one record: HMAC-SHA-256 block by block, as memory.js documents."""
    message = f"{sha256} {number} {','.join(map(str, codes))}"
    state = {"bytes": b"", "block": 0}

    def entropy(count):
        while len(state["bytes"]) < count:
            state["bytes"] += hmac.digest(seed, f"{message} {state['block']}".encode(), "sha256")
            state["block"] += 1
        found, state["bytes"] = state["bytes"][:count], state["bytes"][count:]
        return found

    return entropy


@cache
def part_of(file, number):
    """A file of one group alone."""
    places, weights = file.groups[number]
    return MechanismFile(file.schema.select([file.schema.names[i] for i in places]), ((tuple(range(len(places))), weights),))


def memoised(seed, file, codes, sha256=""):
    """The same by the sampler of the library."""
    released = list(codes)
    for number, (places, _) in enumerate(file.groups):
        own = [codes[place] for place in places]
        drawn = randomise_codes(
            part_of(file, number), np.array([own], dtype=np.int32), stream(seed, sha256 or file.sha256, number, own)
        )[0]
        for place, code in zip(places, drawn.tolist(), strict=True):
            released[place] = code
    return released


def node(tasks):
    path = shutil.which("node")
    if path is None:
        pytest.skip("no Node.js found on this machine: install the package 'nodejs' to run the form's own tests")
    run = subprocess.run(
        [path, str(HERE / "form_memory.mjs")], input=json.dumps(tasks), capture_output=True, text=True, timeout=120, check=True
    )
    return json.loads(run.stdout)


def seeds(number):
    return [hashlib.sha256(f"seed {i}".encode()).hexdigest() for i in range(number)]


@pytest.mark.browser
def test_the_form_draws_what_the_sampler_of_the_library_draws_from_the_same_seed_and_keeps_a_seed_only():
    document = json.loads(ALL.to_json())
    rng = np.random.default_rng(1)
    records = [[int(rng.integers(size)) for size in ALL.sizes] for _ in range(60)]
    tasks = [{"mechanism": document, "codes": codes, "seed": seed} for codes, seed in zip(records, seeds(60), strict=True)]
    found = node(tasks)
    assert found["refusing"] is False
    for task, each in zip(tasks, found["released"], strict=True):
        assert each["once"] == each["twice"] == memoised(bytes.fromhex(task["seed"]), ALL, task["codes"])
        assert each["kept"] == [[f"rr-workbench memory {ALL.sha256}", task["seed"]]]  # the seed, whatever was true
        assert (each["left"], each["works"]) == (0, True)


@pytest.mark.slow
def test_what_a_seed_draws_for_one_answer_follows_the_mechanism_and_is_independent_of_what_it_draws_for_another():
    """False alarms: 1e-5 in both cases together; 4,000 seeds."""
    file = file_of(MATRIX)
    rows = np.array(MATRIX.rows) / MATRIX.whole
    drawn = np.array([[memoised(bytes.fromhex(seed), file, [x])[0] for x in (0, 2)] for seed in seeds(4000)])
    joint = np.zeros((3, 3))
    np.add.at(joint, tuple(drawn.T), 1)
    expected = 4000 * np.outer(rows[0], rows[2])
    rare = expected < 5
    cells = [*zip(joint[~rare], expected[~rare], strict=True), (joint[rare].sum(), expected[rare].sum())]
    statistic = sum((seen - wanted) ** 2 / wanted for seen, wanted in cells)
    assert statistic < chi2.isf(1e-5, len(cells) - 1)


def test_another_answer_to_one_group_leaves_the_reports_of_the_other_groups_alone():
    seed = bytes(range(32))
    before, after = (memoised(seed, ALL, [a, 0, 1, 0, 1, 1]) for a in (0, 1))
    assert before[2:] == after[2:]
    assert len({tuple(memoised(seed, ALL, [*pair, 0, 0, 0, 0])[:2]) for pair in product(range(2), range(3))}) > 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_form_with_a_memory_says_so_and_one_without_has_none(language):
    plain, remembering = (respondent_form(ALL, title="Survey", language=language, memory=memory) for memory in (False, True))
    for mark in ('id="forget"', 'id="forgetful"', "localStorage", "HMAC"):
        assert mark not in plain
        assert mark in remembering
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', remembering)
    assert policy.count("sha256-") == 7  # six scripts and a style
    assert "$" not in re.sub(r"<script.*?</script>", "", remembering, flags=re.DOTALL)


STAGED = [(Fraction(1, 4), ALL), (Fraction(3, 10), file_of(MATRIX)), (Fraction(9, 10), file_of(COUNTS, PAIR))]


@pytest.mark.parametrize(("redrawn", "permanent"), STAGED)
def test_two_stages_are_drawn_as_the_library_draws_them(redrawn, permanent):
    """What is remembered by the bytes of the seed, then the second stage by the bytes that are given: the same in both languages."""
    report = in_two_stages(permanent, redrawn)
    first, second = remembered(report, redrawn), every_wave(report, redrawn)
    stages = {"remembered": json.loads(first.to_json()), "every_wave": json.loads(second.to_json())}
    rng, tasks, expected = np.random.default_rng(3), [], []
    for _ in range(40):
        seed, entropy = (bytes(rng.integers(0, 256, count, dtype=np.uint8).tolist()) for count in (32, 400))
        codes = [int(rng.integers(size)) for size in permanent.sizes]
        tasks.append(
            {
                "mechanism": json.loads(report.to_json()),
                "codes": codes,
                "seed": seed.hex(),
                "stages": stages,
                "entropy": entropy.hex(),
            }
        )
        kept = memoised(seed, first, codes, report.sha256)
        drawn = randomise_codes(second, np.array([kept], dtype=np.int32), io.BytesIO(entropy).read)
        expected.append(drawn[0].tolist())
    found = [each["once"] for each in node(tasks)["released"]]
    assert found == expected
    assert any(each["once"] != each["twice"] for each in node(tasks)["released"])  # other bytes, the same memory


def test_the_form_of_two_stages_holds_both_and_hands_in_one_report():
    report = in_two_stages(ALL, Fraction(1, 4))
    html = respondent_form(report, title="Wave", memory=True, redrawn="1/4")
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])
    assert data["mechanism"]["sha256"] == report.sha256
    assert MechanismFile.from_json(json.dumps(data["stages"]["remembered"])).certificate == ALL.certificate
    assert MechanismFile.from_json(json.dumps(data["stages"]["every_wave"])) == every_wave(report, Fraction(1, 4))
    plain = respondent_form(report, title="Wave", memory=True)
    assert "stages" not in json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', plain, re.DOTALL)[1])
    for options, why in (
        ({"redrawn": "1/4"}, "Only what is remembered"),
        ({"memory": True, "redrawn": "a quarter"}, "does not say how often"),
        ({"memory": True, "redrawn": "5/4"}, "does not say how often"),
        ({"memory": True, "redrawn": "99/100"}, "keeps too little"),
    ):
        with pytest.raises(InputError, match=why):
            respondent_form(report, title="Wave", **options)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_form_of_two_stages_says_that_reports_stay_the_same(language):
    texts = language_of(language).sections["form"]
    html = respondent_form(in_two_stages(ALL, Fraction(1, 4)), title="Wave", memory=True, redrawn="1/4", language=language)
    for key in ("once", "gone", "remembers", "remembers_short"):
        assert language_of(language).html("form", f"{key}_memory") not in html
        assert texts[f"{key}_stages"] != texts[f"{key}_memory"]
    assert language_of(language).html("form", "once_stages") in html
