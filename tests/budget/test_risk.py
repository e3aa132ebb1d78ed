"""Who can be guessed because of a release, against Bayes' rule over every true and every released record."""

import numpy as np
import pytest

import rrcore as rr
from rrcore.budget import build, risk_of
from rrcore.budget.risk import _beliefs, _kinds, guessed
from rrcore.mechanisms import Blocks, Joint, Kronecker, Listed, Optimal
from tests import oracles

TABLES = {
    "titanic": rr.load_demo("titanic"),
    "hair and eye": rr.load_demo("haireye"),
    "berkeley": rr.load_demo("berkeley"),
    "census": rr.load_demo("census").select(["marital status", "relationship", "sex"]),
}
TABLES = {name: rr.Dataset(table.schema, table.codes[:: max(1, table.n // 3000)], name) for name, table in TABLES.items()}
MARKS = [0.5, 0.75, 0.95, 0.3, 0.4, 0.6, 0.9, 0.99, 1.0]
SIZES, LEVELS = (3, 2, 2), (1.0, 2.5, 2.0)
MECHANISMS = {
    "independent": Kronecker.from_epsilon(SIZES, LEVELS),
    "optimal": Optimal.from_epsilon(SIZES, LEVELS),
    "joint": Joint.from_epsilon(SIZES, LEVELS),
    "blocks": Blocks.rr_clusters(SIZES, LEVELS, [(0, 2), (1,)]),
    "together": Listed(SIZES, 0.2, np.array([[0, 0, 0], [1, 1, 0]]), np.array([0.4, 0.4])),
}


def people(seed=3, n=60):
    """A table whose attributes go together, so that the rest of a record tells something; not every combination is there."""
    rng = np.random.default_rng(seed)
    first = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    second = np.where(rng.random(n) < 0.8, first > 0, rng.integers(0, 2, n))
    return np.column_stack([first, second, rng.random(n) < 0.2 + 0.6 * second]).astype(np.int32)


def brute(mechanism, codes, axis, mark):
    """(people guessed after and not before, people guessed before), record by record and report by report."""
    sizes = mechanism.sizes
    cells = list(np.ndindex(*sizes))
    channel = oracles.dense_mechanism(mechanism)  # P(released | true)
    people = np.bincount(np.ravel_multi_index(tuple(codes.T), sizes), minlength=len(cells))
    own = np.array([cell[axis] for cell in cells])
    group = np.array([hash(cell[:axis] + cell[axis + 1 :]) for cell in cells])
    joint = people[:, None] * channel  # by true record and by what is seen
    added = before = 0.0
    for each in np.unique(group):
        here = group == each
        together = np.equal.outer(np.arange(sizes[axis]), own[here]) @ joint[here]  # by true answer and by what is seen
        total = together.sum()
        if total == 0:
            continue
        if together.sum(axis=1).max() / total >= mark - 1e-9:
            before += total
            continue
        reported = together.sum(axis=0)
        sure = together.max(axis=0) >= (mark - 1e-9) * reported
        added += reported[sure].sum()
    return added, before


@pytest.mark.parametrize("level", [0.4, 1.0, 3.0])
@pytest.mark.parametrize("name", TABLES)
def test_people_are_counted_as_bayes_rule_counts_them(name, level):
    table = TABLES[name]
    for kind in ("independent", "preserving-2", "optimal"):
        mechanism = build(kind, table.schema.sizes, np.linspace(level, 1.3 * level, len(table.schema.sizes)))
        risk = risk_of(mechanism, table)
        expected = [brute(mechanism, table.codes, axis, 0.95) for axis in range(table.k)]
        assert risk.added == pytest.approx(max(added for added, _ in expected), abs=1e-6)
        assert (risk.added, risk.before) == pytest.approx(expected[table.schema.names.index(risk.name)], abs=1e-6)


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=list(MECHANISMS))
@pytest.mark.parametrize("mark", MARKS)
def test_every_certainty_is_counted_as_bayes_rule_counts_it(mechanism, mark):
    codes = people()
    for axis, size in enumerate(SIZES):
        found = guessed(*_beliefs(codes, axis, size), *_kinds(mechanism, axis), mark)
        assert np.multiply(found, len(codes)) == pytest.approx(brute(mechanism, codes, axis, mark), abs=1e-8)


def test_beyond_twenty_coupled_attributes_nobody_is_counted():
    schema = rr.Schema(tuple(rr.Attribute(f"q{i}", ("no", "yes")) for i in range(21)))
    table = rr.Dataset(schema, np.random.default_rng(0).integers(0, 2, (50, 21)))
    assert risk_of(build("optimal", schema.sizes, [1.0] * 21), table) is None
    assert risk_of(build("independent", schema.sizes, [1.0] * 21), table).people == 50
