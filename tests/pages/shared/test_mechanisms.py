"""A mechanism is made once for everybody on a server, and nothing of anybody's table is kept with it."""

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

from pages.shared import mechanisms, widgets
from rrcore.budget import Plan
from rrcore.table import Attribute, Schema


def plan(name, size=2, level=1.0, mechanism="optimal"):
    schema = Schema(tuple(Attribute(f"{name} {i}", tuple(f"{name}-{j}" for j in range(size))) for i in range(2)))
    return Plan(schema, (level, level), 100, mechanism)


def test_two_tables_with_as_many_categories_share_a_mechanism():
    found = mechanisms._once(plan("hidden"), "optimal")
    assert mechanisms._once(plan("another"), "optimal") is found
    assert "hidden" not in repr(mechanisms._made)
    assert mechanisms._once(plan("hidden", size=3), "optimal") is not found
    assert mechanisms._once(plan("hidden", level=1.5), "optimal") is not found
    assert mechanisms._once(plan("hidden"), "kronecker") is not found
    assert mechanisms._once(dataclasses.replace(plan("hidden"), closeness="first"), "optimal") is not found


def test_how_near_the_least_total_it_is_to_be_tells_mechanisms_apart():
    assert mechanisms.depends_on(plan("x")) != mechanisms.depends_on(dataclasses.replace(plan("x"), closeness="first"))


def test_a_refusal_is_nobody_elses(monkeypatch):
    refused = dataclasses.replace(mechanisms._once(plan("x"), "kronecker"), mechanism=None, refusal="'hidden' is refused")
    mechanisms._made.clear()
    monkeypatch.setattr(mechanisms, "compare", lambda plan, keys: (refused,))
    assert mechanisms._once(plan("x"), "kronecker") is refused
    assert not mechanisms._made


@pytest.mark.parametrize("most", [1, 3])
def test_the_longest_unused_goes_first(monkeypatch, most):
    monkeypatch.setattr(mechanisms, "_MOST_MADE", most)
    for level in (1.0, 2.0, 3.0, 4.0):
        mechanisms._once(plan("x", level=level), "kronecker")
    assert [about[2][0] for about in mechanisms._made] == [1.0, 2.0, 3.0, 4.0][-most:]


def test_what_two_ask_for_at_once_is_made_once(monkeypatch):
    asked, gate, made = threading.Event(), threading.Event(), []
    compare = mechanisms.compare

    def slow(plan, keys):
        made.append(keys)
        asked.set()
        gate.wait(10)
        return compare(plan, keys)

    monkeypatch.setattr(mechanisms, "compare", slow)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(mechanisms._once, plan("x"), "kronecker")
        assert asked.wait(10)
        second = pool.submit(mechanisms._once, plan("y"), "kronecker")
        gate.set()
        assert second.result(10) is first.result(10)
    assert made == [("kronecker",)]
    assert not mechanisms._making


def test_what_follows_from_a_mechanism_is_computed_once_and_forgotten_with_it():
    asked = []
    mechanism = mechanisms._once(plan("x"), "kronecker").mechanism

    def levels(mechanism):
        asked.append(id(mechanism))
        return mechanism.levels.tolist()

    assert mechanisms.following(mechanism, levels) == mechanisms.following(mechanism, levels) == mechanism.levels.tolist()
    other = dataclasses.replace(mechanism)
    mechanisms.following(other, levels)
    assert asked == [id(mechanism), id(other)]
    held = len(mechanisms._followed)
    del other
    assert len(mechanisms._followed) == held - 1


@pytest.mark.parametrize("rows", [{"a": ["1", ""], "b": ("x", "y")}, [{"a": "1", "b": "x"}, {"a": "", "b": "y"}]])
def test_a_table_of_nothing_but_text_is_sent_as_it_is(rows):
    assert widgets._texts(rows).to_pydict() == {"a": ["1", ""], "b": ["x", "y"]}
    assert widgets._texts({"a\u200b": ["Yes\u202e"]}).to_pydict() == {"a\\u200b": ["Yes\\u202e"]}


@pytest.mark.parametrize(
    "rows", [[], {}, {"a": [1, 2]}, {"a": ["x", None]}, [{"a": "x"}, {"b": "y"}], pd.DataFrame({"a": ["x"]})]
)
def test_any_other_table_goes_by_way_of_pandas(rows):
    assert widgets._texts(rows) is None
