"""Columns of collected answers that say how people were drawn, what is known of the population, and answers that are missing."""

import numpy as np
import pytest

from rrcore.answers import (
    KnownTotals,
    SampleColumns,
    about_sample,
    pair_summaries,
    read_answers,
    read_totals,
    summarise_groups,
    summarise_marginal,
    with_sample,
)
from rrcore.designs import read_design
from rrcore.errors import InputError
from rrcore.promise import MechanismFile
from rrcore.table import Attribute, Schema
from tests.estimate.sample.drawing import functional_error
from tests.estimate.sample.test_published import INFERTILITY

YES_NO = ("no", "yes")
ONE = MechanismFile(Schema((Attribute("treated", YES_NO),)), (((0,), read_design("treated", "forced", 2, "3/5, 1/5, 1/5")),))
TWO = MechanismFile(
    Schema((Attribute("treated", YES_NO), Attribute("smokes", YES_NO))),
    (((0,), read_design("treated", "forced", 2, "3/5, 1/5, 1/5")), ((1,), read_design("smokes", "warner", 2, "4/5"))),
)


def infertility():
    """The answers of the survey of RRTCS as a file."""
    rows = [
        f"{stratum},{weight},{answer}" for stratum, weight, n, yes in INFERTILITY for answer in ["yes"] * yes + ["no"] * (n - yes)
    ]
    return ("stratum,weight,treated\n" + "\n".join(rows)).encode()


def invented(n=600, seed=1):
    """Two questions, some answers missing, with weights, districts, villages and a group of age."""
    rng = np.random.default_rng(seed)
    answers = np.array(["no", "yes", ""], dtype=object)
    rows = ["treated,smokes,weight,district,village,age"]
    for i in range(n):
        one, other = answers[rng.choice(3, p=(0.6, 0.32, 0.08))], answers[rng.choice(3, p=(0.5, 0.42, 0.08))]
        village = i % 40
        place, age = "north" if village < 20 else "south", "young" if rng.random() < 0.4 else "old"
        rows.append(f"{one},{other},{rng.integers(1, 5)},{place},v{village},{age}")
    return "\n".join(rows).encode()


@pytest.fixture(scope="module")
def answers():
    return read_answers([(invented(), "a.csv")], TWO)


def test_weights_and_strata_of_a_published_survey():
    found = with_sample(read_answers([(infertility(), "a.csv")], ONE), SampleColumns(weights="weight", strata="stratum"))
    estimate = found.estimate(["treated"])
    assert estimate.shares[1] == pytest.approx(0.1045, abs=5e-5)
    assert found.sample.words() == "weighted, 19 strata"
    (reported,) = about_sample(found, estimate)
    assert reported.startswith("Sample: weighted, 19 strata. It is as precise as 3")
    assert "the variance of the shares of treated by 1." in reported  # every joint distribution has its own effect
    plain = with_sample(found, SampleColumns())
    assert plain.sample is None
    assert plain.estimate(["treated"]).shares[1] == pytest.approx(0.0928, abs=5e-5)
    assert about_sample(plain, plain.estimate(["treated"])) == []


def test_everything_that_is_read_takes_the_sample(answers):
    columns = SampleColumns(weights="weight", strata="district", clusters="village")
    found = with_sample(answers, columns)
    weights = found.sample.weights
    marginal = summarise_marginal(found, ["treated", "smokes"])
    codes, rows = found.release.records.answered(["treated", "smokes"])
    expected = np.zeros((2, 2))
    np.add.at(expected, tuple(codes.T), weights[rows])
    np.testing.assert_allclose(marginal.estimate.released, expected / expected.sum())
    assert marginal.estimate.n == len(rows) < found.n
    assert marginal.likelihood.shares.sum() == pytest.approx(1)
    assert len(marginal.given(["treated"])) == 4
    pairs = pair_summaries(found)
    assert pairs.columns["p_value"] != pair_summaries(answers).columns["p_value"]
    groups = summarise_groups(found.split("age"), ["smokes"], "age")
    assert groups.labels["age"] == ["old", "old", "young", "young"]
    assert found.sample.words() == "weighted, 2 strata, 40 clusters"
    assert found.incomplete > 0


def test_population_sizes(answers):
    sizes = read_totals(b"district,total\nnorth,100\nsouth,50\n", "sizes.csv")
    columns = SampleColumns(strata="district", clusters="village", populations=sizes)
    finite = with_sample(answers, columns)
    np.testing.assert_allclose(finite.sample.fractions, [0.2, 0.4])
    assert "a finite population" in finite.sample.words()
    whole = with_sample(answers, SampleColumns(populations=KnownTotals((), ((),), (2000.0,))))
    assert whole.sample.fractions.tolist() == [answers.n / 2000]


def test_people_who_did_not_answer_are_not_observed_of_a_finite_population():
    """Of 400 people all were asked and half answered. A group is asked as a whole."""
    sizes = KnownTotals((), ((),), (400.0,))
    rows = "yes,no,a\nno,no,b\n" * 100 + ",no,a\n" * 100 + ",no,b\n" * 100
    lacking = with_sample(
        read_answers([(("treated,smokes,region\n" + rows).encode(), "a.csv")], TWO), SampleColumns(populations=sizes)
    )
    r = (np.array([0.0, 1.0]) - 0.2) / 0.6
    expected = (0.5 * r.var() + 0.5 * (r * (r - 1)).mean()) / 200
    found = lacking.estimate(["treated"])
    assert functional_error(np.array([0.0, 1.0]), found, True) ** 2 == pytest.approx(expected, rel=6e-3)  # n - 1 for n
    for answers in (lacking, lacking.split("region")["a"]):
        found = answers.estimate(["smokes"])
        errors = [functional_error(np.array([0.0, 1.0]), found, population) for population in (True, False)]
        assert errors[0] == pytest.approx(errors[1], rel=1e-9)


@pytest.mark.parametrize(("columns", "message"), [
    ({"weights": "income"}, "There is no column 'income' for the weights"),
    ({"weights": "village"}, "column 'village'"),
    ({"populations": KnownTotals(("age",), (("young",),), (9.0,))}, "the whole population, got sizes for the values of 'age'"),
    ({"strata": "age", "populations": KnownTotals(("age",), (("young",),), (9e9,))}, "no population size for the stratum 'old'"),
])  # fmt: skip
def test_what_the_columns_cannot_say(answers, columns, message):
    with pytest.raises(InputError, match=message):
        with_sample(answers, SampleColumns(**columns))


@pytest.mark.parametrize(("text", "message"), [
    (b"sex,people\nf,1\n", "'t.csv', got sex, people"),
    (b"sex,total\nf,many\n", "A total in 't.csv' is not a number of 0 or more"),
    (b"sex,total\nf,-1\n", "A total in 't.csv' is not a number of 0 or more"),
    (b"sex,total\nf,1\nf,2\n", "'t.csv' has two totals for the same sex"),
    (b"sex,total\nf,1\n,2\n", "'sex' in 't.csv' has an empty cell"),
])  # fmt: skip
def test_totals_that_cannot_be_read(text, message):
    with pytest.raises(InputError, match=message):
        read_totals(text, "t.csv")


def test_a_missing_weight_is_refused():
    rows = b"treated,weight\nyes,1\nno,\nno,2\n"
    with pytest.raises(InputError, match="1 record has no value in the column 'weight'"):
        with_sample(read_answers([(rows, "a.csv")], ONE), SampleColumns(weights="weight"))
