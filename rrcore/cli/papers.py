"""The command ``papers``: reproduce five papers and apply their methods."""

from typing import Annotated, Any, Literal

import numpy as np
from cyclopts import App, Parameter

from rrcore import papers as research
from rrcore.budget import Plan
from rrcore.cli import options
from rrcore.cli.output import USUAL, Result, note, progress, save, table
from rrcore.files import read_path
from rrcore.limits import MAX_COMPARED_PEOPLE
from rrcore.papers import keyvalue as key_value
from rrcore.papers import lopub as synthesis
from rrcore.simulation import generator
from rrcore.simulation.metrics import metric_text
from rrcore.table import Dataset, read_text_table
from rrcore.table.anysize import code_table
from rrcore.table.scanning import sample
from rrcore.wording import count_text, points
from rrcore.wording.json_values import fields_of

papers = App(name="papers", help="Recompute results of five papers, and apply their methods.", default_parameter=USUAL)

Seed = Annotated[int, Parameter(group=options.OUTPUT)]


class PapersResult(Result, tag="papers"):
    """Rows of numbers: checks of papers, or errors of methods."""

    rows: list[dict[str, Any]]


def _dataset(source: str, columns: options.Columns, read: options.Read, rng: np.random.Generator, workers: str = "") -> Dataset:
    """Return a table in memory, or a sample of a large one."""
    with options.executor(workers) as pool:
        found, n, _ = code_table(options.opened(source), columns, executor=pool, report=progress(), **dict(read))
        if isinstance(found, Dataset) and n <= MAX_COMPARED_PEOPLE:
            return found
        note(f"The table is a random sample of {count_text(MAX_COMPARED_PEOPLE)} of {count_text(n)} people.")
        return sample(found, MAX_COMPARED_PEOPLE, of=n, rng=rng, report=progress())


@papers.command
def run(
    *names: str,
    source: options.Source = "",
    repeats: float = 1.0,
    rng: Seed = 0,
    out: options.Out = "",
    workers: options.Workers = "",
) -> PapersResult:
    """Recompute printed values of the papers.

    Parameters
    ----------
    names
        Papers: castell, multidimensional, optimized, lopub or keyvalue [all]
    source
        Table: UCI Adult for all values, another for Castell's figures only
    repeats
        Multiplier for the number of repeats
    rng
        Seed of the simulations
    out
        JSON or Markdown file for the results
    workers
        Number of worker processes, or address of a Dask scheduler
    """
    people = research.read_input(*read_path(source)) if source else None
    with options.executor(workers) as pool:
        found = research.Results.measure(names, table=people, seed=rng, repeats=repeats, executor=pool, report=progress())
    if out:
        save(out, found.to_markdown() if out.endswith(".md") else found.to_json())
    counts = ["{}: {} of {} checks agree".format(research.PAPERS[key].short, *found.counts(key)) for key in found.checks]
    checks = [(key, check) for key, some in found.checks.items() for check in some]
    rows = [{"paper": key, **vars(check), "agrees": check.agrees} for key, check in checks]
    shown = table({name: [check.row[name] for _, check in checks] for name in checks[0][1].row}, 2)
    return PapersResult(rows=rows, sentences=[shown, *counts], out=out)


@papers.command
def compare(
    *,
    source: options.Source,
    read: options.Read = (),
    columns: options.Columns = (),
    epsilon: options.ByAttribute,
    width: options.Sizes = (2,),
    methods: options.Names = research.DEFAULT_SCHEMES,
    equal: Literal["total", "epsilon"] = "total",
    repeats: int = 20,
    rng: Seed = 0,
    workers: options.Workers = "",
) -> PapersResult:
    """Compare methods on the same simulated releases of a table.

    Parameters
    ----------
    source
        Table, such as people.csv or demo:titanic
    read
        Options for reading the file, such as header=yes or sheet=Data
    columns
        Columns to randomize [all suitable columns]
    epsilon
        One ε for all attributes, or one per attribute
    width
        Numbers of attributes per joint distribution
    methods
        Methods to compare, such as rr-independent,blend,preserving-2
    equal
        Same ε for all methods: of the record, or of each attribute
    repeats
        Number of releases
    rng
        Seed of the simulations
    workers
        Number of worker processes, or address of a Dask scheduler
    """
    found = _dataset(source, columns, read, generator(rng), workers)
    asked = Plan(found, epsilon, mechanism="independent").epsilon
    study = research.Study(methods, width, repeats=repeats, seed=rng, spend=equal)
    with options.executor(workers) as pool:
        outcomes = [one for release in research.Sweep(study).run(found, np.array(asked), executor=pool) for one in release]
    summaries = [(metric, one) for metric in research.STUDY_METRICS for one in research.summarise(outcomes, metric)]
    named = "scheme ways median low high releases sets asked reason"
    rows = [{"metric": metric, **fields_of(one, named)} for metric, one in summaries]
    shown = {name: [str(row[name]) for row in rows] for name in ("metric", "scheme", "ways")}
    shown |= {name: [metric_text(metric, getattr(one, name)) for metric, one in summaries] for name in ("median", "low", "high")}
    return PapersResult(rows=rows, sentences=[table(shown, 2)])


@papers.command
def lopub(
    *,
    source: options.Source,
    read: options.Read = (),
    columns: options.Columns = (),
    method: str = "lasso-em",
    epsilon: float,
    hashes: int = 4,
    bits: int = 128,
    phi: float = 0.2,
    n: int | None = None,
    rng: Seed = 0,
    out: options.Out = "",
) -> PapersResult:
    """Make a synthetic table from estimated marginals, as LoPub does.

    Parameters
    ----------
    source
        Table, such as people.csv or demo:titanic
    read
        Options for reading the file, such as header=yes or sheet=Data
    columns
        Columns to use [all suitable columns]
    method
        Method that estimates the marginals
    epsilon
        ε of each attribute
    hashes
        Number of hash functions of each Bloom filter
    bits
        Number of bits of each Bloom filter
    phi
        Threshold of the dependency degree, from 0 to 1
    n
        Number of synthetic records [number of rows of the table]
    rng
        Seed of the simulation
    out
        CSV file for the synthetic records
    """
    seed = generator(rng)
    found = _dataset(source, columns, read, seed)
    filters = synthesis.Filters(hashes, (bits,) * found.k)
    made_from = synthesis.make_source(method, found, epsilon, filters=filters, rng=seed)
    sizes, widths = found.schema.sizes, [w for w in (1, 2, 3) if w <= found.k]
    graph = synthesis.DependencyGraph(sizes, synthesis.information_matrix(made_from.joint, sizes), phi)
    made = made_from.synthesize(found.schema, graph, found.n if n is None else n, rng=seed)
    if out:
        save(out, made.to_csv())
    errors = synthesis.half_l1_by_width(found, made, widths, rng=seed)
    cliques = [", ".join(found.schema.names[i] for i in clique) for clique in graph.cliques]
    sentences = [f"{count_text(made.n)} records", *(f"clique: {clique}" for clique in cliques)]
    sentences += [f"Half L1 distance, {w} attributes: {points(error, 'percentage points')}" for w, error in errors.items()]
    return PapersResult(rows=[{"width": w, "half_l1": error} for w, error in errors.items()], sentences=sentences, out=out)


@papers.command
def keyvalue(
    *,
    source: options.Source = "",
    low: float = -1.0,
    high: float = 1.0,
    keys: options.Names = (),
    n: int = 100_000,
    protocol: str = "kvue",
    epsilon: float,
    rng: Seed = 0,
) -> PapersResult:
    """Estimate frequencies and means of keys with a protocol for key-value data.

    Parameters
    ----------
    source
        Table with the columns user, key and value [simulated ratings]
    low
        Lowest possible value, as declared
    high
        Highest possible value, as declared
    keys
        Declared keys [the most frequent ones]
    n
        Number of users, if ratings are generated
    protocol
        Protocol: kvue, kvoh, privkv, privkvm or f2m
    epsilon
        ε per user
    rng
        Seed of the simulation
    """
    seed = generator(rng)
    if source:
        ratings = read_text_table(*read_path(source))
        data = key_value.read_long(ratings, user="user", key="key", value="value", low=low, high=high, keys=keys or None)
    else:
        data = key_value.invented(n, 20, rng=seed)
    chosen = key_value.make_protocol(protocol, epsilon)
    estimates = chosen.estimate(chosen.simulate(data, rng=seed))
    values = {"frequency": estimates.frequency, "mean": estimates.mean}
    values |= {"true_frequency": data.frequency, "true_mean": data.mean}
    listed = {name: own.tolist() for name, own in values.items()}
    shown = {"key": list(data.keys), **{name: [f"{each:.3f}" for each in own] for name, own in listed.items()}}
    rows = [dict(zip(("key", *listed), row, strict=True)) for row in zip(data.keys, *listed.values(), strict=True)]
    return PapersResult(rows=rows, sentences=[*data.notes, table(shown)])
