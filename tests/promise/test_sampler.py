"""The exact sampler: the right frequencies, the documented use of bytes, and no way to a seed."""

import ast
import importlib.util
import inspect
import itertools
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from rrcore.answers import read_answers
from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.promise import MechanismFile, mechanism_of_integers, sampler
from rrcore.promise.randomizing import randomize
from rrcore.promise.sampler import randomize_codes
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights
from rrcore.table import Attribute, Dataset, Schema
from tests import oracles
from tests.asking.make_form_vectors import released
from tests.promise.designs_zoo import ZOO, file_of

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["coupled", "skew", "planned", "huge", "two-groups", "counted", "all-alike", "counted-and-forced", "wide-and-coupled"]
)
def test_a_million_draws_have_the_exact_probabilities(name):
    """Chi-square over all (true, released) cells. False alarm: 1e-7."""
    file, n = file_of(ZOO[name]), 1_000_000
    sizes = oracles.sizes_of(ZOO[name])
    records = np.array(oracles.cells(sizes), dtype=np.int32)
    per_record = n // len(records)
    true = np.repeat(records, per_record, axis=0)
    drawn = randomize(Dataset(file.schema, true), file).codes
    expected = oracles.exact_matrix(ZOO[name]) * per_record
    counts = np.zeros(expected.shape)
    number = np.ravel_multi_index(tuple(drawn.T), oracles.report_sizes_of(ZOO[name]))
    np.add.at(counts, (np.repeat(np.arange(len(records)), per_record), number), 1)
    assert (counts[expected == 0] == 0).all()
    live = expected > 0
    statistic = float(((counts - expected)[live] ** 2 / expected[live]).sum())
    assert statistic < chi2.isf(1e-7, int(live.sum()) - len(records))


class Tape:
    """Fixed bytes, handed out in order."""

    def __init__(self, seed):
        self.rng, self.used = np.random.default_rng(seed), 0

    def __call__(self, count):
        self.used += count
        return self.rng.bytes(count)


@pytest.mark.parametrize("name", ZOO)
def test_bytes_are_used_in_the_documented_order(name):
    file, sizes = file_of(ZOO[name]), oracles.sizes_of(ZOO[name])
    for seed, record in enumerate(oracles.cells(sizes) * 3):
        one, other = Tape(seed), Tape(seed)
        found = randomize_codes(file, np.array([record], dtype=np.int32), one)
        assert found[0].tolist() == released(file, list(record), other)
        assert one.used == other.used


def many_by_the_book(groups, sizes, records, tape):
    """All records of a chunk, draw by draw: each one for all that need it, then again for those that are not below the limit."""

    def below(limit, n):
        bits = (limit - 1).bit_length()
        draws, waiting = [0] * n, list(range(n)) if bits else []
        while waiting:
            fresh = tape((bits + 7) // 8 * len(waiting))
            width = len(fresh) // len(waiting)
            for number, i in enumerate(waiting):
                draws[i] = int.from_bytes(fresh[number * width : (number + 1) * width], "big") % (1 << bits)
            waiting = [i for i in waiting if draws[i] >= limit]
        return draws

    def pick(weights, n):
        return [next(i for i in range(len(weights)) if draw < sum(weights[: i + 1])) for draw in below(sum(weights), n)]

    released = [list(record) for record in records]
    for places, weights in groups:
        if isinstance(weights, MatrixWeights):
            for true, row in enumerate(weights.rows):
                here = [i for i, record in enumerate(records) if record[places[0]] == true]
                for i, new in zip(here, pick(row, len(here)), strict=True):
                    released[i][places[0]] = new
            continue
        if isinstance(weights, CountWeights):
            vectors = list(product(*(range(n + 1) for n in weights.kinds)))
            left = [list(vectors[d]) for d in pick(weights.drawn, len(records))]
            kinds = [t for t, n in enumerate(weights.kinds) for _ in range(n)]
            for position, (place, t) in enumerate(zip(places, kinds, strict=True)):
                undecided = kinds[position:].count(t)
                lying = [i for i, draw in enumerate(below(undecided, len(records))) if draw < left[i][t]]
                for i, shift in zip(lying, below(sizes[place] - 1, len(lying)), strict=True):
                    left[i][t] -= 1
                    released[i][place] = (records[i][place] + 1 + shift) % sizes[place]
            continue
        drawn = pick([weight for _, weight in weights.lies] + [weights.uniform], len(records))
        for position, place in enumerate(places):
            redrawn = [i for i, d in enumerate(drawn) if d == len(weights.lies)]
            for i, new in zip(redrawn, below(sizes[place], len(redrawn)), strict=True):
                released[i][place] = new
            false = [i for i, d in enumerate(drawn) if d < len(weights.lies) and weights.lies[d][0][position] == "1"]
            for i, shift in zip(false, below(sizes[place] - 1, len(false)), strict=True):
                released[i][place] = (records[i][place] + 1 + shift) % sizes[place]
    return released


@pytest.mark.parametrize("name", ZOO)
def test_bytes_are_used_in_the_documented_order_for_many_records(name):
    file, sizes = file_of(ZOO[name]), oracles.sizes_of(ZOO[name])
    records = np.column_stack([np.random.default_rng(5).integers(0, a, 300) for a in sizes]).astype(np.int32)
    one, other = Tape(7), Tape(7)
    assert randomize_codes(file, records, one).tolist() == many_by_the_book(ZOO[name], sizes, records.tolist(), other)
    assert one.used == other.used


def test_chunks_follow_each_other():
    """One record more than a chunk: the last one is drawn after all the others, from the same tape."""
    file, sizes = file_of(ZOO["coupled"]), oracles.sizes_of(ZOO["coupled"])
    records = np.zeros((sampler._CHUNK + 1, 2), dtype=np.int32)
    one, other = Tape(11), Tape(11)
    whole = randomize_codes(file, records, one)
    parts = [randomize_codes(file, part, other) for part in (records[:-1], records[-1:])]
    np.testing.assert_array_equal(whole, np.concatenate(parts))
    assert one.used == other.used
    assert sizes == (2, 3)


@pytest.mark.parametrize("limit", [2, 3, 255, 256, 257, 2**63, 2**64 - 1, 2**64, 2**64 + 1, 2**80 - 3, 2**159 + 1])
def test_draws_below_any_limit(limit):
    """Smallest and largest draws, and the first one that is too large, from bytes that are given."""
    bits = (limit - 1).bit_length()
    width = (bits + 7) // 8
    too_large = [limit] if limit < 1 << bits else []
    wanted = [0, limit - 1, *too_large, 1]
    tape = iter(
        [b"".join(draw.to_bytes(width, "big") for draw in wanted), *([(limit // 2).to_bytes(width, "big")] if too_large else [])]
    )
    tape, copy = itertools.tee(tape)
    drawn = [0, limit - 1, *([limit // 2] if too_large else []), 1]
    ends = sorted({1, 2, limit // 2, limit // 2 + 1, limit - 1, limit} - {0})
    places = [next(i for i, end in enumerate(ends) if draw < end) for draw in drawn]
    assert sampler._choose(ends, len(wanted), lambda count: next(tape)).tolist() == places
    if limit <= 2**64:
        assert sampler._below(limit, len(wanted), lambda count: next(copy)).tolist() == drawn


def test_weights_at_the_border_of_a_machine_word():
    """Ends at 2^64 exactly, and a set of changes of weight 1 before and after it."""
    weights = LieWeights((2, 2), 1, (("00", 2**64 - 1), ("01", 1), ("10", 2**64)))
    ends = list(itertools.accumulate([weight for _, weight in weights.lies] + [weights.uniform]))
    draws = [0, 2**64 - 2, 2**64 - 1, 2**64, 2**65 - 1, 2**65]
    content = b"".join(draw.to_bytes(9, "big") for draw in draws)
    assert sampler._choose(ends, len(draws), lambda count: content[:count]).tolist() == [0, 0, 1, 2, 2, 3]


def test_uniform_records_only():
    """Chi-square over 6 cells of 1,000. False alarm: 1e-7."""
    file = file_of((((0, 1), LieWeights((2, 3), 7, ())),))
    found = randomize(Dataset(file.schema, np.zeros((6000, 2), dtype=np.int32)), file).codes
    assert chi2.sf(((np.bincount(found[:, 0] * 3 + found[:, 1], minlength=6) - 1000) ** 2 / 1000).sum(), 5) > 1e-7


def test_draws_at_or_above_the_limit_are_repeated():
    file = file_of(ZOO["forced"])  # draws below 6 from bytes masked to 3 bits
    bytes_ = iter([0xFE, 0xFF, 0x05, 0x00])
    found = randomize_codes(file, np.array([[0]], dtype=np.int32), lambda count: bytes([next(bytes_) for _ in range(count)]))
    assert found.tolist() == [[1]]  # 6 and 7 rejected, 5 is the sixth sixth: forced to yes
    assert list(bytes_) == [0]


def test_nobody_is_released_where_nobody_answers_and_other_schemas_are_refused():
    file = file_of(ZOO["skew"])
    assert randomize_codes(file, np.zeros((0, 1), dtype=np.int32), Tape(0)).shape == (0, 1)
    with pytest.raises(InputError, match="c0, c1, c2"):
        randomize(Dataset(file_of(ZOO["forced"]).schema, np.zeros((3, 1), dtype=np.int32)), file)


@pytest.mark.parametrize("code", [-1, 2, 2**40, 0.5])
def test_codes_out_of_range_are_refused_in_simulations(code):
    for mechanism in (file_of(ZOO["planned"]), build("independent", (2, 2, 2), [1.0] * 3)):
        with pytest.raises(InputError):
            mechanism.sample(np.array([[0, 1, code]]), rng=np.random.default_rng(0))


def test_two_collections_differ_and_the_true_answers_are_left_alone():
    """False alarm: below 1e-40."""
    file = file_of(ZOO["planned"])
    true = Dataset(file.schema, np.zeros((200, 3), dtype=np.int32))
    one, other = randomize(true, file), randomize(true, file)
    assert (one.codes != other.codes).any()
    assert (true.codes == 0).all()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_path_or_a_frame_is_randomized_like_a_table(tmp_path, suffix):
    schema = Schema((Attribute("a", ("x", "y")), Attribute("b", ("x", "y", "z")), Attribute("c", ("u", "v"))))
    people = Dataset(schema, np.random.default_rng(0).integers(0, 2, (50, 3)))
    (tmp_path / "true.csv").write_text(people.to_csv())
    file = MechanismFile(
        schema.select(["a", "b"]), (((0,), LieWeights((2,), 0, (("0", 3),))), ((1,), LieWeights((3,), 0, (("0", 2),))))
    )
    file.save(tmp_path / "mechanism.json")
    assert (randomize(tmp_path / "true.csv", file).codes == people.codes[:, :2]).all()
    for number, table in enumerate((people, people.to_pandas(), tmp_path / "true.csv")):
        out = tmp_path / f"out-{number}.{suffix}"
        assert randomize(table, tmp_path / "mechanism.json", out=out, keep_columns=["c"]).trailer.rows == 50
        found = read_answers(out, file)
        assert (found.dataset.codes == people.codes[:, :2]).all()
        assert [column.name for column in found.groupings] == ["c"]


def test_a_file_is_a_randomizer():
    file = file_of(ZOO["planned"])
    mechanism = mechanism_of_integers(file)
    np.testing.assert_allclose(file.epsilon, mechanism.epsilon, rtol=1e-9)
    np.testing.assert_allclose(file.epsilon_informed, mechanism.epsilon_informed, rtol=1e-9)
    assert file.epsilon_total == pytest.approx(mechanism.epsilon_total, rel=1e-9)
    assert file.sizes == file.report_sizes == mechanism.report_sizes
    codes = np.zeros((20_000, len(file.sizes)), dtype=np.int32)
    one, other = (file.sample(codes, rng=np.random.default_rng(1)) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose((one != 0).mean(axis=0), mechanism.lies, atol=0.02)


def test_there_is_no_seed():
    assert list(inspect.signature(randomize).parameters) == ["table", "mechanism", "out", "keep_columns"]


def test_no_seeded_generator_no_float_and_no_division_on_the_path():
    tree = ast.parse(inspect.getsource(sampler))
    for node in ast.walk(tree):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float))
        assert not (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div))
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [getattr(node, "module", "") or "", *(alias.name for alias in node.names)]
            assert not any(name.split(".")[0] in {"random", "secrets", "scipy"} or "random" in name for name in names)
            assert not any(name.startswith(("rrcore.simulation.releases", "rrcore.mechanisms")) for name in names)
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
                below = [f"{node.module}.{alias.name}" for alias in node.names]
                waiting += [
                    node.module,
                    *(
                        inner
                        for inner in below
                        if importlib.util.find_spec(node.module).submodule_search_locations and importlib.util.find_spec(inner)
                    ),
                ]
            if isinstance(node, ast.Import):
                waiting += [alias.name for alias in node.names if alias.name.startswith("rrcore")]
    return seen


def test_the_simulator_cannot_be_reached_from_the_sampler():
    reached = imported("rrcore.promise.randomizing")
    assert "rrcore.promise.mechanism_file" in reached
    assert not {
        name for name in reached if name.startswith(("rrcore.simulation.releases", "rrcore.mechanisms", "rrcore.estimate"))
    }
    for name in (name for name in reached if name.startswith("rrcore.promise")):
        text = Path(importlib.import_module(name).__file__).read_text(encoding="utf-8")
        assert "default_rng" not in text
        assert "def perturb" not in text
