"""Work that comes out the same whoever does it: what it is -> a function of an executor and a folder, whose results are compared."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from rrcore.budget import Plan, accuracy_frontier, compare, error_frontier, leakage_frontier, safe_frontier
from rrcore.mechanisms import build
from rrcore.research.papers import find, run_all
from rrcore.schemes import Study, Sweep, repeat_perturbation
from rrcore.table import load_demo, pairs
from rrcore.table.stream import count, open_stream, survey

LEVELS = np.array([1.0, 2.0, 1.5])


def table():
    return load_demo("titanic").select(["Class", "Sex", "Survived"])


def study(executor, folder):
    asked = Study(("rr-independent", "em", "blend", "pair-safe"), (1, 2), repeats=5, seed=7, people=300, sets=2)
    return list(asked.run(table(), LEVELS, executor=executor))


def sweep(executor, folder):
    asked = Study(("rr-independent", "rr-joint"), (2,), repeats=2, seed=7)
    return list(Sweep(asked, "people", (100.0, 200.0)).run(table(), LEVELS, executor=executor))


def repeats(executor, folder):
    mechanism = build("optimal", table().schema.sizes, LEVELS)
    found = repeat_perturbation(
        table(), mechanism, ["Sex", "Survived"], 9, n=100, rng=np.random.default_rng(3), executor=executor
    )
    return [estimate.shares.tolist() for estimate in found]


def counts(executor, folder):
    if not any(folder.glob("*.parquet")):
        records = table()
        columns = {a.name: np.array(a.categories)[records.codes[:, i]] for i, a in enumerate(records.schema.attributes)}
        for part in range(3):
            pq.write_table(pa.table(columns).slice(700 * part, 700), folder / f"part_{part}.parquet")
    stream = open_stream(folder)
    assert len(stream.pieces()) == 3
    schema = survey(stream, executor=executor).coder().schema
    found = count(stream, schema, pairs(schema), executor=executor)
    return schema, found.n, {names: counted.tolist() for names, counted in found.tables.items()}


def mechanisms(executor, folder):
    """Optima for many candidates: those of a plan side by side, and the points of its trade-offs."""
    plan = Plan(table().schema, tuple(LEVELS), 500)
    points = (
        *accuracy_frontier(plan, [0.0, 1.0], executor=executor),
        *leakage_frontier(plan, [0.1, np.inf], executor=executor),
        *safe_frontier(plan, [1, 2], executor=executor),
        *error_frontier(plan, (0, 1), [0.5, 1.0], executor=executor),
    )
    options = compare(plan, ["kronecker", "pair-safe", "joint", "closed-form"], executor=executor)
    return [(one.value, one.total, one.refusal) for one in points], [(one.saving_text, one.refusal) for one in options]


def papers(executor, folder):
    entries = [find("multidimensional-figure-1"), find("multidimensional-corollary-1")]
    return [(one.entry.id, one.sentence, one.measured) for one in run_all(entries, executor=executor)]


WORK = {work.__name__: work for work in (study, sweep, repeats, counts, mechanisms, papers)}
