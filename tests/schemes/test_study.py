"""Studies: the same seed gives the same outcomes, schemes do not disturb each other, and refusals are sentences. Count queries."""

import math
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from rrcore.arrays import count_cells
from rrcore.dependence import PairTables, cluster_attributes, measure_pairs
from rrcore.errors import InputError
from rrcore.estimate import METRICS, count_query_errors, random_query, simplex
from rrcore.limits import MAX_STUDY_CELLS
from rrcore.mechanisms import recipe, safe_recipe_name
from rrcore.mechanisms.blocks import Blocks
from rrcore.schemes import SCHEMES, STUDY_METRICS, Study, find_scheme, readers, schemes_of_width, summarise, summary_outcomes_csv
from rrcore.schemes.perturbation import perturb
from rrcore.schemes.study import ABSOLUTE, RELATIVE, WITHIN, find_clusters
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


def outcomes(study, dataset, levels, **options):
    return [one for release in study.run(dataset, np.asarray(levels, dtype=float), **options) for one in release]


def told(found):
    return [(one.release, one.scheme, one.axes, dict(one.errors), one.reason) for one in found]


def same(first, second):
    np.testing.assert_equal(told(first), told(second))


SIZES, LEVELS = (3, 2, 4), (1.0, 1.5, 0.8)

# count queries


def test_a_random_query_asks_for_the_part_asked_for():
    for shape, fraction, cells in [((4, 5), 0.25, 5), ((3,), 0.01, 1), ((2, 2), 1.0, 4), ((10, 10), 0.333, 33)]:
        query = random_query(shape, fraction, rng=np.random.default_rng(1))
        assert query.shape == shape
        assert query.dtype == bool
        assert query.sum() == cells


def test_every_cell_is_as_likely_to_be_asked_for():
    """6,000 queries over 3 of 12 cells: counts of 1,500 with standard deviation 33.5; a band of seven fails once in 10^10."""
    rng = np.random.default_rng(2)
    asked = sum(random_query((3, 4), 0.25, rng=rng).astype(int) for _ in range(6000))
    assert np.abs(asked - 1500).max() < 7 * 33.6
    again = random_query((3, 4), 0.25, rng=np.random.default_rng(3))
    np.testing.assert_array_equal(again, random_query((3, 4), 0.25, rng=np.random.default_rng(3)))


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


def test_outcomes_are_those_of_a_loop_over_releases_sets_and_schemes():
    """Errors recomputed from the release, the reader and the query; simplex where the scheme says so."""
    people, levels = table(SIZES), np.array(LEVELS)
    study = Study(("rr-ind-joint", "pair-safe", "rr-independent"), (1, 2), repeats=2, seed=5)
    found = outcomes(study, people, LEVELS)
    made = study.designs(people, levels)
    at = iter(found)
    for release in range(2):
        for number, axes in enumerate([(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]):
            truth = count_cells(people.codes[:, list(axes)], [SIZES[i] for i in axes]) / 200
            query = random_query(truth.shape, 0.1, rng=np.random.default_rng((5, 4, release, number)))
            for scheme in study.schemes:
                one, key = next(at), SCHEMES[scheme].mechanism
                shares = SCHEMES[scheme].reader(study.release(people, made[key], key, release))(axes)
                shares = simplex(shares) if scheme == "pair-safe" else shares
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
def test_the_same_seed_gives_the_same_outcomes_and_another_others():
    people = table(SIZES)
    first, again, other = (
        outcomes(Study(("rr-ind-joint", "em", "rr-clusters"), (2,), repeats=2, seed=seed), people, LEVELS) for seed in (7, 7, 8)
    )
    same(first, again)
    assert all(a.errors != b.errors for a, b in zip(first, other, strict=True))
    assert len({one.errors[ABSOLUTE] for one in first if one.scheme == "em"}) == 6


@pytest.mark.slow
def test_more_schemes_and_more_releases_change_nothing_of_the_others():
    people = table(SIZES)
    alone = outcomes(Study(("blend",), (2, 3), repeats=2, seed=3), people, LEVELS)
    among = outcomes(Study(("rr-joint", "pair-safe", "rr-clusters", "em", "blend"), (2, 3), repeats=4, seed=3), people, LEVELS)
    same(alone, [one for one in among if one.scheme == "blend" and one.release < 2])


def test_schemes_of_one_mechanism_read_the_same_release():
    """castell and the big matrix are the same estimate: equal errors mean equal releases; other mechanisms draw anew."""
    people = table(SIZES)
    found = outcomes(Study(("rr-ind-joint", "naive", "reduced", "rr-joint"), (1, 2), repeats=2), people, LEVELS)
    by = {
        scheme: [one.errors[ABSOLUTE] for one in found if one.scheme == scheme] for scheme in ("rr-ind-joint", "naive", "reduced")
    }
    np.testing.assert_allclose(by["naive"], by["rr-ind-joint"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(by["reduced"], by["rr-ind-joint"], rtol=0, atol=1e-12)
    assert len(set(by["rr-ind-joint"])) == 12
    study, made = Study(("rr-ind-joint",), (1,)), {}
    for key in ("kronecker", "joint"):
        mechanism = Study(("rr-ind-joint", "rr-joint"), (1,)).designs(people, np.array(LEVELS))["kronecker"]
        made[key] = study.release(people, mechanism, key, 0).dataset.codes
    assert (made["kronecker"] != made["joint"]).any()
    assert (study.release(people, mechanism, "joint", 1).dataset.codes != made["joint"]).any()


def test_projected_puts_every_estimate_back_to_probabilities():
    people, levels = table(SIZES, n=60), np.array([0.3, 0.3, 0.3])
    raw, put_back = (Study(("rr-ind-joint",), (3,), projected=projected) for projected in (False, True))
    release = raw.release(people, raw.designs(people, levels)["kronecker"], "kronecker", 0)
    read = readers.inverted(release)
    assert raw.estimate("rr-ind-joint", read, (0, 1, 2)).min() < 0
    np.testing.assert_allclose(put_back.estimate("rr-ind-joint", read, (0, 1, 2)), simplex(read((0, 1, 2))), atol=1e-15)
    assert raw.estimate("pair-safe", read, (0, 1, 2)).min() >= 0


def test_people_are_those_of_the_table_or_drawn_from_it():
    people = table(SIZES)
    assert Study(("em",), (1,)).people_of(people, 3) is people
    study = Study(("em",), (1,), people=1000, seed=4)
    drawn = [study.people_of(people, release) for release in (0, 0, 1)]
    assert [one.n for one in drawn] == [1000] * 3
    np.testing.assert_array_equal(drawn[0].codes, drawn[1].codes)
    assert (drawn[0].codes != drawn[2].codes).any()
    here = {tuple(record) for record in people.codes.tolist()}
    assert {tuple(record) for record in drawn[0].codes.tolist()} <= here


def test_drawn_people_are_the_truth_of_their_release():
    """At 30 nats a level the release is the people themselves: no error, although they are not those of the table."""
    study = Study(("rr-ind-joint",), (2,), people=37, repeats=2)
    found = outcomes(study, table(SIZES), (30.0,) * 3)
    assert max(one.errors["largest absolute cell error"] for one in found) < 1e-9


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


def test_shares_within_groups_are_compared_on_the_sets_with_the_group():
    """Errors from the release and the reader once more; people in no group but the third attribute's."""
    people, levels = table(SIZES), np.array(LEVELS)
    study = Study(("rr-ind-joint", "pair-safe"), (2, 3), repeats=1, seed=5, within=(1,))
    assert study.attribute_sets(SIZES) == [(0, 1), (1, 2), (0, 1, 2)]
    assert study.metrics == (*STUDY_METRICS, *WITHIN)
    made = study.designs(people, levels)
    for one in outcomes(study, people, LEVELS):
        assert set(one.errors) == set(study.metrics)
        key = SCHEMES[one.scheme].mechanism
        read = SCHEMES[one.scheme].reader(study.release(people, made[key], key, 0))
        shares = study.estimate(one.scheme, read, one.axes)
        found, truth = (
            np.moveaxis(each, one.axes.index(1), 0)
            for each in (shares, people.shares([people.schema.names[i] for i in one.axes]))
        )
        misses = [abs(found[g] / found[g].sum() - truth[g] / truth[g].sum()).max() for g in range(SIZES[1])]
        assert one.errors["largest error of a share within a group"] == pytest.approx(max(misses))
    heads = summary_outcomes_csv(outcomes(study, people, LEVELS), people.schema.names).splitlines()[0]
    assert all(f",{name}" in heads for name in WITHIN)


def test_sets_with_a_group_are_drawn_among_very_many():
    chosen = Study(("em",), (8,), sets=5, within=(7, 2)).attribute_sets((2,) * 40)
    assert len(set(chosen)) == 5
    assert all(len(set(axes)) == 8 and {2, 7} < set(axes) and axes == tuple(sorted(axes)) for axes in chosen)
    with pytest.raises(InputError, match="grouped by 2 of 2"):
        Study(("em",), (3, 2), within=(7, 2))


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
    assert made.members == find_clusters(people, max_cells=8, min_dependence=0.2).clusters
    assert 1 < len(made.members) < 4


# what is impossible


def test_a_mechanism_that_does_not_exist_is_an_outcome_with_a_reason():
    """Pair-safe cannot spend 90 nats with levels up to 30; the other schemes go on."""
    found = outcomes(Study(("pair-safe", "rr-ind-joint", "pair-safe-em"), (1, 2), repeats=2), table((2, 2, 2)), (30.0,) * 3)
    assert len(found) == 2 * 6 * 3
    for one in found:
        if one.scheme == "rr-ind-joint":
            assert (set(one.errors), one.reason) == (set(STUDY_METRICS), "")
        else:
            assert one.errors == {}
            assert "nats" in one.reason


def test_a_table_too_large_for_a_reader_is_an_outcome_with_a_reason():
    found = outcomes(Study(("naive", "rr-ind-joint", "em"), (2,), repeats=1), table((50, 50, 2)), (2.0,) * 3)
    assert [bool(one.reason) for one in found if one.scheme == "naive"] == [True, False, False]
    assert not any(one.reason for one in found if one.scheme != "naive")
    assert all((one.errors == {}) == bool(one.reason) for one in found)


def test_a_reader_that_cannot_be_made_is_an_outcome_with_a_reason():
    """Nine attributes in one cluster: their joint table cannot be inverted, so nothing can be adjusted to it."""
    codes = np.random.default_rng(1).integers(0, 2, (300, 1)).repeat(9, axis=1)
    study = Study(("clusters-adjustment", "rr-clusters", "adjustment"), (2,), repeats=1, sets=3, max_cells=1000)
    found = outcomes(study, Dataset(schema((2,) * 9), codes), (1.0,) * 9)
    assert len(study.designs(Dataset(schema((2,) * 9), codes), np.ones(9))["clusters"].members) == 1
    for one in found:
        assert bool(one.reason) == (one.scheme == "clusters-adjustment") == (one.errors == {})
    assert "at most 8 can be inverted" in next(one.reason for one in found if one.reason)


def test_too_many_categories_for_clusters_leave_the_other_schemes_alone():
    codes = np.random.default_rng(2).integers(0, 2, (50, 2))
    found = outcomes(Study(("rr-clusters", "rr-ind-joint"), (1,), repeats=1), Dataset(schema((1000, 501)), codes), (2.0, 2.0))
    assert [bool(one.reason) for one in found] == [True, False, True, False]
    assert "1,501 categories" in found[0].reason


# running


def test_outcomes_come_release_by_release_and_a_report_may_stop_the_work():
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


def test_outcomes_are_marked_with_the_value():
    assert {one.value for one in outcomes(Study(("em",), (1,), repeats=1), table(SIZES), LEVELS, value=2.5)} == {2.5}


@pytest.mark.parametrize(
    "options",
    [
        {"schemes": ()},
        {"schemes": ("magic",)},
        {"ways": (2, 0)},
        {"ways": (9,)},
        {"repeats": 0},
        {"coverage": math.nan},
        {"people": 10**7},
    ],
)
def test_studies_out_of_range_are_refused(options):
    with pytest.raises(InputError):
        Study(**{"schemes": ("em",), "ways": (2,)} | options)


@pytest.mark.parametrize(("sizes", "ways", "number"), [((2, 2), (1, 3), "of 3 attributes"), ((800, 900), (2,), "500,000 cells")])
def test_tables_that_do_not_fit_the_study_are_refused(sizes, ways, number):
    with pytest.raises(InputError, match=number):
        outcomes(Study(("rr-ind-joint",), ways), table(sizes), (1.0,) * len(sizes))


# real data


@pytest.mark.slow
@pytest.mark.skipif(not ADULT.exists(), reason=f"UCI Adult is not part of this repository: save its table as {ADULT}")
def test_adult_at_level_4_is_off_by_a_few_thousandths_at_any_number_of_attributes():
    """theory.md section 10: mean largest cell error of about 0.002, where Table VI of the Castell paper prints 0.0004 to 0.3384."""
    text = read_text_table(ADULT.read_bytes(), "adult.csv")
    people = recode(text, {column.name: ColumnRule() for column in text.columns})
    assert (people.n, people.schema.sizes) == (32_561, (9, 16, 7, 15, 6, 5, 2, 2))
    found = outcomes(Study(("rr-ind-joint",), (2, 3, 4, 5, 6), repeats=3), people, (4.0,) * 8)
    summaries = summarise(found, "largest absolute cell error")
    assert [one.ways for one in summaries] == [2, 3, 4, 5, 6]
    assert all(0.001 < one.low <= one.median <= one.high < 0.003 for one in summaries)


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "times"), [("largest absolute cell error", 5), (HALF, 7)])
def test_at_an_equal_total_pair_safe_beats_independent_answers_on_pairs_as_the_readme_says(metric, times):
    """Adult where its file is, else the invented census: 8 nats for the record of eight attributes, 20 releases, all pairs. Every release
    counts, not only the median."""
    found = {one.scheme: one for one in summarise(at_8_nats(), metric)}
    assert {one.releases for one in found.values()} == {20}
    assert found["rr-ind-joint"].median > times * found["pair-safe"].median
    assert found["rr-ind-joint"].low > found["pair-safe"].high


@cache
def at_8_nats():
    people = load_demo("census")
    if ADULT.exists():
        text = read_text_table(ADULT.read_bytes(), "adult.csv")
        people = recode(text, {column.name: ColumnRule() for column in text.columns})
    return outcomes(Study(("rr-ind-joint", "pair-safe"), (2,), repeats=20, spend="total"), people, (1.0,) * 8)


def test_releases_are_seeded_by_seed_number_and_mechanism_alone():
    """So that a page can show the very release that an outcome comes from."""
    people, study = table(SIZES), Study(("em",), (1,), seed=9)
    mechanism = study.designs(people, np.array(LEVELS))["kronecker"]
    seed = (9, 3, 2, *b"kronecker")
    slow = perturb(people, mechanism, rng=np.random.default_rng(seed))
    np.testing.assert_array_equal(study.release(people, mechanism, "kronecker", 2).dataset.codes, slow.dataset.codes)


# schemes by the width of what they keep safe


def test_schemes_of_any_width_are_those_of_pair_safe():
    for reader in ("", "-blend", "-em"):
        base = SCHEMES[f"pair-safe{reader}"]
        for width in (1, 3, 5):
            made = find_scheme(f"{safe_recipe_name(width)}{reader}")
            assert (made.mechanism, made.reader, made.projected) == (safe_recipe_name(width), base.reader, base.projected)
            assert made.title == base.title.replace("Pair-safe", recipe(safe_recipe_name(width)).title)
    assert find_scheme("pair-safe") is SCHEMES["pair-safe"]
    assert schemes_of_width(tuple(SCHEMES), 2) == tuple(SCHEMES)
    for wrong in ("2-safe", "magic", "3-safe-magic", "optimal-"):
        with pytest.raises(InputError, match=f"^There is no scheme '{wrong}': choose among "):
            Study((wrong,), (2,))


def test_what_is_safe_for_triples_is_compared():
    study = Study(("3-safe", "3-safe-em", "pair-safe"), (2, 3), repeats=1, sets=2, spend="levels")
    found = outcomes(study, table((2, 3, 2)), (1.0, 1.5, 1.0))
    assert {one.scheme for one in found} == {"3-safe", "3-safe-em", "pair-safe"}
    assert not any(one.reason for one in found)
