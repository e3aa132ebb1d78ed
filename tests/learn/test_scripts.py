"""What the lesson's scripts work out is what the library works out: the same cases are put to both."""

import io
import itertools
import json
import math
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

import rrcore as rr
from rrcore.budget import build
from rrcore.channel.channels import SubsetChannel
from rrcore.channel.epsilon import lie_from_epsilon
from rrcore.learn.numbers import lesson_numbers, power
from rrcore.learn.numbers_in_texts import deck_shares, friend_epsilon, held, majority, margin, text_numbers
from rrcore.promise import sampler
from rrcore.promise.weights import LieWeights
from rrcore.wording import odds_text
from tests.programs import node

pytestmark = pytest.mark.browser  # needs Node.js
SIZES = (4, 2, 2, 2)


def ask(*cases):
    """What the scripts answer to (room, function, arguments)."""
    run = subprocess.run(
        [node(), str(Path(__file__).parent / "answer.mjs")],
        input=json.dumps([[room, name, list(given)] for room, name, given in cases]),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)


def yes_or_no(unchanged):
    return build("independent", (2,), [math.log(unchanged / (1 - unchanged))]).channel((0,))


def test_odds_are_written_as_the_library_writes_them():
    epsilon = [
        0.0,
        0.01,
        1.0986,
        2.0,
        2.302585,
        2.31,
        4.482611408493644,
        6.9,
        7.82,
        7.999999999995103,
        11.5,
        13.9,
        20.6,
        21.97,
        30.0,
    ]
    assert ask(*(("Words", "odds", [level]) for level in epsilon)) == [odds_text(level) for level in epsilon]


def test_rates_of_truth_and_of_meaning_it_are_the_channels():
    unchanged = (0.55, 0.75, 0.9, 0.99)
    epsilon = [math.log(each / (1 - each)) for each in unchanged]
    assert ask(*(("Maths", "epsilon", [each]) for each in unchanged)) == pytest.approx(epsilon)
    kinds = list(itertools.product((0.5, 2.0), (2, 4)))
    expected = [1 - float(lie_from_epsilon(*kind)) for kind in kinds]
    assert ask(*(("Maths", "unchanged", kind) for kind in kinds)) == pytest.approx(expected)
    both = list(itertools.product((0.01, 0.1, 0.5), unchanged))
    expected = []
    for share, each in both:
        channel = yes_or_no(each)
        expected.append(channel.push(np.array([0, share]))[1] / channel.push(np.array([1 - share, share]))[1])
    assert ask(*(("Maths", "meant", case) for case in both)) == pytest.approx(expected)


@pytest.mark.parametrize(("unchanged", "people"), [(0.75, 30), (0.75, 120), (0.9, 30), (0.6, 500)])
def test_the_correction_and_its_margin_are_those_of_an_estimate(unchanged, people):
    table = rr.Dataset(rr.Schema((rr.Attribute("done", ("no", "yes")),)), (np.arange(people)[:, None] % 5 < 1).astype(np.int32))
    mechanism = build("independent", (2,), [math.log(unchanged / (1 - unchanged))])
    estimate = rr.simulate(table, mechanism, rng=np.random.default_rng(0)).estimate(["done"])
    reported = float(estimate.released[1])
    corrected, half, noise = ask(
        ("Maths", "corrected", [reported, unchanged]),
        ("Maths", "margin", [unchanged, people]),
        ("Maths", "noise", [unchanged, people]),
    )
    assert corrected == pytest.approx(float(estimate.shares[1]), abs=1e-12)
    assert noise == pytest.approx(float(estimate.std_error(population=False)[1]), rel=1e-9)
    assert half == pytest.approx(margin(unchanged, people), rel=1e-12)


def test_a_class_of_thirty_is_as_the_poll_says():
    assert [round(100 * each) for each in ask(("Maths", "margin", [0.75, 30]), ("Maths", "margin", [0.9, 30]))] == [31, 13]


def test_the_majority_is_right_as_often_as_written_out():
    cases = [(1, 0.75), (2, 0.75), (5, 0.75), (6, 0.6), (20, 0.75), (20, 0.514)]
    assert ask(*(("Maths", "majority", case) for case in cases)) == pytest.approx([majority(*case) for case in cases])
    for k, unchanged in ((2, 0.75), (5, 0.75), (6, 0.6)):
        right = 0.0
        for hits in itertools.product((0, 1), repeat=k):
            chance = math.prod(unchanged if hit else 1 - unchanged for hit in hits)
            right += chance * (1.0 if 2 * sum(hits) > k else 0.5 if 2 * sum(hits) == k else 0.0)
        assert majority(k, unchanged) == pytest.approx(right)


DECKS = [(0.1, 0.02, 0.001), (0.0895, 0.0745, 0.0224), (0.05, 0.05, 0.05), (0.107, 0.012, 0.01)]


def test_decks_cost_what_their_channels_cost():
    lies = lesson_numbers()["together"]["lies"]
    answers = ask(*(("Maths", "deck", [lies, SIZES, many]) for many in DECKS))
    totals = ask(*(("Maths", "total", [shares, SIZES]) for shares in answers))
    for many, shares, total in zip(DECKS, answers, totals, strict=True):
        sets = SubsetChannel(SIZES, deck_shares(lies, SIZES, many))
        assert shares == pytest.approx(sets.probabilities.ravel().tolist(), abs=1e-15)
        assert total == pytest.approx(float(sets.epsilon_total))
        assert sets.lies == pytest.approx(lies)  # the rates of truth stay


def test_the_titanic_goes_from_2990_to_its_certified_floor_88_5():
    found = lesson_numbers()["together"]
    many, best = ask(("Maths", "independent", [found["lies"]]), ("Maths", "total", [found["best"], SIZES]))
    (shares,) = ask(("Maths", "deck", [found["lies"], SIZES, many]))
    independent, low, high = ask(
        ("Maths", "total", [shares, SIZES]), ("Words", "odds", [best]), ("Words", "odds", [found["independent"]])
    )
    assert (high, low) == ("2,990", "88.5")
    assert independent == pytest.approx(8.0)
    assert best == pytest.approx(found["floor"], abs=1e-7)
    assert best == pytest.approx(build("optimal", SIZES, [2.0] * 4).epsilon_total)


def test_one_slider_alone_gets_as_far_as_the_exercise_says():
    lies = lesson_numbers()["together"]["lies"]
    ((two, three, _),) = ask(("Maths", "independent", [lies]))
    best, cards = text_numbers()["one_slider"], int(text_numbers()["one_slider_cards"])
    decks = ask(*(("Maths", "deck", [lies, SIZES, [two, three, number / 2000]]) for number in range(1, 60)))
    totals = ask(*(("Maths", "total", [shares, SIZES]) for shares in decks))
    assert min(totals) == totals[cards - 1]
    assert ask(("Words", "eps", [min(totals)])) == [best]


def test_a_replacement_that_never_happens_has_no_limit():
    lies = lesson_numbers()["together"]["lies"]
    (shares,) = ask(("Maths", "deck", [lies, SIZES, (0.1, 0.05, 0.0)]))
    assert ask(("Maths", "total", [shares, SIZES])) == ["infinite"]


def turn(shares, known, target):
    """The largest shift of the odds about the target, from the whole channel. The unknown answers are equally likely to the attacker."""
    table = np.asarray(shares).reshape((2,) * 4)
    records = list(itertools.product(*map(range, SIZES)))

    def channel(x, y):
        lying = tuple(int(a != b) for a, b in zip(x, y, strict=True))
        return table[lying] / math.prod(size - 1 for size, lie in zip(SIZES, lying, strict=True) if lie)

    most = 0.0
    given = records[0]
    for y in records:
        likely = {}
        for x in records:
            if all(x[i] == given[i] for i in known):
                likely[x[target]] = likely.get(x[target], 0.0) + channel(x, y)
        most = max(most, math.log(max(likely.values()) / min(likely.values())))
    return most


@pytest.mark.parametrize("price", [0, 2, 6, 12])
def test_what_a_friend_learns_is_what_the_channel_written_out_says(price):
    made = lesson_numbers()["friend"][price]
    cases = [
        (known, target)
        for target in (0, 3)
        for size in range(4)
        for known in itertools.combinations({0, 1, 2, 3} - {target}, size)
    ]
    answers = ask(*(("Maths", "friend", [made["shares"], SIZES, known, target]) for known, target in cases))
    for (known, target), answer in zip(cases, answers, strict=True):
        assert answer == pytest.approx(turn(made["shares"], known, target), abs=1e-9)
        assert answer == pytest.approx(friend_epsilon(made["shares"], SIZES, known, target), abs=1e-9)
        if len(known) == 3:
            assert answer == pytest.approx(made["epsilon_informed"][target], abs=1e-6)
        if not known:
            assert answer == pytest.approx(2.0, abs=1e-6)


def test_an_audit_convicts_as_often_as_the_librarys_test_does():
    cases = [(0.8, 0.75, 100), (0.8, 0.75, 1000), (0.76, 0.75, 10_000), (0.75, 0.75, 300), (0.9, 0.75, 10)]
    alpha = lesson_numbers()["audit"]["alpha"]
    answers = ask(*(("Maths", "power", [*case, alpha]) for case in cases))
    assert answers == pytest.approx([power(*case) for case in cases], rel=1e-6, abs=1e-12)
    (caught,) = ask(("Maths", "convicts", [0.75, 100, alpha]))
    honest = power(0.75, 0.75, 100)
    assert 0 < honest < alpha
    assert caught[60] == 0
    assert caught[59] == 1
    assert caught[88] == 0
    assert caught[89] == 1
    assert (
        binomtest(89, 100, 0.75, alternative="greater").pvalue * 2
        < alpha
        < binomtest(88, 100, 0.75, alternative="greater").pvalue * 2
    )


def test_intervals_hold_the_truth_as_often_as_surveys_that_are_simulated():
    cases = [(0.05, 0.75, 0.1, 2000), (0.05, 0.75, 0.0, 2000), (0.3, 0.9, 0.2, 500)]
    answers = ask(*(("Maths", "coverage", case) for case in cases))
    assert answers == pytest.approx([held(*case) for case in cases], rel=1e-6)
    rng = np.random.default_rng(5)
    for (share, unchanged, careless, n), answer in zip(cases, answers, strict=True):
        surveys = 8_000
        done = np.arange(n) < round(share * n)
        hits = 0
        for _ in range(surveys // 500):
            clicks = rng.random((500, n)) < careless
            sent = np.where(clicks, rng.random((500, n)) < 0.5, (rng.random((500, n)) < unchanged) == done)
            estimate = (sent.mean(axis=1) - (1 - unchanged)) / (2 * unchanged - 1)
            hits += int((abs(estimate - done.mean()) <= margin(unchanged, n)).sum())
        assert abs(hits / surveys - answer) < 4.5 * math.sqrt(answer * (1 - answer) / surveys)  # false alarm below 1 in 100,000


def test_the_control_question_repairs_and_its_interval_is_honest():
    unchanged, careless, share, n, surveys = 0.75, 0.1, 0.05, 2000, 4000
    rng = np.random.default_rng(6)
    honest = (1 - careless) * unchanged + careless / 2
    yes = rng.binomial(round(share * n), honest, surveys) + rng.binomial(n - round(share * n), 1 - honest, surveys)
    control = rng.binomial(n, 1 - honest, surveys)
    first, second = (((each / n) - (1 - unchanged)) / (2 * unchanged - 1) for each in (yes, control))
    answers = np.array(ask(*(("Maths", "rescued", [a, b, unchanged, n]) for a, b in zip(first, second, strict=True))))
    assert abs(answers[:, 0].mean() - share) < 4.5 * answers[:, 0].std() / math.sqrt(surveys) + 0.002  # a ratio has a small bias
    inside = abs(answers[:, 0] - share) <= 1.96 * answers[:, 1]
    assert 0.935 < inside.mean() < 0.965


def test_whole_dots_for_shares_sum_to_all():
    cases = [([0.5, 0.25, 0.25], 2000), ([1, 1, 1], 2000), ([0.0, 0.00001, 0.99999], 2000), ([3, 1], 7)]
    for (shares, all_), found in zip(cases, ask(*(("Maths", "apportion", case) for case in cases)), strict=True):
        assert sum(found) == all_
        assert np.abs(np.array(found) - all_ * np.array(shares) / sum(shares)).max() < 1


def test_an_answer_is_sent_by_the_forms_own_sampler_and_the_seeded_bytes_are_always_the_same():
    schema = rr.Schema((rr.Attribute("answer", ("no", "yes")),))
    file = rr.MechanismFile(schema, (((0,), LieWeights((2,), 0, (("0", 75), ("1", 25)))),))
    cases = [(answer, bytes([byte, 0, 0, 0])) for answer in (0, 1) for byte in range(0, 128, 7)]
    answers = ask(*(("Chance", "recorded", [75, answer, given.hex()]) for answer, given in cases))
    for (answer, given), sent in zip(cases, answers, strict=True):
        source = io.BytesIO(given)
        assert sent == int(sampler.randomize_codes(file, np.array([[answer]], dtype=np.int32), source.read)[0, 0])
    first, again, other = ask(*(("Chance", "simulationEntropy", [seed, 2000]) for seed in (1, 1, 2)))
    assert first == again != other
    counts = np.bincount(first, minlength=256)
    unlike = ((counts - 2000 / 256) ** 2 / (2000 / 256)).sum()
    assert unlike < 400  # chi-square with 255 degrees of freedom: false alarm below 1 in 10 million
