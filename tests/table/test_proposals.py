"""Impossible combinations are proposed where nobody has what many would have by chance, and not otherwise."""

import numpy as np
from scipy.stats import binomtest

from rrcore.table import Attribute, Dataset, Impossible, Schema, invented_answers, load_demo, propose_impossible


def table(weights, n, seed=0):
    schema = Schema(tuple(Attribute(f"q{i}", tuple(f"c{x}" for x in range(a))) for i, a in enumerate(weights.shape)))
    cells = np.random.default_rng(seed).choice(weights.size, n, p=weights.ravel() / weights.sum())
    return Dataset(schema, np.stack(np.unravel_index(cells, weights.shape), axis=1))


def test_structural_zeros_are_found_and_most_expected_ones_first():
    weights = np.ones((3, 4, 2))
    weights[0, 1] = weights[2, 3] = 0
    weights[2] *= 3
    found = propose_impossible(table(weights, 2_000))
    assert [(each.attributes, each.combination) for each in found] == [
        (("q0", "q1"), ("c2", "c3")),
        (("q0", "q1"), ("c0", "c1")),
    ]
    assert found[0].expected > found[1].expected > 10


def test_independent_answers_give_no_proposal():
    """A false alarm in one of a million tables; these are twenty."""
    rng = np.random.default_rng(3)
    for seed in range(20):
        weights = np.multiply.outer(rng.dirichlet(np.full(12, 0.3)), rng.dirichlet(np.full(15, 0.3)))
        assert propose_impossible(table(weights, 3_000, seed)) == ()


def test_each_is_as_unlikely_as_it_is_said_to_be():
    people = load_demo("titanic")
    (found,) = propose_impossible(people)
    assert found.combination == ("Crew", "Child")
    cells = sum(a * b for i, a in enumerate(people.schema.sizes) for b in people.schema.sizes[i + 1 :])
    assert binomtest(0, people.n, found.expected / people.n).pvalue * cells < 1e-6


def test_what_is_a_rule_already_is_not_proposed_and_few_people_say_nothing():
    people = load_demo("titanic")
    ruled = people.declaring([propose_impossible(people)[0].rule])
    assert propose_impossible(ruled) == ()
    weights = np.ones((2, 3))
    weights[0, 0] = 0
    assert propose_impossible(table(weights, 50)) == ()
    assert len(propose_impossible(table(weights, 5_000))) == 1


def test_at_most_as_many_as_asked_for():
    weights = np.eye(8)
    assert len(propose_impossible(table(weights, 20_000))) == 20
    assert len(propose_impossible(table(weights, 20_000), most=3)) == 3


def test_invented_answers_keep_to_the_rules():
    schema = load_demo("titanic").declaring([Impossible(("Class", "Age"), (("Crew", "Child"),))]).schema
    free, ruled = (invented_answers(each, 3_000, rng=np.random.default_rng(0)) for each in (Schema(schema.attributes), schema))
    assert schema.impossible_rows(free.codes).any()
    assert not schema.impossible_rows(ruled.codes).any()
    possible = ~schema.impossible_rows(free.codes)
    assert (free.codes[possible] == ruled.codes[possible]).all()
