"""The exact sampler: the right frequencies, the documented use of bytes, and no way to a seed."""

import ast
import importlib
import inspect
import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from rrcore.collect import sampler
from rrcore.collect.sampler import _randomise, collect
from rrcore.collect.weights import LieWeights
from rrcore.dataset import Dataset
from rrcore.errors import InputError
from tests.collect.designs_zoo import ZOO, channel, file_of, sizes_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["coupled", "skew", "planned", "huge", "two-groups"])
def test_a_million_draws_have_the_exact_probabilities(name):
    """Chi-square over all (true, released) cells; false alarm 1e-6."""
    file, n = file_of(ZOO[name]), 1_000_000
    sizes = sizes_of(ZOO[name])
    records = np.array(list(itertools.product(*(range(a) for a in sizes))), dtype=np.int32)
    per_record = n // len(records)
    true = np.repeat(records, per_record, axis=0)
    released = collect(file, Dataset(file.schema, true)).codes
    counts = np.zeros((len(records), len(records)))
    number = np.ravel_multi_index(tuple(released.T), sizes)
    np.add.at(counts, (np.repeat(np.arange(len(records)), per_record), number), 1)
    exact = channel(ZOO[name])
    expected = np.array([[float(exact[tuple(map(int, x)), tuple(map(int, y))]) for y in records] for x in records]) * per_record
    assert (counts[expected == 0] == 0).all()
    live = expected > 0
    statistic = float(((counts - expected)[live] ** 2 / expected[live]).sum())
    assert statistic < chi2.isf(1e-6, int(live.sum()) - len(records))


class Tape:
    """Fixed bytes, handed out in order."""

    def __init__(self, seed):
        self.rng, self.used = np.random.default_rng(seed), 0

    def __call__(self, count):
        self.used += count
        return self.rng.bytes(count)


def by_the_book(groups, sizes, record, tape):
    """One record as the docstring of the sampler says, step by step."""

    def below(limit):
        bits = (limit - 1).bit_length()
        if bits == 0:
            return 0
        while True:
            draw = int.from_bytes(tape((bits + 7) // 8), "big") % (1 << bits)
            if draw < limit:
                return draw

    def pick(weights):
        draw = below(sum(weights))
        for position, weight in enumerate(weights):
            if draw < weight:
                return position
            draw -= weight
        raise AssertionError

    released = list(record)
    for places, weights in groups:
        if not isinstance(weights, LieWeights):
            released[places[0]] = pick(weights.rows[record[places[0]]])
            continue
        drawn = pick([weight for _, weight in weights.lies] + [weights.uniform])
        for i, place in enumerate(places):
            if drawn == len(weights.lies):
                released[place] = below(sizes[place])
            elif weights.lies[drawn][0][i] == "1":
                released[place] = (record[place] + 1 + below(sizes[place] - 1)) % sizes[place]
    return released


@pytest.mark.parametrize("name", ZOO)
def test_bytes_are_used_in_the_documented_order(name):
    file, sizes = file_of(ZOO[name]), sizes_of(ZOO[name])
    for seed, record in enumerate(list(itertools.product(*(range(a) for a in sizes))) * 3):
        one, other = Tape(seed), Tape(seed)
        found = _randomise(file, np.array([record], dtype=np.int32), one)
        assert found[0].tolist() == by_the_book(ZOO[name], sizes, record, other)
        assert one.used == other.used


def test_draws_at_or_above_the_limit_are_repeated():
    file = file_of(ZOO["forced"])  # draws below 6 from bytes masked to 3 bits
    bytes_ = iter([0xFE, 0xFF, 0x05, 0x00])
    found = _randomise(file, np.array([[0]], dtype=np.int32), lambda count: bytes([next(bytes_) for _ in range(count)]))
    assert found.tolist() == [[1]]  # 6 and 7 rejected, 5 is the sixth sixth: forced to yes
    assert list(bytes_) == [0]


def test_nobody_is_released_where_nobody_answers_and_other_schemas_are_refused():
    file = file_of(ZOO["skew"])
    assert _randomise(file, np.zeros((0, 1), dtype=np.int32), Tape(0)).shape == (0, 1)
    with pytest.raises(InputError, match="other attributes or categories"):
        collect(file, Dataset(file_of(ZOO["forced"]).schema, np.zeros((3, 1), dtype=np.int32)))


def test_two_collections_differ_and_the_true_answers_are_left_alone():
    file = file_of(ZOO["planned"])
    true = Dataset(file.schema, np.zeros((200, 3), dtype=np.int32))
    one, other = collect(file, true), collect(file, true)
    assert (one.codes != other.codes).any()
    assert (true.codes == 0).all()


def test_there_is_no_seed():
    assert list(inspect.signature(collect).parameters) == ["mechanism", "answers"]


def test_no_seeded_generator_no_float_and_no_division_on_the_path():
    tree = ast.parse(inspect.getsource(sampler))
    for node in ast.walk(tree):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float))
        assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
        assert not (isinstance(node, ast.Attribute) and node.attr in {"random", "default_rng", "seed", "float64", "float32"})
        assert not (isinstance(node, ast.Name) and node.id in {"float", "random"})


def imported(module):
    """Modules of this library that ``module`` imports, and theirs."""
    seen, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        source = inspect.getsource(importlib.import_module(name))
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rrcore"):
                waiting.append(node.module)
    return seen


def test_the_simulator_cannot_be_reached_from_the_sampler():
    reached = imported("rrcore.collect.sampler")
    assert "rrcore.collect.document" in reached
    assert not {name for name in reached if name.startswith(("rrcore.simulation", "rrcore.mechanisms", "rrcore.estimate"))}
    assert not any("default_rng" in Path(importlib.import_module(name).__file__).read_text() for name in reached)
