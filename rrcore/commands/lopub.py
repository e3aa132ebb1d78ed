"""The command ``lopub``: a synthetic table pieced together from estimated marginals, and how far it carries."""

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np

from rrcore.budget import total_warning
from rrcore.commands.files import STANDARD, writing
from rrcore.commands.mechanism_options import EPS, levels_of
from rrcore.commands.recoding import add_recoding, recoded
from rrcore.commands.table_options import add_input, entries
from rrcore.commands.values import adder, number, refuse_given, seed, whole
from rrcore.errors import InputError
from rrcore.research.lopub import (
    CLASSIFIERS,
    SOURCES,
    DependencyGraph,
    Filters,
    Source,
    accuracies,
    best_hashes,
    best_length,
    compare_edges,
    contest,
    half_l1_by_width,
    information_matrix,
    kept_by_entropy,
    make_source,
    source_title,
    split,
)
from rrcore.schemes import SPENDS
from rrcore.table import Dataset
from rrcore.wording import and_text, count_text, percent, points, total_text
from rrcore.wording.json_values import fields_of, finite
from rrcore.writing import KINDS_TEXT, columns_of, kind_of, table_writer


def add_lopub(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``lopub``, what it runs and how its result is printed."""
    add = adder(command)
    add_input(command)
    add("--attributes", "columns to use, for example a,b,c (default: all that can be)", entries)
    add_recoding(command)
    add("--source", f"where marginals come from: {', '.join(SOURCES)}, or 3-safe and so on", default="lasso-em")
    add("--eps", f"{EPS}; here they are all the same", entries, required=True)
    add("--equal", "what pair-safe may spend: the levels or their total (default levels, with --compare total)", SPENDS)
    add("--hashes", "LoPub: hash functions h (default 4, or what --false-positive asks for)", whole("number of hash functions"))
    add("--bits", "LoPub: bits m of every Bloom filter (default 128)", whole("number of bits"))
    add("--false-positive", "LoPub: instead of --bits, choose m and h by eqs. (6) and (7)", number)
    add("--phi", "dependency degree, 0 to 1", number, default=0.2)
    add("--prune", "look only at pairs of the attributes with the largest relative entropy", action="store_true")
    add("--records", "records of the synthetic table (default: as many as the table has)", whole("number of records"))
    add(
        "--repeat",
        "repeat combinations as often as estimated instead of drawing them (shrinkage always does)",
        action="store_true",
    )
    add("--target", "train classifiers for this attribute on the synthetic table and test them on held-out true rows")
    add("--compare", "half L1 of all sources at the same record cost, instead of a synthetic table", action="store_true")
    add("--sets", "with --compare: most sets of attributes of each size", whole("number of sets"), default=10)
    add("--seed", "seed of the simulation", seed, default=0)
    add("--out", f"where the synthetic table goes: {KINDS_TEXT}", "FILE")
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    if options.compare:
        unread = ("source", "phi", "prune", "records", "repeat", "target", "out")
        refuse_given(options, unread, "With --compare sources are compared and no table is made")
    else:
        refuse_given(options, ["sets"], "Without --compare no sets of attributes are drawn")
    dataset, _, _ = recoded(options, options.attributes, None)
    if not isinstance(dataset, Dataset):
        raise InputError("The table is too large to be held in memory: give a sample of its rows.")
    kind = kind_of(options.out or STANDARD)
    levels, phi = levels_of(options.eps, dataset.schema.names), options.phi
    if levels.min() < levels.max():
        raise InputError("Every attribute has the same level here: give one number with --eps, for example 4.")
    eps = float(levels[0])
    rng = np.random.default_rng(options.seed)
    filters = _filters(options, dataset)
    shared: dict[str, Any] = {"table": dataset.title, "n": dataset.n, "attributes": list(dataset.schema.names), "eps": eps}
    widths = [w for w in (1, 2, 3) if w <= dataset.k]
    if options.compare:
        keys = [key for key in SOURCES if key != "truth"]
        found = contest(dataset, keys, eps, widths, sets=options.sets, spend=options.equal or "total", filters=filters, rng=rng)
        rows = [
            {"source": each.key} | fields_of(each, "total level") | {"half_l1": _by_width(each.errors), "refusal": each.refusal}
            for each in found
        ]
        warning = total_warning(dataset.schema.sizes, eps * dataset.k)
        return shared | {"compare": rows, "warnings": [warning] if warning else []}
    train, test = split(dataset, rng=rng) if options.target else (dataset, dataset)
    source = make_source(options.source, train, eps, spend=options.equal or "levels", filters=filters, rng=rng)
    graph, true = _graph(source, train, phi, options.prune), _graph(make_source("truth", train, eps, rng=rng), train, phi, False)
    made = source.synthesize(train.schema, graph, options.records or train.n, repeat=options.repeat, rng=rng)
    if options.out:
        with writing(options.out) as out, table_writer(out, columns_of(made.dataset.schema), kind) as write:
            write(list(made.dataset.codes.T))
    edges, names = compare_edges(graph, true), dataset.schema.names
    errors = half_l1_by_width(test, made.dataset, widths, rng=rng)
    result = shared | {
        "source": source.key,
        "total": finite(source.total),
        "phi": phi,
        "flip": None if source.protocol is None else source.protocol.flip,
        "bits": None if source.protocol is None else source.protocol.bits,
        "cliques": [[names[i] for i in clique] for clique in graph.cliques],
        "separators": [[names[i] for i in separator] for _, _, separator in graph.tree],
        "edges": {kind: [[names[i], names[j]] for i, j in getattr(edges, kind)] for kind in ("correct", "added", "lost")},
        "records": made.dataset.n,
        "restarted": made.restarted,
        "model": None if made.model is None else {"difference": made.model.difference, "records": len(made.model.weights)},
        "half_l1": _by_width(errors),
    }
    alike = [f"'{each.attribute.name}'" for each in (source.protocol.filters if source.protocol else ()) if each.collisions]
    if alike:
        result["warnings"] = [f"Answers to {and_text(alike)} have the same bits and cannot be told apart: give more --bits."]
    if options.target:
        result["accuracy"] = {
            kind: vars(accuracies(kind, options.target, train=train, synthetic=made.dataset, test=test, rng=rng))
            for kind in CLASSIFIERS
        }
    return result


def _by_width(errors: Mapping[int, float]) -> dict[str, float | None]:
    return {str(w): finite(error) for w, error in errors.items()}


def _graph(source: Source, dataset: Dataset, phi: float, prune: bool) -> DependencyGraph:
    kept = kept_by_entropy([source.joint((i,)) for i in range(dataset.k)], phi) if prune else None
    return DependencyGraph(dataset.schema.sizes, information_matrix(source.joint, dataset.schema.sizes, looked_at=kept), phi)


def _filters(options: argparse.Namespace, dataset: Dataset) -> Filters:
    if options.false_positive is not None:
        if options.bits is not None:
            raise InputError("Both --bits and --false-positive are given: give one of them.")
        rate = options.false_positive
        hashes = options.hashes or best_hashes(rate)
        return Filters(hashes, tuple(max(hashes, best_length(rate, size)) for size in dataset.schema.sizes))
    return Filters(options.hashes or 4, (options.bits or 128,) * dataset.k)


def _tell(result: dict[str, Any]) -> str:
    lines = [
        f"{result['table']}: {count_text(result['n'])} people, {len(result['attributes'])} attributes, eps {result['eps']:g} each"
    ]
    if "compare" in result:
        for row in result["compare"]:
            text = ", ".join(f"w = {w}: {'refused' if error is None else points(error)}" for w, error in row["half_l1"].items())
            lines.append(
                f"{source_title(row['source'])}, total {total_text(row['total'])}: "
                f"half L1 {text}{' ' + row['refusal'] if row['refusal'] else ''}"
            )
        return "\n".join(lines + result["warnings"])
    total = "no protection" if result["total"] is None else f"total {total_text(result['total'])} nats"
    lines.append(f"{source_title(result['source'])}, {total}; phi {result['phi']:g}")
    model = result["model"]
    if model is None:
        lines += [f"clique: {', '.join(clique)}" for clique in result["cliques"]]
    else:
        lines.append(
            f"drawn from the model of all pairs, which is off from each of them by at most {percent(max(model['difference'], 1e-4))}"
        )
    lines.append(", ".join(f"{len(pairs)} pairs {kind}" for kind, pairs in result["edges"].items()))
    lines.append(
        f"{count_text(result['records'])} records; "
        + ", ".join(f"half L1 at w = {w}: {points(e)}" for w, e in result["half_l1"].items())
    )
    for kind, found in result.get("accuracy", {}).items():
        lines.append(
            f"{CLASSIFIERS[kind]}: {percent(found['synthetic'])} right after training on the synthetic table, {percent(found['true'])} on "
            f"the true one, {percent(found['majority'])} by always guessing the most frequent answer"
        )
    return "\n".join(lines + result.get("warnings", []))
