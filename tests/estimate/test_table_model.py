"""One table for everything: against tables of largest entropy solved for, exact marginals, chi-square, and what was read of every pair."""

from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

import rrcore as rr
from rrcore.arrays import cell_numbers
from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.estimate import Release, Sample
from rrcore.estimate.table_model import _ALARM, table_model
from rrcore.limits import MAX_TABLE_ATTRIBUTES
from rrcore.simulation.metrics import half_l1
from rrcore.table.scanning import count

CENSUS = rr.load_demo("census")
CENSUS = CENSUS.select(CENSUS.schema.names[1:])  # 201,600 combinations: more than people


def schema_of(*sizes):
    return rr.Schema(tuple(rr.Attribute(f"a{i}", tuple(f"c{c}" for c in range(size))) for i, size in enumerate(sizes)))


@dataclass
class Known:
    """A reader of which every joint distribution is given: of ``table``, but for those in ``other``; ``triples`` stand out."""

    table: np.ndarray
    other: dict = field(default_factory=dict)
    triples: tuple = ()

    @property
    def release(self):
        return Release(rr.Dataset(schema_of(*self.table.shape), [[0] * self.table.ndim]), None)

    def shares(self, axes):
        return self.other.get(tuple(axes), np.einsum(self.table, range(self.table.ndim), list(axes)))

    def stands_out(self, axes, alarm, least):
        return axes in self.triples


def released(table=CENSUS, mechanism="preserving-2", level=2.0, seed=0, **options):
    made = build(mechanism, table.schema.sizes, [level] * table.k)
    return rr.simulate(table, made, rng=np.random.default_rng(seed), **options)


@cache
def census(level):
    """A release and its model, which is the same for everybody and takes long."""
    release = released(level=level)
    return release, release.model()


def table_of(sizes, seed=0, strength=1.0):
    return np.random.default_rng(seed).dirichlet(np.full(np.prod(sizes), strength)).reshape(sizes)


def margin_rows(sizes, axes):
    """The matrix that sums a raveled table up to its marginal over ``axes``."""
    cells = np.indices(sizes).reshape(len(sizes), -1).T
    own = [sizes[i] for i in axes]
    rows = np.zeros((int(np.prod(own)), len(cells)))
    rows[cell_numbers(cells[:, list(axes)], own), np.arange(len(cells))] = 1
    return rows


def largest_entropy(table, sets):
    """The table of largest entropy with these marginals of ``table``, by minimising the dual function of the log-linear model."""
    rows = np.concatenate([margin_rows(table.shape, axes) for axes in sets])
    aims = rows @ table.ravel()

    def dual(weights):
        shares = np.exp(weights @ rows)
        return shares.sum() - weights @ aims, rows @ shares - aims

    found = minimize(dual, np.zeros(len(rows)), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 5_000})
    return np.exp(found.x @ rows).reshape(table.shape)


@pytest.mark.parametrize("triples", [(), ((0, 1, 2),), ((0, 2, 3), (1, 2, 3))])
def test_it_is_the_table_of_largest_entropy(triples):
    table = table_of((2, 3, 2, 3))
    model = table_model(Known(table, triples=triples))
    assert model.whole
    assert model.triples == triples
    assert model.difference < 1e-4
    wanted = largest_entropy(table, [*combinations(range(4), 2), *triples])
    assert half_l1(model.weights.reshape(table.shape), wanted) < 2e-4


@pytest.mark.parametrize("sizes", [(3,), (2, 4)])
def test_one_attribute_or_two_are_what_was_read(sizes):
    table = table_of(sizes)
    assert table_model(Known(table)).marginal(schema_of(*sizes).names) == pytest.approx(table, abs=1e-4)


def test_all_combinations_are_records_up_to_the_limit_and_triples_share_one_alarm():
    asked = []

    class Listening(Known):
        def stands_out(self, axes, alarm, least):
            asked.append((axes, alarm))
            return False

    reader = Listening(np.full((2, 2, 2, 2), 1 / 16))
    assert [table_model(reader, most=most).whole for most in (16, 15)] == [True, False]
    once = asked[: len(asked) // 2]
    assert sorted(axes for axes, _ in once) == list(combinations(range(4), 3))
    assert sum(alarm for _, alarm in once) == pytest.approx(_ALARM)


def test_marginals_are_sums_of_the_records_in_the_order_asked_for():
    model = released(rr.load_demo("titanic")).model()
    whole = model.weights.reshape(model.schema.sizes)
    assert model.marginal(["Survived", "Class"]) == pytest.approx(np.einsum("csat->tc", whole))
    assert model.marginal(model.schema.names) == pytest.approx(whole)
    with pytest.raises(InputError, match="There is no attribute 'Cabin'"):
        model.marginal(["Cabin"])


def test_pairs_that_cannot_be_had_together_are_off_by_little_more_than_one_must_be():
    """a = b and b = c, but a is not c: a linear programme says how much one of the three must be off at least."""
    same, apart = np.array([[0.48, 0.02], [0.02, 0.48]]), np.array([[0.02, 0.48], [0.48, 0.02]])
    pairs = {(0, 1): same, (1, 2): same, (0, 2): apart}
    rows = {axes: margin_rows((2, 2, 2), axes) for axes in pairs}
    # 8 shares, 12 absolute differences, and what half their sum over a pair may come to
    above = [[*row, *-np.eye(12)[4 * i + j], 0] for i, own in enumerate(rows.values()) for j, row in enumerate(own)]
    below = [[*-row, *-np.eye(12)[4 * i + j], 0] for i, own in enumerate(rows.values()) for j, row in enumerate(own)]
    half = [[*np.zeros(8), *np.repeat(np.eye(3)[i], 4) / 2, -1] for i in range(3)]
    aims = np.concatenate([table.ravel() for table in pairs.values()])
    least = linprog(
        [*np.zeros(20), 1], [*above, *below, *half], [*aims, *-aims, 0, 0, 0], [[*np.ones(8), *np.zeros(13)]], [1]
    ).fun
    assert least > 0.25
    model = table_model(Known(np.full((2, 2, 2), 1 / 8), pairs))
    assert least - 1e-9 <= model.difference < 1.3 * least


def test_the_difference_is_the_largest_of_all_pairs_and_triples():
    (release, model), names = census(4.0), CENSUS.schema.names
    kept = [*combinations(range(CENSUS.k), 2), *model.triples]
    off = [half_l1(model.marginal([names[i] for i in axes]), release.shrinkage.shares(axes)) for axes in kept]
    assert model.difference == pytest.approx(max(off))
    assert model.difference < 0.01
    assert f"at most {model.difference:.3%}"[:9] in model.sentence.replace(" %", "%")


def test_laid_out_records_say_what_all_combinations_say():
    release, whole = census(2.0)
    laid = table_model(release.shrinkage, most=1)
    assert (whole.whole, laid.whole, len(laid.weights)) == (True, False, 1 << 18)
    names = CENSUS.schema.names
    pairs, triples = ([half_l1(whole.marginal(c), laid.marginal(c)) for c in combinations(names, w)] for w in (2, 3))
    assert max(pairs) < 0.005
    assert np.mean(triples) < 0.01


def test_records_that_nobody_can_be_are_laid_out_for_nobody_and_always_alike():
    table = table_of((2, 3, 2, 3), strength=0.3)
    table[:, 1] = 0
    model, again = (table_model(Known(table / table.sum()), most=1) for _ in range(2))
    assert model.marginal(["a1"])[1] == 0
    assert model.difference < 0.01
    assert (again.weights == model.weights).all()
    assert (again.records == model.records).all()


def test_every_count_of_records_is_right_to_less_than_one():
    model, n = table_model(Known(table_of((2, 3, 2, 3), strength=5.0))), 200_000
    expected = n * model.weights
    even = model.sample(n, rng=np.random.default_rng(0)).counts(model.schema.names).ravel()
    assert np.abs(even - expected).max() < 1
    first, last = (model.sample(n, rng=np.random.default_rng(0)).codes[part] for part in (slice(1_000), slice(-1_000, None)))
    assert np.abs(first.mean(axis=0) - last.mean(axis=0)).max() < 0.2  # in no order


@pytest.mark.parametrize(("level", "times"), [(2.0, 1), (4.0, 5)])
def test_synthetic_people_are_hardly_further_from_the_truth_than_the_reader(level, times):
    """At high levels the reader is off by less than rounding to whole people adds: then there are more of these."""
    release, model = census(level)
    made = model.sample(times * CENSUS.n, rng=np.random.default_rng(1))
    pairs = list(combinations(CENSUS.schema.names, 2))
    own = np.mean([half_l1(CENSUS.shares(c), made.shares(c)) for c in pairs])
    read = np.mean([half_l1(CENSUS.shares(c), release.shrinkage.shares(CENSUS.schema.axes(c))) for c in pairs])
    assert own <= 1.05 * read


def test_arrow_has_a_share_of_every_record():
    import pyarrow as pa

    model = released(rr.load_demo("titanic")).model()
    table = pa.table(model)
    assert table.column_names == ["Class", "Sex", "Age", "Survived", "share"]
    assert sum(table["share"].to_pylist()) == pytest.approx(1)
    shares = table.group_by("Sex").aggregate([("share", "sum")]).to_pydict()
    assert shares["share_sum"] == pytest.approx(model.marginal(["Sex"]).tolist())


def test_counts_alone_and_weighted_samples_give_a_model():
    table = rr.load_demo("titanic")
    release = released(table)
    sets = [c for w in (1, 2, 3) for c in combinations(table.schema.names, w)]
    counted = Release(count(release.dataset, sets), release.mechanism)
    assert (counted.model().weights == release.model().weights).all()
    weighted = Release(release.dataset, release.mechanism, sample=Sample(weights=np.tile([1.0, 3.0], table.n)[: table.n]))
    read = weighted.shrinkage.shares((0, 1))
    assert half_l1(weighted.model().marginal(["Class", "Sex"]), read) <= weighted.model().difference + 1e-12


def test_what_the_mechanism_erases_is_taken_as_independent():
    table = rr.load_demo("titanic").select(["Sex", "Age", "Survived"])
    model = released(table, "optimal", level=0.5).model()
    for one, other in combinations(table.schema.names, 2):
        apart = np.multiply.outer(model.marginal([one]), model.marginal([other]))
        assert half_l1(model.marginal([one, other]), apart) < 2e-4


def test_too_much_and_what_was_not_counted_is_refused_in_a_sentence():
    table = rr.load_demo("titanic")
    release = released(table)
    singles = count(release.dataset, [(name,) for name in table.schema.names])
    with pytest.raises(InputError, match="Class, Sex"):
        Release(singles, release.mechanism).model()
    many = MAX_TABLE_ATTRIBUTES + 1
    with pytest.raises(InputError, match=f"There are {many} attributes"):
        table_model(SimpleNamespace(release=SimpleNamespace(schema=schema_of(*[2] * many))))
