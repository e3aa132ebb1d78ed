"""The chi-square example: the statistic against scipy, the release against multinomial draws, the paper's numbers beside ours."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from rrcore.budget import levels_for_total
from rrcore.errors import InputError
from rrcore.mechanisms import Joint, Kronecker
from rrcore.research.papers.chi_square import BUILDERS, PUBLISHED_DIFFERENCES, chi_square, chi_square_errors, published_peers


def draw_tables(k, people, rng):
    """2N alleles in four cells, each cell a binomial part of what is left."""
    tables = []
    for _ in range(k):
        a = rng.binomial(2 * people, 1 / 3)
        b = rng.binomial(2 * people - a, 1 / 3)
        c = rng.binomial(2 * people - a - b, 2 / 5)
        tables.append([a, b, c, 2 * people - a - b - c])
    return np.array(tables)


def release(table, level, rng):
    """Each true cell is spread by its own column of the textbook matrix."""
    p = np.exp(level) / (np.exp(level) + 3)
    matrix = np.full((4, 4), (1 - p) / 3)
    np.fill_diagonal(matrix, p)
    return matrix, sum(rng.multinomial(count, row) for count, row in zip(table, matrix, strict=True))


def pearson(table):
    return chi2_contingency(np.reshape(table, (2, 2)), correction=False).statistic


def test_statistic_is_pearsons():
    rng = np.random.default_rng(63)
    tables = rng.integers(1, 500, (50, 4))
    np.testing.assert_allclose(chi_square(tables), [pearson(table) for table in tables], rtol=1e-10)


@pytest.mark.parametrize("table", [(0, 0, 3, 4), (3, 4, 0, 0), (0, 5, 0, 6), (5, 0, 6, 0), (0, 0, 0, 9)])
def test_statistic_is_zero_where_a_row_or_column_is_empty(table):
    assert chi_square(np.array([table, (1, 2, 3, 5)]))[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("levels", [(0.4, 1.5), (2.5, 4.0)])
def test_errors_are_those_of_multinomial_draws_and_a_matrix_inverse(levels):
    """400 runs each way; the means stay within 4.5 standard errors (false alarm 7e-6 a comparison)."""
    people, runs, rng = 150, 400, np.random.default_rng(64)
    (found,) = chi_square_errors([Kronecker.from_levels((4, 4), levels)], rng=rng, people=people, runs=runs)
    raw, debiased, negative = np.zeros(runs), np.zeros(runs), np.zeros(runs)
    for run in range(runs):
        for table, level in zip(draw_tables(2, people, rng), levels, strict=True):
            matrix, released = release(table, level, rng)
            estimate = np.linalg.solve(matrix.T, released)
            clipped = np.maximum(estimate, 0)
            clipped *= 2 * people / clipped.sum()
            raw[run] += abs(pearson(released) - pearson(table)) / 2
            debiased[run] += abs(float(chi_square(clipped)) - pearson(table)) / 2
            negative[run] += float((estimate < 0).any()) / 2
    for ours, other in ((found.raw, raw), (found.debiased, debiased)):
        assert abs(ours.mean() - other.mean()) < 4.5 * np.hypot(ours.std(), other.std()) / np.sqrt(runs)
    assert abs(found.negative - negative.mean()) < 4.5 * np.sqrt(2 * 0.25 / (2 * runs))


def test_negative_cells_are_counted_at_strong_levels_and_absent_at_weak_ones():
    strong, weak = (Kronecker.from_levels((4,) * 5, (level,) * 5) for level in (0.03, 6.0))
    found = chi_square_errors([strong, weak], rng=np.random.default_rng(65))
    assert found[0].negative > 0.8
    assert found[1].negative == 0
    assert found[0].mechanism is strong


def test_at_equal_totals_the_optimum_beats_kronecker_before_and_after_debiasing():
    weights, total = np.array([2.0, 1.8, 1.5, 1.2, 1.0]), 10.0
    peers = [levels_for_total((4,) * 5, total, weights, mechanism=BUILDERS[name]).mechanism for name in ("kronecker", "optimal")]
    kronecker, optimum = chi_square_errors(peers, rng=np.random.default_rng(66), runs=20)
    assert optimum.raw.mean() < 0.6 * kronecker.raw.mean()
    assert optimum.debiased.mean() < 0.6 * kronecker.debiased.mean()


def test_authors_run_gives_kronecker_the_total_and_the_ratios_the_heuristic_achieved():
    heuristic, kronecker = published_peers(30, rng=np.random.default_rng(67))
    assert heuristic.sizes == kronecker.sizes == (4,) * 30
    assert ((heuristic.requested >= 3) & (heuristic.requested < 5)).all()
    assert kronecker.total_level == pytest.approx(heuristic.total_level, abs=1e-9)
    np.testing.assert_allclose(kronecker.levels / kronecker.levels[0], heuristic.levels / heuristic.levels[0], rtol=1e-9)


@pytest.mark.long
def test_published_differences_are_those_of_releasing_the_last_snp_for_all():
    """10 to 100 SNPs, 10 runs each. Over the ten sizes the published means are 20.0 and 62.2; the printed code gives 22 and 64 here.

    Released as the text says, the heuristic's difference is near 12: not "almost less than half" of Kronecker's but a fifth.
    """
    printed, right = [], []
    for k in PUBLISHED_DIFFERENCES:
        for run in range(10):
            rng = np.random.default_rng([k, run])
            peers = published_peers(k, rng=rng)
            tables = draw_tables(k, 1000, rng)
            last = np.repeat(np.arange(4, dtype=np.int32), tables[-1])
            released = [peer.perturb(np.tile(last[:, None], k), rng=rng) for peer in peers]
            counts = [np.array([np.bincount(column, minlength=4) for column in table.T]) for table in released]
            printed.append([np.abs(chi_square(table) - chi_square(tables)).mean() for table in counts])
            right.append([errors.raw[0] for errors in chi_square_errors(peers, rng=rng, runs=1)])
    published = np.mean(list(PUBLISHED_DIFFERENCES.values()), axis=0)
    np.testing.assert_allclose(np.mean(printed, axis=0), published, rtol=0, atol=4)  # 50 runs there, each with s.d. 7
    assert np.mean(right, axis=0)[0] < 14
    assert np.mean(right, axis=0)[0] < 0.25 * np.mean(right, axis=0)[1]


def test_same_seed_same_errors_and_another_seed_others():
    peer = Joint.from_levels((4,) * 3, (2.0,) * 3)
    first, again, other = (chi_square_errors([peer], rng=np.random.default_rng(seed))[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.raw, again.raw)
    np.testing.assert_array_equal(first.debiased, again.debiased)
    assert (first.raw != other.raw).all()
    assert first.raw.shape == first.debiased.shape == (10,)


def test_other_shapes_are_refused():
    four = Kronecker.from_levels((4, 4), (1.0, 1.0))
    expected = r"^A mechanism has categories \(4, 3\): every SNP has 4 and the number of SNPs must be 2\.$"
    with pytest.raises(InputError, match=expected):
        chi_square_errors([four, Kronecker.from_levels((4, 3), (1.0, 1.0))], rng=np.random.default_rng(0))
    with pytest.raises(InputError, match=r"^A mechanism has categories \(4,\): "):
        chi_square_errors([four, Kronecker.from_levels((4,), (1.0,))], rng=np.random.default_rng(0))


def test_progress_is_told_and_may_stop_the_work():
    told = []

    def listen(fraction, text):
        told.append((fraction, text))
        if len(told) == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        chi_square_errors([Kronecker.from_levels((4, 4), (1.0, 1.0))], rng=np.random.default_rng(0), runs=50, report=listen)
    assert told[1] == (0.02, "run 2 of 50, mechanism 1")
