"""Studies: the same seed gives the same outcomes, schemes do not disturb each other, and refusals are sentences. Count queries."""

import math
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from rrcore.arrays import count_cells
from rrcore.association import PairTables, cluster_attributes, measure_pairs
from rrcore.budget import preserving_key, recipe
from rrcore.errors import InputError
from rrcore.estimate import simplex
from rrcore.limits import MAX_STUDY_CELLS
from rrcore.mechanisms.blocks import Blocks
from rrcore.papers import GROUPS, SCHEMES, STUDY_METRICS, Study, Sweep, find_scheme, methods, summarise
from rrcore.papers.comparison import find_clusters
from rrcore.simulation.metrics import ABSOLUTE, METRICS, RELATIVE, count_query_errors, random_query
from rrcore.simulation.releases import simulate
from rrcore.table.dataset import Dataset
from rrcore.table.demo import load_demo
from rrcore.table.opening import read_text_table
from rrcore.table.recoding import ColumnRule, recode
from rrcore.table.schema import Attribute, Schema

ADULT = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "adult.csv"

HALF = "half L1 (total variation)"


def schema(sizes):
    return Schema(tuple(Attribute(f"x{i}", tuple(map(str, range(a)))) for i, a in enumerate(sizes)))


def table(sizes, n=200, seed=1):
    """People whose attributes all depend on one hidden answer."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, 2, (n, 1))
    codes = [(hidden[:, 0] * (a - 1) + (rng.random(n) < 0.3) * rng.integers(0, a, n)) % a for a in sizes]
    return Dataset(schema(sizes), np.stack(codes, axis=1), "made up")


def outcomes(study, dataset, epsilon, **options):
    return [one for release in study.run(dataset, np.asarray(epsilon, dtype=float), **options) for one in release]


def fields(found):
    return [(one.release, one.scheme, one.axes, dict(one.errors), one.reason) for one in found]


def same(first, second):
    np.testing.assert_equal(fields(first), fields(second))


SIZES, LEVELS = (3, 2, 4), (1.0, 1.5, 0.8)

# count queries


def test_a_random_query_asks_for_the_part_asked_for():
    for shape, fraction, cells in [((4, 5), 0.25, 5), ((3,), 0.01, 1), ((2, 2), 1.0, 4), ((10, 10), 0.333, 33)]:
        query = random_query(shape, fraction, rng=np.random.default_rng(1))
        assert query.shape == shape
        assert query.dtype == bool
        assert query.sum() == cells


def test_count_query_errors_by_hand():
    truth, estimate = np.array([[0.5, 0.2], [0.3, 0.0]]), np.array([[0.4, 0.3], [0.35, -0.05]])
    query = np.array([[True, False], [True, False]])
    absolute, relative = count_query_errors(truth, estimate, query, 200)
    assert absolute == pytest.approx(10, abs=1e-12)
    assert relative == pytest.approx(0.05 / 0.8, abs=1e-12)
    nobody = np.array([[False, False], [False, True]])
    absolute, relative = count_query_errors(truth, estimate, nobody, 200)
    assert absolute == pytest.approx(10, abs=1e-12)
    assert math.isnan(relative)
    assert count_query_errors(truth, truth, query, 200) == (0, 0)


# outcomes


def test_outcomes_are_those_of_a_plain_loop():
    """Errors recomputed from the release, the estimator and the query, with the simplex projection if the method has it."""
    people, epsilon = table(SIZES), np.array(LEVELS)
    study = Study(("rr-ind-joint", "preserving-2", "rr-independent"), (1, 2), repeats=2, seed=5)
    made = study.designs(people, epsilon)
    at = iter(outcomes(study, people, LEVELS))
    for release in range(2):
        released = {
            key: simulate(people, one, rng=np.random.default_rng((5, 3, release, *key.encode()))) for key, one in made.items()
        }
        for scheme in study.schemes:
            method = find_scheme(scheme)
            for number, axes in enumerate([(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]):
                truth = count_cells(people.codes[:, list(axes)], [SIZES[i] for i in axes]) / 200
                query = random_query(truth.shape, 0.1, rng=np.random.default_rng((5, 4, release, number)))
                one, shares = next(at), method.reader(released[method.mechanism])(axes)
                shares = simplex(shares) if scheme == "preserving-2" else shares
                assert (one.release, one.axes, one.scheme, one.reason) == (release, axes, scheme, "")
                assert math.isnan(one.value)
                assert tuple(one.errors) == STUDY_METRICS
                for name, measure in METRICS.items():
                    assert one.errors[name] == pytest.approx(measure(truth, shares), abs=1e-12, nan_ok=True)
                asked, true = float(shares[query].sum()), float(truth[query].sum())
                assert one.errors[ABSOLUTE] == pytest.approx(abs(asked - true), abs=1e-12)
                relative = abs(asked - true) / true if true else math.nan
                assert one.errors[RELATIVE] == pytest.approx(relative, abs=1e-12, nan_ok=True)
    assert next(at, None) is None


@pytest.mark.slow
def test_more_methods_and_releases_change_no_others():
    people = table(SIZES)
    alone = outcomes(Study(("hybrid",), (2, 3), repeats=2, seed=3), people, LEVELS)
    among = outcomes(
        Study(("rr-joint", "preserving-2", "rr-clusters", "em", "hybrid"), (2, 3), repeats=4, seed=3), people, LEVELS
    )
    same(alone, [one for one in among if one.scheme == "hybrid" and one.release < 2])


# which sets


def test_all_sets_in_order():
    study = Study(("em",), (3, 1))
    assert study.attribute_sets((2, 3, 4, 5)) == [*combinations(range(4), 3), (0,), (1,), (2,), (3,)]


def test_a_number_of_sets_is_drawn_for_each_number_of_attributes():
    study = Study(("em",), (1, 2, 3), sets=4, seed=6)
    chosen = study.attribute_sets((2,) * 7)
    assert [len(axes) for axes in chosen] == [1] * 4 + [2] * 4 + [3] * 4
    assert len(set(chosen)) == 12
    assert all(axes == tuple(sorted(axes)) for axes in chosen)
    assert chosen == study.attribute_sets((2,) * 7)
    assert chosen != Study(("em",), (1, 2, 3), sets=4, seed=7).attribute_sets((2,) * 7)
    assert len(Study(("em",), (2,), sets=100).attribute_sets((2,) * 4)) == 6


def test_sets_of_too_many_cells_are_left_out():
    """500 x 1,000 is just the limit."""
    assert MAX_STUDY_CELLS == 500_000
    assert Study(("em",), (2,)).attribute_sets((500, 1000, 501, 2)) == [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)]


def test_of_very_many_sets_some_are_drawn_without_listing_all():
    """76,904,685 sets of 8 among 40 attributes: listing them would take gigabytes."""
    study = Study(("em",), (8,), sets=50, seed=1)
    chosen = study.attribute_sets((2,) * 39 + (10_000,))
    assert len(set(chosen)) == 50
    assert chosen == study.attribute_sets((2,) * 39 + (10_000,))
    assert all(len(set(axes)) == 8 and axes == tuple(sorted(axes)) and 39 not in axes for axes in chosen)
    with pytest.raises(InputError, match=r"^There are 76,904,685 sets of 8 attributes"):
        Study(("em",), (8,)).attribute_sets((2,) * 40)
    assert Study(("em",), (8,), sets=5).attribute_sets((1000,) * 40) == []


# clusters


def test_clusters_are_found_from_the_true_table():
    people = load_demo("titanic")
    ordinal = [attribute.kind == "ordinal" for attribute in people.schema.attributes]
    dependence = measure_pairs(PairTables.count(people.codes, people.schema.sizes), ordinal=ordinal)
    for max_cells, least in ((100, 0.3), (4, 0.1), (100, 0.9)):
        found = find_clusters(people, max_cells=max_cells, min_dependence=least)
        assert found == cluster_attributes(dependence, people.schema.sizes, max_cells=max_cells, min_dependence=least)
    study = Study(("rr-clusters",), (2,), max_cells=8, min_dependence=0.2)
    made = study.designs(people, np.ones(4))["clusters"]
    assert isinstance(made, Blocks)
    assert made.members == find_clusters(people, max_cells=8, min_dependence=0.2)
    assert 1 < len(made.members) < 4


# what is impossible


def test_an_impossible_mechanism_is_an_outcome_with_a_reason():
    """Pairwise-preserving cannot spend 90 nats with levels up to 30; the other schemes go on."""
    found = outcomes(Study(("preserving-2", "rr-ind-joint", "preserving-2-em"), (1, 2), repeats=2), table((2, 2, 2)), (30.0,) * 3)
    assert len(found) == 2 * 6 * 3
    for one in found:
        if one.scheme == "rr-ind-joint":
            assert (set(one.errors), one.reason) == (set(STUDY_METRICS), "")
        else:
            assert one.errors == {}
            assert "31.39" in one.reason


# running


def test_outcomes_come_by_release_and_can_be_stopped():
    class StopError(Exception):
        pass

    said = []

    def report(fraction, text):
        said.append((fraction, text))
        if "Release 2" in text:
            raise StopError

    running = Study(("rr-ind-joint",), (2,), repeats=5).run(table(SIZES), np.array(LEVELS), report=report)
    assert {one.release for one in next(running)} == {0}
    with pytest.raises(StopError):
        next(running)
    fractions = [fraction for fraction, _ in said]
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] <= fractions[-1] <= 0.2
    assert any(text == "Release 1 of 5: RR-Ind-Joint" for _, text in said)


@pytest.mark.parametrize(
    "options",
    [
        {"schemes": ()},
        {"schemes": ("magic",)},
        {"ways": (2, 0)},
        {"ways": (9,)},
        {"repeats": 0},
        {"people": 10**7},
    ],
)
def test_studies_out_of_range_are_refused(options):
    with pytest.raises(InputError):
        Study(**{"schemes": ("em",), "ways": (2,)} | options)


@pytest.mark.parametrize(("sizes", "ways", "number"), [((2, 2), (1, 3), "got 3"), ((800, 900), (2,), "500,000 cells")])
def test_tables_that_do_not_fit_the_study_are_refused(sizes, ways, number):
    with pytest.raises(InputError, match=number):
        outcomes(Study(("rr-ind-joint",), ways), table(sizes), (1.0,) * len(sizes))


# real data


@pytest.mark.long
@pytest.mark.parametrize(("metric", "times"), [("largest absolute cell error", 5), (HALF, 7)])
def test_preserving_beats_independent_at_an_equal_total(metric, times):
    """Adult where its file is, else the invented census: 8 nats for the record of eight attributes, 20 releases, all pairs. Every release
    counts, not only the median."""
    found = {one.scheme: one for one in summarise(at_8_nats(), metric)}
    assert {one.releases for one in found.values()} == {20}
    assert found["rr-ind-joint"].median > times * found["preserving-2"].median
    assert found["rr-ind-joint"].low > found["preserving-2"].high


@cache
def at_8_nats():
    people = load_demo("census")
    if ADULT.exists():
        text = read_text_table(ADULT.read_bytes(), "adult.csv")
        people = recode(text, {column.name: ColumnRule() for column in text.columns})
    return outcomes(Study(("rr-ind-joint", "preserving-2"), (2,), repeats=20, spend="total"), people, (1.0,) * 8)


# names


def test_optimized_methods_of_any_width():
    for end, reader in (("", methods.inverted), ("-em", methods.likeliest), ("-shrinkage", methods.shrunk)):
        for width in (1, 2, 3, 5):
            made = find_scheme(f"{preserving_key(width)}{end}")
            assert (made.mechanism, made.reader, made.projected) == (preserving_key(width), reader, end == "")
            assert made.title.startswith(recipe(preserving_key(width)).title)
    for wrong in ("preserving-1", "magic", "preserving-3-magic", "optimal-"):
        with pytest.raises(InputError, match=f"'{wrong}'"):
            Study((wrong,), (2,))
    assert {name for group in GROUPS.values() for name in group} >= set(SCHEMES)


# what varies


def test_an_epsilon_that_varies_keeps_the_proportions():
    study = Study(("em",), (2,), seed=3)
    found, epsilon = Sweep(study, "eps", (0.5, 2.5)).point(2.5, "abcd", np.array([1.0, 0.5, 2.0, 1.5]))
    assert found == study
    np.testing.assert_allclose(epsilon, [2.0, 1.0, 4.0, 3.0])


def test_every_value_is_a_study_at_its_point():
    study, people = Study(("rr-ind-joint",), (2,), repeats=2, seed=3), table(SIZES)
    runs = list(Sweep(study, "eps", (0.5, 4.0)).run(people, np.ones(3)))
    assert [{one.value for one in release} for release in runs] == [{0.5}, {0.5}, {4.0}, {4.0}]
    for position, value in ((0, 0.5), (2, 4.0)):
        same([one for release in runs[position : position + 2] for one in release], outcomes(study, people, (value,) * 3))
    drawn = [one for release in Sweep(study, "people", (50, 5000)).run(people, np.full(3, 2.0)) for one in release]
    few, many = (np.mean([one.errors["mean squared error"] for one in drawn if one.value == n]) for n in (50, 5000))
    assert few > 3 * many


@pytest.mark.parametrize(
    ("varied", "values", "named"),
    [
        ("eps", (), "at least one"),
        ("people", (100, 0), "from 1 to 5,000,000"),
        ("people", (10.5,), "10.5"),
        ("eps", (math.nan,), "nan"),
    ],
)
def test_values_out_of_range_are_refused(varied, values, named):
    with pytest.raises(InputError, match=named):
        Sweep(Study(("em",), (2,)), varied, values)
