"""Invented answers to declared questions."""

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.table import Attribute, Schema, as_table, invented_answers, load_demo, recode


def test_every_answer_is_possible_and_all_attributes_go_together():
    schema = Schema(tuple(Attribute(f"q{i}", tuple(f"a{j}" for j in range(2 + i % 4))) for i in range(6)))
    table = invented_answers(schema, 20_000, rng=np.random.default_rng(1))
    assert (table.schema, table.n, table.title) == (schema, 20_000, "Invented answers")
    for i, size in enumerate(schema.sizes):
        assert set(table.codes[:, i]) == set(range(size))
    # pairs share the hidden number with probability .16, so correlations are about that; 20,000 people tell it from 0 at 10 sd
    correlations = np.corrcoef(table.codes.T)[np.triu_indices(6, 1)]
    assert correlations.min() > 0.07


def test_the_same_seed_draws_the_same_people_and_the_schema_survives_as_a_table():
    schema = load_demo("titanic").schema
    one, other = (invented_answers(schema, 5, rng=np.random.default_rng(3)) for _ in range(2))
    assert (one.codes == other.codes).all()
    assert recode(*as_table(one)).schema == schema  # answers that nobody gave are kept


@pytest.mark.parametrize("people", [0, 10**10])
def test_too_few_and_too_many_are_one_sentence(people):
    with pytest.raises(InputError, match="people are asked for: give a number from 1 to 5,000,000"):
        invented_answers(load_demo("titanic").schema, people, rng=np.random.default_rng(0))
