"""What a page and a file say about collected answers."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from rrcore.answers.answers import Answers
from rrcore.answers.nigeria_survey import nigeria
from rrcore.answers.summary import pair_summaries, summarise_groups, summarise_marginal
from rrcore.arrays import count_cells
from rrcore.association import cramers_v
from rrcore.budget import build
from rrcore.designs import read_design
from rrcore.estimate import Release, Rows
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.rounding import integer_groups
from rrcore.table.dataset import Dataset
from rrcore.table.demo import load_demo
from rrcore.table.schema import Attribute, Schema
from rrcore.table.text_table import TextColumn

TRUE = load_demo("berkeley")


def answers(mechanism="preserving-2", level=2.0, dataset=TRUE):
    sizes = dataset.schema.sizes
    file = MechanismFile(dataset.schema, integer_groups(build(mechanism, sizes, np.full(len(sizes), level))))
    return drawn(dataset, file)


def drawn(dataset, file):
    """The answers of everybody, randomized from a seed: nothing here fails by chance."""
    codes = file.sample(dataset.codes, rng=np.random.default_rng(0))
    return Answers.of(Dataset(dataset.schema, codes, dataset.title), file)


def mixed():
    groups = (
        ((0,), read_design("Admit", "forced", 2, "3/4, 1/8, 1/8")),
        ((2,), read_design("Dept", "k-ary", 6, "4/5")),
        ((1,), read_design("Gender", "matrix", 2, "9/10, 1/10; 1/5, 4/5")),
    )
    file = MechanismFile(TRUE.schema, groups)
    return drawn(TRUE, file)


@pytest.mark.parametrize("made", [answers, mixed])
def test_v_is_near_the_truth_and_inside_its_interval(made):
    """The standard deviation of V is 0.022 here."""
    found = pair_summaries(made())
    truth = cramers_v(count_cells(TRUE.codes[:, [1, 2]], (2, 6)) / TRUE.n)
    i = found.names.index(("Gender", "Dept"))
    assert found.conf_low[i] <= found.estimate[i] <= found.conf_high[i]
    assert abs(found.estimate[i] - truth) < 0.12
    assert (found.columns["p_value"][i] < 1e-6, found.columns["note"][i]) == (True, "")
    assert np.isnan(np.diag(found.v)).all()
    assert found.v[1, 2] == found.v[2, 1] == found.estimate[i]


def test_the_p_value_under_kronecker_is_pearsons():
    collected = answers("independent")
    pairs = pair_summaries(collected)
    wanted = chi2_contingency(collected.counts(pairs.names[0]), correction=False).pvalue
    assert pairs.columns["p_value"][0] == pytest.approx(wanted, rel=1e-9)


def test_an_erased_pair_is_called_so():
    schema = Schema(tuple(Attribute(name, ("no", "yes")) for name in "abc"))
    data = Dataset(schema, np.random.default_rng(0).integers(0, 2, (500, 3)).astype(np.int32))
    pairs = pair_summaries(answers("optimal", 0.5, data))
    assert np.isnan([pairs.estimate, pairs.columns["p_value"]]).all()
    assert all("no information" in note for note in pairs.columns["note"])


def skipped(rng):
    """3,000 people. 150 of them answered c. All answers are independent."""
    schema = Schema(tuple(Attribute(name, ("x", "y", "z")) for name in "abc"))
    mechanism = build("independent", (3, 3, 3), [2.0] * 3)
    codes = mechanism.sample(rng.integers(3, size=(3000, 3)).astype(np.int32), rng=rng)
    codes[150:, 2] = -1
    return Answers(Release((Rows(schema, codes),), MechanismFile(schema, integer_groups(mechanism))))


def test_pairs_that_few_people_answered_are_read_as_of_few():
    """An interval that covers 95% misses V = 0 from above in 2.5%: of 20 sparse ones five or more with probability below 2e-4. By the mean
    number of people of all pairs 16 did."""
    rng = np.random.default_rng(0)
    found = [pair_summaries(skipped(rng)).take([1, 2]) for _ in range(10)]  # a with c, and b with c
    assert np.sum([pairs.conf_low > 0.001 for pairs in found]) < 5
    assert np.median([pairs.conf_high for pairs in found]) > 2 * np.sqrt(2 / 150)


def test_likelihood_and_inversion_agree_where_shares_are_inside():
    collected = answers(level=4.0)
    found = summarise_marginal(collected, ["Admit", "Gender"])
    assert (found.estimate.shares > 0.01).all()
    np.testing.assert_allclose(found.likelihood.shares, found.estimate.shares, atol=1e-4)


def test_mixed_designs_maximise_the_likelihood_through_unsymmetric_matrices():
    found = summarise_marginal(mixed(), ["Admit", "Gender"])
    assert (found.estimate.shares > 0.01).all()
    np.testing.assert_allclose(found.likelihood.shares, found.estimate.shares, atol=1e-4)


def test_the_table_of_a_survey_has_counts_and_errors():
    collected = nigeria()
    (rejected,) = collected.rejected
    assert (collected.n, rejected.rows, rejected.first) == (2435, 22, "record 2 of Niger Delta survey.csv")
    cells = summarise_marginal(collected, ["connected to an armed group"]).table()
    assert list(cells["randomized people"]) == [1604, 831]
    assert cells["std_error"][1] == pytest.approx(0.0144, abs=5e-5)
    assert "truth" not in cells


def test_shares_of_one_cell_by_a_column_that_was_not_randomized():
    """Each group is read as if it were alone; one person is not a group."""
    file = MechanismFile(TRUE.schema, integer_groups(build("independent", TRUE.schema.sizes, np.full(3, 2.0))))
    released = drawn(TRUE, file).dataset
    values = np.arange(TRUE.n) % 2
    values[0] = 2
    column = TextColumn("wave", values, ("even", "odd", "alone"))
    read = Answers.of(released, file, [column])
    found = summarise_groups(read.split("wave"), ["Gender", "Admit"], "wave")
    assert list(dict.fromkeys(found.labels["wave"])) == ["even", "odd", "alone"]
    assert sum(found.columns["n"][::4]) == TRUE.n
    for i, part in enumerate(read.split("wave").values()):
        estimate, rows = part.estimate(["Gender", "Admit"]), slice(4 * i, 4 * i + 4)
        low, high = estimate.interval(population=True)
        for column, expected in ((found.estimate, estimate.shares), (found.conf_low, low), (found.conf_high, high)):
            assert column[rows].tolist() == expected.ravel().tolist()
