"""People who did not follow the instructions: how many they are, what is read of the others, and with which errors."""

import io
from dataclasses import replace

import numpy as np
import pytest

import rrcore as rr
from rrcore.answers import (
    Answers,
    Arms,
    SampleColumns,
    corrections,
    corrections_table,
    count_answers,
    pair_summaries,
    read_answers,
    summarise_marginal,
    summary_dict,
    with_sample,
)
from rrcore.channel import MatrixChannel
from rrcore.dependence.independence import independence_of
from rrcore.errors import InputError
from rrcore.estimate import Clicks, Noncompliance, Spread, Tally, denials, functional_error, read_noncompliance
from rrcore.estimate.models import fit
from rrcore.estimate.sample import Sample
from rrcore.mechanisms import build
from rrcore.promise import DIRECTLY, RANDOMISED, MechanismFile, MechanismGroups, split_survey
from rrcore.promise.integers import integer_groups
from rrcore.promise.weights import MatrixWeights
from rrcore.report import report_after
from rrcore.table import Attribute, Control, Dataset, Schema
from rrcore.table.reading import TextColumn, TextTable
from rrcore.table.stream import open_stream
from rrcore.wording import Quantity
from tests.answers import clicking
from tests.answers.clicking import LEVELS, QUESTIONS, SCHEMA, TRUE, covered, survey

BORN = Attribute("born", ("no", "yes"))
DIE = np.array([[5 / 6, 1 / 6], [1 / 6, 5 / 6]])


def exact(released):
    """A tally of so many people that their shares are as expected."""
    return Tally(released, 10**9, Spread.simple(released, 10**9))


@pytest.mark.parametrize("x", [0.0, 0.05, 0.3])
@pytest.mark.parametrize(("law", "said"), [("uniform", [0.5, 0.5]), ("first", [5 / 6, 1 / 6]), ("no", [1.0, 0.0])])
def test_the_share_is_read_exactly_from_what_is_expected(law, said, x):
    released = (1 - x) * DIE[1] + x * np.array(said)
    found = read_noncompliance(exact(released), [(MatrixChannel(DIE), [1])], BORN, Clicks(law))
    assert found.raw == pytest.approx(x, abs=1e-12)
    assert found.low <= x + 1e-4
    assert found.high >= x - 1e-12
    assert found.known == ("yes",)


def test_probabilities_of_the_team_take_the_place_of_uniform_clicks():
    clicks = Clicks(own=(("born", (0.8, 0.2)),))
    released = 0.9 * DIE[1] + 0.1 * np.array([0.8, 0.2]) @ DIE
    assert read_noncompliance(exact(released), [(MatrixChannel(DIE), [1])], BORN, clicks).raw == pytest.approx(0.1)
    for own, said in ((((0.8, 0.1),), "sum to 1"), (((1.2, -0.2),), "0 or more")):
        with pytest.raises(InputError, match=said):
            Clicks(own=(("born", *own),))
    with pytest.raises(InputError, match="2 categories, and 3 probabilities"):
        read_noncompliance(exact(released), [(MatrixChannel(DIE), [1])], BORN, Clicks(own=(("born", (0.5, 0.2, 0.3)),)))


def test_a_law_that_looks_like_the_known_answer_is_refused():
    with pytest.raises(InputError, match="looks the same with and without such people"):
        read_noncompliance(exact(DIE[1]), [(MatrixChannel(DIE), [1])], BORN, Clicks("last"))


def test_too_many_people_are_refused():
    with pytest.raises(InputError, match="of the people did not follow the instructions: with more than 80"):
        read_noncompliance(exact(DIE[0] / 2 + DIE[1] / 2), [(MatrixChannel(DIE), [1])], BORN)


def test_halves_with_different_known_answers_tell_both_ends_apart():
    """Always the last answer looks like the truth in the half that was born, and not in the other."""
    released = np.concatenate([0.5 * (0.8 * DIE[1] + 0.2 * DIE[1]), 0.5 * (0.8 * DIE[0] + 0.2 * DIE[1])])
    parts = [(MatrixChannel(DIE), [1]), (MatrixChannel(DIE), [0])]
    found = read_noncompliance(exact(released), parts, BORN, Clicks("last"))
    assert found.raw == pytest.approx(0.2, abs=1e-9)
    assert found.known == ("yes", "no")


def test_two_designs_show_who_always_says_no_without_a_control_item():
    """Two spinners (Clark and Desharnais 1998): 15 % always say no, 30 % of the others would say yes."""
    other, truth = np.array([[0.7, 0.3], [0.3, 0.7]]), np.array([0.7, 0.3])
    parts = [(MatrixChannel(DIE), [0, 1]), (MatrixChannel(other), [0, 1])]
    released = np.concatenate([0.5 * (0.85 * truth @ each + 0.15 * np.eye(2)[0]) for each in (DIE, other)])
    assert read_noncompliance(exact(released), parts, BORN, Clicks("no", by="born")).raw == pytest.approx(0.15, abs=1e-9)
    with pytest.raises(InputError, match="do not tell people who do not follow"):  # random clicks look like other shares
        read_noncompliance(exact(released), parts, BORN, Clicks("uniform", by="born"))


def spinners(n, rng, x=0.15):
    """Answers to a question of which half the people were asked by another spinner, and ``x`` always say no."""
    schema = Schema((Attribute("smokes", ("no", "yes")), Attribute("age", ("young", "old"))))
    rows = {"one": ((5, 1), (1, 5)), "two": ((7, 3), (3, 7))}
    files = {
        name: MechanismFile(schema, (((0,), MatrixWeights(each)), ((1,), MatrixWeights(each)))) for name, each in rows.items()
    }
    given = []
    for each in rows.values():
        matrix = np.array(each) / sum(each[0])
        true = rng.random((n // 2, 2)) < [0.3, 0.6]
        said = rng.random((n // 2, 2)) < matrix[true.astype(int), 1]
        given.append(said & (rng.random(n // 2) >= x)[:, None])
    smokes, old = np.concatenate(given).astype(int).T
    columns = TextColumn("smokes", smokes, ("no", "yes")), TextColumn("age", 1 - old, ("old", "young"))
    group = TextColumn("group", np.repeat([0, 1], n // 2), tuple(rows))
    return read_answers([(TextTable((*columns, group)), "answers")], MechanismGroups(files))


def test_two_designs_correct_every_question():
    """4,000 people: intervals of 1 - 1e-5 each, so that false alarms are below 1e-4 in all."""
    answers = replace(spinners(4000, np.random.default_rng(1)), clicks=Clicks("no", by="smokes"))
    assert answers.noncompliance.low < 0.15 < answers.noncompliance.high
    assert "By the designs of “smokes”" in answers.noncompliance.sentence
    for names, truth in ((["smokes"], [0.7, 0.3]), (["age"], [0.4, 0.6]), (["smokes", "age"], np.outer([0.7, 0.3], [0.4, 0.6]))):
        low, high = answers.estimate(names).interval(1 - 1e-5, population=True)
        assert ((low <= truth) & (truth <= high)).all()
    low, high = answers.uncorrected.estimate(["age"]).interval(population=True)
    assert high[1] < 0.6


@pytest.mark.long
def test_two_designs_cover():
    """300 surveys: each coverage within 4.2 standard errors of 95 %, false alarms below 1e-3 in all."""
    rng, held = np.random.default_rng(2), []
    for _ in range(300):
        answers = replace(spinners(2000, rng), clicks=Clicks("no", by="smokes"))
        found = answers.noncompliance
        each = [found.low <= 0.15 <= found.high]
        for names, truth in ((["smokes"], 0.3), (["age"], 0.6)):
            low, high = answers.estimate(names).interval(population=True)
            each.append(low[1] <= truth <= high[1])
        held.append(each)
    assert (np.abs(np.mean(held, axis=0) - 0.95) < 4.2 * np.sqrt(0.05 * 0.95 / 300)).all()


def asked(codes, mechanism="pair-safe", **more):
    groups = integer_groups(build(mechanism, SCHEMA.sizes, LEVELS))
    return Answers(Dataset(SCHEMA, codes, "answers"), MechanismFile(SCHEMA, groups), **more)


@pytest.mark.parametrize("mechanism", ["kronecker", "pair-safe"])
@pytest.mark.parametrize("population", [True, False])
def test_errors_are_those_of_the_estimate_as_a_function_of_all_that_was_released(mechanism, population):
    """Finite differences of the corrected shares, written out, by the share of every combination of reports: the delta method."""
    answers = survey(mechanism, 0.15, 3000, np.random.default_rng(3))
    names = ["violence", "help"]
    channel, control = (answers.mechanism.marginal_channel(axes) for axes in ((0, 1), (2,)))
    table = answers.released([*names, "born"])

    def corrected(released):
        yes = control.invert(released.sum(axis=(0, 1)))[1]
        x = (1 - yes / released.sum()) / (1 - 1 / 2)
        return (channel.invert(released.sum(axis=2)) / released.sum() - x / 6) / (1 - x)

    estimate = answers.estimate(names)
    assert np.allclose(estimate.shares, corrected(table), atol=1e-12)
    step = 1e-6
    slopes = np.stack(
        [(corrected(table + step * unit.reshape(table.shape)) - corrected(table)) / step for unit in np.eye(table.size)]
    )
    moved = slopes.reshape(table.size, -1)
    variance = table.ravel() @ moved**2 - (table.ravel() @ moved) ** 2
    for place in np.ndindex(2, 3):
        weights = np.zeros((2, 3))
        weights[place] = 1.0
        error = functional_error(weights, estimate, True)
        assert error == pytest.approx(np.sqrt(variance[np.ravel_multi_index(place, (2, 3))] / 3000), rel=2e-3)
        assert functional_error(weights, estimate, population) <= error * 1.0001
        assert functional_error(weights, estimate, population) > functional_error(
            weights, answers.uncorrected.estimate(names), population
        )


def test_intervals_cover_where_a_tenth_click_at_random():
    """50 surveys of 1,500 people: each coverage within 4.5 standard errors of 95 %, false alarms below 2e-4 in all (22 intervals)."""
    for number, mechanism in enumerate(("kronecker", "pair-safe")):
        cover = covered(mechanism, 0.1, 50, 1500, np.random.default_rng([1, number]))
        assert np.abs(cover.share("corrected") - 0.95).max() < 4.5 * np.sqrt(0.05 * 0.95 / 50)
        assert cover.share("uncorrected").min() < 0.7
        assert cover.share("clicking") > 0.87


@pytest.mark.long
@pytest.mark.parametrize(
    ("mechanism", "share"), [("pair-safe", 0.0), ("kronecker", 0.05), ("pair-safe", 0.2), ("kronecker", 0.2)]
)
def test_intervals_cover_whatever_part_clicks_at_random(mechanism, share):
    """600 surveys of 2,000: 91.7 to 98 %, where nobody clicks at least 91.7 % (``benchmarks/bench_clicking.py``: 2,000, 93 to 97 %).

    One of eleven intervals that hold 95 % is outside by chance in fewer than 1 of 200 measurements.
    """
    cover = covered(mechanism, share, 600, 2000, np.random.default_rng([2, int(100 * share)]), beside=False)
    assert cover.share("corrected").min() >= 0.917
    assert cover.share("corrected").max() <= (0.98 if share else 1.0)
    assert cover.share("clicking") >= 0.917


def test_where_fewer_than_nobody_seem_to_click_nothing_is_taken_off():
    codes = np.tile([[0, 0, 1], [1, 1, 1], [0, 2, 1]], (100, 1)).astype(np.int32)  # every report of the control item is right
    answers = asked(codes)
    assert answers.noncompliance.raw < 0
    assert answers.noncompliance.share == 0.0 == answers.noncompliance.low
    assert np.allclose(answers.estimate(["violence"]).shares, answers.uncorrected.estimate(["violence"]).shares)
    wide, plain = (
        (high - low)[0] for low, high in (each.estimate(["violence"]).interval() for each in (answers, answers.uncorrected))
    )
    assert wide > plain


def test_the_control_item_itself_is_read_as_it_was_answered():
    answers = survey("pair-safe", 0.2, 2000, np.random.default_rng(4))
    for names in (["born"], ["born", "help"]):
        assert np.array_equal(answers.estimate(names).shares, answers.uncorrected.estimate(names).shares)
        assert corrections(answers, names) == ()
        assert not answers.corrects(names)


def test_a_weighted_sample_is_corrected_with_its_weights():
    """Equal weights say what none do; people with a weight of 0, who all clicked, do not count."""
    rng = np.random.default_rng(5)
    good, bad = survey("kronecker", 0.1, 2000, rng), survey("kronecker", 1.0, 500, rng)
    equal = replace(good, sample=Sample(np.full(2000, 3.0)), _counted={})
    assert equal.noncompliance.raw == pytest.approx(good.noncompliance.raw)
    one, two = (each.estimate(["help"]) for each in (equal, good))
    assert np.allclose(one.shares, two.shares)
    assert np.allclose(one.interval(population=True), two.interval(population=True), atol=2e-4)
    assert one.design_effect == pytest.approx(1, abs=1e-3)
    both = np.concatenate([good.dataset.codes, bad.dataset.codes])
    weights = np.repeat([1.0, 0.0], [2000, 500])
    kept = Answers(Dataset(SCHEMA, both, "both"), good.mechanism, sample=Sample(weights))
    assert kept.noncompliance.raw == pytest.approx(good.noncompliance.raw)
    assert np.allclose(kept.estimate(["help"]).shares, two.shares)


def test_people_of_whom_some_answers_are_missing_count_where_they_answered():
    full = survey("kronecker", 0.1, 2000, np.random.default_rng(6))
    partial = full.dataset.codes[1200:].copy()
    partial[:, 2] = -1
    answers = replace(full, dataset=Dataset(SCHEMA, full.dataset.codes[:1200]), partial=partial, _counted={})
    assert answers.noncompliance.n == 1200
    assert answers.estimate(["help"]).n == 2000
    low, high = answers.estimate(["violence"]).interval(1 - 1e-5, population=True)
    assert ((low <= TRUE.sum(axis=1)) & (TRUE.sum(axis=1) <= high)).all()


def test_groups_of_people_are_each_corrected_by_their_own_control_answers():
    rng = np.random.default_rng(7)
    parts = {"north": survey("kronecker", 0.0, 1500, rng), "south": survey("kronecker", 0.3, 1500, rng)}
    texts = [(name, each.dataset.to_csv().splitlines()) for name, each in parts.items()]
    rows = ["violence,help,born,region", *(f"{line},{name}" for name, lines in texts for line in lines[1:])]
    answers = read_answers([("\n".join(rows).encode(), "a.csv")], parts["north"].mechanism)
    found = answers.split("region")
    assert found["north"].noncompliance.share < 0.06 < 0.2 < found["south"].noncompliance.share
    for each in found.values():
        low, high = each.estimate(["violence"]).interval(1 - 1e-5, population=True)
        assert ((low <= TRUE.sum(axis=1)) & (TRUE.sum(axis=1) <= high)).all()


def test_counts_have_what_the_correction_needs(tmp_path):
    records = survey("pair-safe", 0.1, 800, np.random.default_rng(8))
    (tmp_path / "a.csv").write_text(records.dataset.to_csv(), encoding="utf-8")
    only = count_answers([open_stream(tmp_path / "a.csv")], records.mechanism, [("violence", "help"), ("help",)])
    assert only.held is None
    for names in (["violence", "help"], ["help"], ["violence"]):
        assert only.knows(names)
        one, two = (each.estimate(names) for each in (only, records))
        assert np.allclose(one.shares, two.shares)
        assert np.allclose(one.interval(population=True), two.interval(population=True))
    found = io.BytesIO()
    only.tables([("help", "born")]).write(found)


def test_pairs_are_read_corrected():
    """Violence and help go together; clicking at random makes that look weaker."""
    answers = survey("kronecker", 0.4, 20000, np.random.default_rng(9))
    corrected, plain = (
        {pair.names: pair for pair in pair_summaries(each)}["violence", "help"] for each in (answers, answers.uncorrected)
    )
    apart = TRUE - np.outer(TRUE.sum(axis=1), TRUE.sum(axis=0))
    v = float(np.sqrt((apart**2 / np.outer(TRUE.sum(axis=1), TRUE.sum(axis=0))).sum()))
    assert plain.v < 0.75 * v
    assert corrected.low < v < corrected.high


def test_other_laws_stand_beside_and_the_same_people_are_compared_as_they_answered():
    answers = survey("kronecker", 0.2, 3000, np.random.default_rng(10))
    summary = summarise_marginal(answers, ["violence"])
    assert [each.law for each in summary.corrections] == ["", "first", "last", "no"]
    assert "looks the same" in summary.corrections[2].why  # always the last answer, "yes", is the known one
    by_law = {each.law: each.estimate.shares[1] for each in summary.corrections if each.estimate is not None}
    assert by_law["first"] > summary.estimate.shares[1] > by_law[""] - 0.05
    table = corrections_table(summary.schema, summary.estimate, summary.corrections)
    assert [heading.partition(":")[0] for heading in table] == [
        "violence",
        "Corrected (95 %)",
        "If everybody follows the instructions",
        "If always the first answer is clicked",
        "If always the first report is given, whatever the device says",
    ]
    told = summary_dict(answers, [summary])
    assert told["noncompliance"]["share"] == answers.noncompliance.share
    assert told["marginals"][0]["cells"]["uncorrected"] == summary.uncorrected.shares.tolist()
    assert "noncompliance" not in summary_dict(answers.uncorrected, [summarise_marginal(answers.uncorrected, ["violence"])])


@pytest.mark.parametrize("simultaneous", [False, True])
def test_intervals_beside_other_laws_are_as_they_are_meant(simultaneous):
    answers = survey("kronecker", 0.2, 3000, np.random.default_rng(10))
    found = summarise_marginal(answers, ["violence", "help"])
    low, high = found.estimate.interval(population=True, simultaneous=simultaneous)
    numbers = zip(*(each.ravel().tolist() for each in (found.estimate.shares, low, high)), strict=True)
    told = [Quantity("share", "").estimated(*each) for each in numbers]
    assert (
        corrections_table(found.schema, found.estimate, found.corrections, simultaneous=simultaneous)["Corrected (95 %)"] == told
    )
    section = report_after(answers, [found], simultaneous=simultaneous).partition("Who did not follow the instructions")[2]
    assert all(text in section.replace("\N{NO-BREAK SPACE}", " ") for text in told)


def test_a_regression_goes_through_the_corrected_channel_and_says_that_the_share_is_taken_for_known():
    """Log odds of help by violence, from the corrected table and from the fit: both are the likeliest ones of a saturated model."""
    answers = survey("kronecker", 0.2, 30000, np.random.default_rng(13))
    found = fit(answers, "violence", ["help"])
    assert any("did not follow the instructions, as if that share were known" in note for note in found.notes)
    table = answers.estimate(["violence", "help"]).likeliest().shares
    odds = np.log(table[1] / table[0])
    assert np.allclose(found.coefficients[0], [odds[0], odds[1] - odds[0], odds[2] - odds[0]], atol=0.05)
    assert not fit(answers.uncorrected, "violence", ["help"]).notes


def test_the_sentence_says_how_many_and_what_is_taken_for_granted():
    found = survey("kronecker", 0.1, 2000, np.random.default_rng(12)).noncompliance
    assert isinstance(found, Noncompliance)
    assert found.share_text in found.sentence
    assert "every answer is clicked alike" in found.sentence
    assert rr.table.Control("a", "b").text == "'a' is 'b'"


def test_a_law_of_another_name_is_refused():
    with pytest.raises(InputError, match="choose among uniform, first, last, no"):
        Clicks("often")
    with pytest.raises(InputError, match="click nothing"):
        Clicks("no", (("born", (0.5, 0.5)),))


def test_questions_are_those_that_are_measured():
    assert {names: truth.shape for names, truth in QUESTIONS.items()} == {
        ("violence",): (2,),
        ("help",): (3,),
        ("violence", "help"): (2, 3),
    }
    assert SCHEMA.control == Control("born", "yes")
    assert SampleColumns().simple
    assert with_sample(survey("kronecker", 0, 50, np.random.default_rng(0)), SampleColumns()).n == 50


def test_pairs_that_have_nothing_to_do_with_each_other_are_found_dependent_in_5_percent_of_surveys(monkeypatch):
    """120 surveys with a fifth who click: within 5 standard errors of 0.05 (6e-7)."""
    monkeypatch.setattr(clicking, "TRUE", np.outer(TRUE.sum(axis=1), TRUE.sum(axis=0)))
    rng = np.random.default_rng(8)
    estimates = (survey("kronecker", 0.2, 1500, rng).estimate(["violence", "help"]) for _ in range(120))
    found = np.array([independence_of(each).p_value for each in estimates])
    assert np.isfinite(found).all()
    assert abs(np.mean(found < 0.05) - 0.05) < 5 * np.sqrt(0.05 * 0.95 / 120)


def test_pairs_with_the_control_item_say_that_they_are_not_corrected():
    found = pair_summaries(survey("kronecker", 0.2, 1500, np.random.default_rng(8)))
    assert [each.note[:13] for each in found] == ["", "not corrected", "not corrected"]


def test_a_control_item_corrects_both_parts_of_a_split_sample():
    """30,000 people, a third of them asked directly: each share within 5 standard errors of the truth (1e-5 in all), and nobody denies."""
    rng, share = np.random.default_rng(6), 0.15
    randomised = survey("kronecker", share, 20_000, rng)
    both = split_survey(randomised.mechanism)
    direct = survey("kronecker", share, 10_000, rng, file=both.files[1][1], keep=True)
    rows = [f"{row},{RANDOMISED}" for row in randomised.dataset.to_csv().splitlines()[1:]]
    rows += [f"{row},{DIRECTLY}" for row in direct.dataset.to_csv().splitlines()[1:]]
    arms = Arms.of(read_answers([("\n".join([",".join([*SCHEMA.names, "group"]), *rows]).encode(), "a.csv")], both))
    for part in (arms.randomised, arms.directly):
        assert part.noncompliance.low < share < part.noncompliance.high
        for names, truth in QUESTIONS.items():
            found = part.estimate(names)
            assert (np.abs(found.shares - truth) < 5 * found.standard_error()).all()
        assert np.abs(part.uncorrected.estimate(["violence"]).shares[1] - 0.26) > 0.02
    low, high = denials(arms.randomised.estimate(["violence"]), arms.directly.estimate(["violence"]))[-1].interval()
    assert low < 0 < high
