"""Different designs for different groups of respondents, read as one survey."""

import json
from fractions import Fraction

import numpy as np
import pytest

import rrcore as rr
from rrcore.answers import SampleColumns, pair_summaries, read_groups, summarise_marginal, summary_dict, with_sample
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import functional_error
from rrcore.promise import MechanismFile, MechanismGroups
from rrcore.promise.weights import LieWeights, MatrixWeights
from rrcore.report import questions_after, report_after
from rrcore.table import Attribute, Dataset, Schema

SMOKES, AGE = Attribute("smokes", ("no", "yes")), Attribute("age", ("young", "middle", "old"))
ASKED = Schema((SMOKES, AGE))
COLOURS = Attribute("smokes", ("red", "black", "white"))
CARDS = MatrixWeights(((6, 3, 1), (1, 3, 6)))
WARNER, RING = LieWeights((2,), 0, (("0", 4), ("1", 1))), MatrixWeights(((7, 2, 1), (1, 8, 1), (2, 3, 5)))
COUPLED = LieWeights((2, 3), 5, (("00", 20), ("01", 3), ("11", 9)))

CITY = MechanismFile(ASKED, (((0,), CARDS), ((1,), RING)), note="city", reports=Schema((COLOURS, AGE)))
LAND = MechanismFile(ASKED, (((0, 1), COUPLED),), note="land")
GROUPS = MechanismGroups({"city": CITY, "land": LAND})


def population(n, seed):
    rng = np.random.default_rng(seed)
    age = rng.choice(3, size=n, p=(0.5, 0.3, 0.2))
    return np.column_stack([rng.random(n) < np.array([0.2, 0.3, 0.5])[age], age]).astype(np.int32)


def survey(city=900, land=600, seed=0):
    """CSV of released answers with a column that names the group, and the true shares."""
    people, parts = population(city + land, seed), []
    for name, file, rows in (("city", CITY, slice(None, city)), ("land", LAND, slice(city, None))):
        text = rr.randomise(file, Dataset(ASKED, people[rows])).to_csv().splitlines()
        parts += [f"{line},{name}" for line in text[1:]]
    order = np.random.default_rng(seed).permutation(len(parts))
    text = "\n".join(["smokes,age,group", *(parts[i] for i in order)])
    return text.encode(), Dataset(ASKED, people)


def test_answers_of_both_groups_are_one_release():
    content, people = survey()
    answers = read_groups([(content, "answers.csv")], GROUPS)
    assert (answers.n, answers.left_out, answers.schema) == (1500, 0, ASKED)
    assert answers.dataset.schema.sizes == (5, 6)
    assert answers.counts(["smokes"])[:3].sum() == 900
    assert "900 answers of 'city', 600 answers of 'land'" in answers.notes[-1]
    for names in (["smokes"], ["age"], ["smokes", "age"], ["age", "smokes"]):
        estimate = answers.estimate(names)
        low, high = estimate.interval(1 - 1e-6)
        truth = people.shares(names)
        assert ((low <= truth) & (truth <= high)).all()  # false alarm below 1e-4 in all
        assert estimate.shares.sum() == pytest.approx(1)


def test_the_estimate_is_both_groups_put_together_by_their_covariances():
    """Of one yes/no share: the mean of both groups' own estimates, weighed by size over variance at equal shares."""
    content, _ = survey(seed=3)
    answers = read_groups([(content, "answers.csv")], GROUPS)
    counts = answers.counts(["smokes"])
    own, weights = [], []
    for file, part in ((CITY, counts[:3]), (LAND, counts[3:])):
        channel = file.marginal_channel([0])
        own.append(channel.invert(part / part.sum()))
        weights.append(part.sum() / (channel.uniform_variance + 0.25))  # variance of one person's part, within the group
    even = np.average(own, axis=0, weights=weights)
    np.testing.assert_allclose(answers.estimate(["smokes"]).shares, even, atol=1e-12)


def test_errors_are_those_within_groups():
    content, _ = survey(seed=4)
    answers = read_groups([(content, "answers.csv")], GROUPS)
    estimate = answers.estimate(["smokes"])
    both = answers.channel(["smokes"])
    variance = 0.0
    for file, place, share in ((CITY, slice(None, 3), 0.6), (LAND, slice(3, None), 0.4)):
        matrix = np.array([file.marginal_channel([0]).push(row) for row in np.eye(2)])
        reports = estimate.projected @ matrix
        kappa = both.inverse[1][place]
        variance += share * (reports @ kappa**2 - (reports @ kappa) ** 2)
    assert estimate.standard_error(population=True)[1] == pytest.approx(np.sqrt(variance / 1499), rel=0.02)


def test_errors_are_those_of_a_sample_with_the_groups_as_strata():
    """By linearisation within strata, which knows nothing of weights that are centred."""
    content, _ = survey(seed=5)
    answers = read_groups([(content, "answers.csv")], GROUPS)
    drawn = with_sample(answers, SampleColumns(strata="group"))
    for names in (["smokes"], ["smokes", "age"]):
        one, other = answers.estimate(names), drawn.estimate(names)
        np.testing.assert_allclose(one.shares, other.shares, atol=1e-12)
        for cell in np.ndindex(one.shares.shape):
            unit = np.zeros(one.shares.shape)
            unit[cell] = 1.0
            errors = [functional_error(unit, estimate, population=True) for estimate in (one, other)]
            assert errors[0] == pytest.approx(errors[1], rel=0.01)


def test_lines_say_themselves_by_which_file_they_were_randomised():
    lines = [
        {"mechanism": CITY.sha256, "answers": {"smokes": "white", "age": "old"}},
        {"mechanism": LAND.sha256, "answers": {"smokes": "yes", "age": "old"}},
        {"mechanism": LAND.sha256, "answers": {"smokes": "white", "age": "old"}},
        {"mechanism": "0" * 64, "answers": {"smokes": "yes", "age": "old"}},
    ]
    text = "\n".join([*map(json.dumps, lines), "rubbish", ""])
    answers = read_groups([(text.encode(), "lines.jsonl")], GROUPS)
    assert answers.dataset.codes.tolist() == [[2, 2], [4, 5]]
    reasons = {each.reason: each.first for each in answers.rejected}
    assert reasons == {
        "an answer to 'smokes' that is not one of its categories": "line 3 of lines.jsonl",
        "answers randomised by another mechanism file": "line 4 of lines.jsonl",
        "a line that is not JSON, or gives a field twice": "line 5 of lines.jsonl",
    }


def test_other_columns_stay_with_their_rows_and_strangers_are_counted():
    rows = ["city,red,old,N", "land,no,old,S", ",red,old,N", "sea,red,old,S", f"{CITY.sha256},white,young,S"]
    answers = read_groups([("\n".join(["where,smokes,age,region", *rows]).encode(), "a.csv")], GROUPS, column="where")
    assert [column.name for column in answers.groupings] == ["region", "where"]
    region, where = answers.groupings
    assert [region.values[code] for code in region.codes] == ["N", "S", "S"]
    assert [where.values[code] for code in where.codes] == ["city", "city", "land"]
    assert {each.reason for each in answers.rejected} == {"no group", "a group without a mechanism file"}
    assert answers.split("where")["land"].counts(["smokes"]).tolist() == [0, 0, 0, 1, 0]


def test_records_with_some_answers_missing_and_people_without_any_stay_in_their_groups():
    rows = ["city,red,,N", "land,,,S", "land,no,old,S", "city,white,old,N", "land,yes,,S"]
    answers = read_groups([("\n".join(["group,smokes,age,region", *rows]).encode(), "a.csv")], GROUPS)
    assert answers.dataset.codes.tolist() == [[2, 2], [3, 5]]
    assert answers.partial.tolist() == [[0, -1], [4, -1]]
    assert answers.counts(["smokes"]).tolist() == [1, 0, 1, 1, 1]
    assert [[column.values[code] for code in column.codes] for column in answers.groupings] == [
        ["N", "S", "N", "S"],
        ["city", "land", "city", "land"],
    ]
    assert [column.name for column in answers.silent] == ["region", "group"]
    assert answers.left_out == 1


def test_one_group_alone_reads_as_by_its_own_file():
    content, _ = survey(seed=6)
    answers = read_groups([(content, "a.csv")], GROUPS)
    part = answers.split("group")["land"]
    alone = rr.read_answers([(content.replace(b"group", b"set"), "a.csv")], LAND)  # city's reports are not among its categories
    kept = np.flatnonzero(alone.groupings[0].codes == alone.groupings[0].values.index("land"))
    own = rr.read_answers([(Dataset(ASKED, alone.dataset.codes[kept]).to_csv().encode(), "b.csv")], LAND)
    assert part.n == own.n == 600
    one, other = part.estimate(["smokes", "age"]), own.estimate(["smokes", "age"])
    np.testing.assert_allclose(one.shares, other.shares, atol=1e-10)
    np.testing.assert_allclose(one.standard_error(population=True), other.standard_error(population=True), rtol=1e-6)


def test_summary_and_report():
    content, _ = survey()
    answers = read_groups([(content, "a.csv")], GROUPS)
    found = summarise_marginal(answers, ["smokes"])
    assert found.reports()["smokes"] == ["city: red", "city: black", "city: white", "land: no", "land: yes"]
    joint = summarise_marginal(answers, ["smokes", "age"])
    assert len(joint.reports()["age"]) == 9 + 6  # nobody is of two groups
    assert sum(joint.reports()["released people"]) == 1500
    (pair,) = pair_summaries(answers)
    assert 0 <= pair.low <= pair.v <= pair.high
    told = summary_dict(answers, [found], [pair])
    assert told["mechanism"] == f"{CITY.sha256}+{LAND.sha256}"
    assert told["levels"]["smokes"] == told["total"] or float(told["levels"]["smokes"]) <= float(told["total"])
    page = report_after(answers, questions_after(answers, joint), [pair])
    assert "city: black" in page


def test_everybody_is_promised_what_the_worst_group_is():
    assert GROUPS.certificate.levels[0] == max(CITY.certificate.levels[0], LAND.certificate.levels[0])
    assert GROUPS.certificate.total == max(CITY.certificate.total, LAND.certificate.total)
    open_ended = MechanismFile(Schema((SMOKES,)), (((0,), MatrixWeights(((2, 0), (1, 1)))),))
    bounded = MechanismFile(Schema((SMOKES,)), (((0,), WARNER),))
    assert MechanismGroups({"a": open_ended, "b": bounded}).certificate.levels == (None,)
    assert MechanismGroups({"a": bounded, "b": MechanismFile(Schema((SMOKES,)), bounded.groups, "x")}).certificate.levels == (
        Fraction(4),
    )


def test_groups_that_are_identifiable_only_together():
    """Two categories of three are told apart in either half, other ones in each."""
    often = Attribute("smokes", ("never", "seldom", "often"))
    two = Schema((Attribute("smokes", ("black", "white")),))
    one = MechanismFile(Schema((often,)), (((0,), MatrixWeights(((8, 2), (8, 2), (1, 9)))),), reports=two)
    other = MechanismFile(Schema((often,)), (((0,), MatrixWeights(((9, 1), (2, 8), (2, 8)))),), reports=two)
    groups = MechanismGroups([("one", one), ("other", other)])
    rows = ["smokes,group"] + ["black,one"] * 52 + ["white,one"] * 48 + ["black,other"] * 30 + ["white,other"] * 70
    estimate = read_groups([("\n".join(rows).encode(), "a.csv")], groups).estimate(["smokes"])
    never = (0.3 - 0.2) / 0.7
    often_share = (0.8 - 0.52) / 0.7
    np.testing.assert_allclose(estimate.shares, [never, 1 - never - often_share, often_share], atol=1e-12)
    alone = "\n".join(["smokes,group"] + ["black,one"] * 52 + ["white,one"] * 48).encode()
    with pytest.raises(NotIdentifiableError, match="only the share of 'never' and 'seldom' together and that of 'often'"):
        read_groups([(alone, "a.csv")], groups).estimate(["smokes"])


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a": CITY}, "There are mechanism files for 1 groups"),
        ([("a", CITY), ("a", LAND)], "Two groups have one name"),
        ({"a": CITY, "b": CITY}, "'a' and 'b' have the same mechanism file"),
        ({"a": CITY, "b": MechanismFile(Schema((SMOKES,)), (((0,), WARNER),))}, "ask about different attributes or categories"),
    ],
)
def test_what_is_no_survey_of_groups(files, message):
    with pytest.raises(InputError, match=message):
        MechanismGroups(files)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"smokes,age\nred,old\n", "has no column 'group', which says by which of the 2 mechanism files"),
        (b"smokes,age,group\nred,old,sea\n", "None of the answers is of one of the groups 'city', 'land'"),
        (b"smokes,group\nred,city\n", "Group 'city': The file 'a.csv' has no column 'age'"),
    ],
)
def test_files_that_do_not_say_enough(content, message):
    with pytest.raises(InputError, match=message):
        read_groups([(content, "a.csv")], GROUPS)
