"""What a page and a file say about collected answers."""

import json
import math

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from rrcore.answers.answers import Answers
from rrcore.answers.nigeria_survey import nigeria
from rrcore.answers.summary import pair_summaries, pair_summary_matrix, summarise_groups, summarise_marginal, summary_dict
from rrcore.arrays import count_cells
from rrcore.dependence import cramers_v
from rrcore.designs import read_design
from rrcore.mechanisms import build
from rrcore.promise.integers import integer_groups
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.sampler import randomise
from rrcore.report import Front, report_after
from rrcore.table.dataset import Dataset
from rrcore.table.demo import load_demo
from rrcore.table.schema import Attribute, Schema
from rrcore.table.text_table import TextColumn

TRUE = load_demo("berkeley")


def answers(mechanism="pair-safe", level=2.0, dataset=TRUE):
    sizes = dataset.schema.sizes
    file = MechanismFile(dataset.schema, integer_groups(build(mechanism, sizes, np.full(len(sizes), level))))
    return Answers(randomise(file, dataset), file)


def mixed():
    groups = (
        ((0,), read_design("Admit", "forced", 2, "3/4, 1/8, 1/8")),
        ((2,), read_design("Dept", "k-ary", 6, "4/5")),
        ((1,), read_design("Gender", "matrix", 2, "9/10, 1/10; 1/5, 4/5")),
    )
    file = MechanismFile(TRUE.schema, groups)
    return Answers(randomise(file, TRUE), file)


@pytest.mark.parametrize("made", [answers, mixed])
def test_v_is_near_the_truth_and_inside_its_interval(made):
    """Intervals of 99.9 % would be missed once in 300 pairs: the 95 % ones are widened to 5 standard errors here by n alone."""
    found = {pair.names: pair for pair in pair_summaries(made())}
    truth = cramers_v(count_cells(TRUE.codes[:, [1, 2]], (2, 6)) / TRUE.n)
    pair = found[("Gender", "Dept")]
    assert pair.low <= pair.v <= pair.high
    assert abs(pair.v - truth) < 0.12
    assert pair.p_value < 1e-6
    assert pair.note == ""


def test_the_p_value_under_kronecker_is_pearsons():
    collected = answers("kronecker")
    pair = pair_summaries(collected)[0]
    assert pair.p_value == pytest.approx(chi2_contingency(collected.counts(pair.names), correction=False).pvalue, rel=1e-9)


def test_an_erased_pair_is_called_so():
    schema = Schema(tuple(Attribute(name, ("no", "yes")) for name in "abc"))
    data = Dataset(schema, np.random.default_rng(0).integers(0, 2, (500, 3)).astype(np.int32))
    pairs = pair_summaries(answers("optimal", 0.5, data))
    assert all(math.isnan(pair.v) and math.isnan(pair.p_value) and "erases" in pair.note for pair in pairs)


def skipped(rng):
    """3,000 people, of whom 150 answered c; all answers are independent."""
    schema = Schema(tuple(Attribute(name, ("x", "y", "z")) for name in "abc"))
    mechanism = build("kronecker", (3, 3, 3), [2.0] * 3)
    codes = mechanism.perturb(rng.integers(3, size=(3000, 3)).astype(np.int32), rng=rng)
    partial = codes[150:].copy()
    partial[:, 2] = -1
    return Answers(Dataset(schema, codes[:150]), MechanismFile(schema, integer_groups(mechanism)), partial=partial)


def test_pairs_that_few_people_answered_are_read_as_of_few():
    """An interval that covers 95 % misses V = 0 from above in 2.5 %: of 20 sparse ones five or more with probability below 2e-4. By the mean
    number of people of all pairs 16 did."""
    rng = np.random.default_rng(0)
    found = [pair for _ in range(10) for pair in pair_summaries(skipped(rng)) if "c" in pair.names]
    assert len(found) == 20
    assert sum(pair.low > 0.001 for pair in found) < 5
    assert np.median([pair.high for pair in found]) > 2 * np.sqrt(2 / 150)


def test_likelihood_and_inversion_agree_where_shares_are_inside():
    collected = answers(level=4.0)
    found = summarise_marginal(collected, ["Admit", "Gender"])
    assert (found.estimate.shares > 0.01).all()
    np.testing.assert_allclose(found.likelihood.shares, found.estimate.shares, atol=1e-4)


def test_mixed_designs_maximise_the_likelihood_through_unsymmetric_matrices():
    found = summarise_marginal(mixed(), ["Admit", "Gender"])
    assert (found.estimate.shares > 0.01).all()
    np.testing.assert_allclose(found.likelihood.shares, found.estimate.shares, atol=1e-4)


def test_json_has_everything_and_no_nan():
    collected = nigeria()
    found = summarise_marginal(collected, ["connected to an armed group"])
    text = json.dumps(summary_dict(collected, [found], pair_summaries(collected)), allow_nan=False)
    result = json.loads(text)
    assert result["answers"] == 2435
    assert result["left_out"] == [
        {"reason": "no answer to 'connected to an armed group'", "rows": 22, "first": "record 2 of Niger Delta survey.csv"}
    ]
    cells = result["marginals"][0]["cells"]
    assert cells["released people"] == [1604, 831]
    assert cells["standard error"][1] == pytest.approx(0.0144, abs=5e-5)
    assert "truth" not in cells


def test_conditional_table_marks_what_cannot_be_told():
    codes = np.zeros((400, 2), dtype=np.int32)
    codes[:, 1] = np.arange(400) % 2
    data = Dataset(Schema((Attribute("a", ("x", "y")), Attribute("b", ("u", "v")))), codes)
    table = summarise_marginal(answers("kronecker", 3.0, data), ["a", "b"]).conditional_table(["a"])
    assert None not in table["share within the group"][:2]
    assert table["share within the group"][2:] in ([None, None], pytest.approx([0.5, 0.5], abs=0.6))


def test_the_report_is_one_file_that_loads_nothing_and_escapes_names():
    schema = Schema((Attribute("<script>alert(1)</script>", ("a", "<b>")), Attribute("q", ("no", "yes"))))
    data = Dataset(schema, np.random.default_rng(1).integers(0, 2, (300, 2)).astype(np.int32), "A & B")
    collected = answers("kronecker", 2.0, data)
    found = summarise_marginal(collected, list(schema.names))
    text = report_after(collected, [found], pair_summaries(collected), Front(data.title))
    assert text.count("<html") == 1
    assert "<script>alert" not in text
    assert "<title>A &amp; B</title>" in text
    assert ' src="http' not in text
    assert 'href="http' not in text.split("<body>")[0]
    assert collected.mechanism.sha256 in text
    for shown in ("Shrinkage", "Unbiased", "95 % interval", "p-value of independence"):
        assert shown in text


def test_shares_of_one_cell_by_a_column_that_was_not_randomised():
    """Each group is read as if it were alone; one person is not a group."""
    file = MechanismFile(TRUE.schema, integer_groups(build("kronecker", TRUE.schema.sizes, np.full(3, 2.0))))
    released = randomise(file, TRUE)
    values = np.arange(TRUE.n) % 2
    values[0] = 2
    column = TextColumn("wave", values, ("even", "odd", "alone"))
    read = Answers(released, file, groupings=(column,))
    found = summarise_groups(read.split("wave"), ["Gender", "Admit"], ("Female", "Admitted"))
    assert [one.value for one in found] == ["even", "odd"]
    assert sum(one.n for one in found) == TRUE.n - 1
    for one in found:
        part = read.split("wave")[one.value]
        place = TRUE.schema.select(["Gender", "Admit"]).attributes
        cell = tuple(a.categories.index(c) for a, c in zip(place, ("Female", "Admitted"), strict=True))
        estimate = part.estimate(["Gender", "Admit"])
        low, high = estimate.interval(population=True)
        assert (one.share, one.low, one.high) == (estimate.shares[cell], low[cell], high[cell])


def test_the_matrix_of_pairs_is_symmetric_and_knows_no_diagonal():
    read = answers()
    pairs = pair_summaries(read)
    v = pair_summary_matrix(TRUE.schema.names, pairs)
    assert np.isnan(np.diag(v)).all()
    assert v[0, 1] == v[1, 0] == next(pair.v for pair in pairs if pair.names == TRUE.schema.names[:2])
