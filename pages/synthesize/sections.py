"""What the Synthesize page shows: the collection, the graph, the table, and what it is good for."""

import json
import math
from collections.abc import Mapping
from functools import partial

import streamlit as st

from pages.shared import jobs, state, widgets
from pages.synthesize.settings import Settings
from rrcore import plots
from rrcore.estimate import simulated_csv, simulated_file_name, simulated_parquet
from rrcore.research.lopub import (
    CLASSIFIERS,
    LopubCollection,
    Synthetic,
    accuracies_by_target,
    compare_edges,
    half_l1_by_width,
    v_difference,
)
from rrcore.wording import Quantity, count_text, counted, meaning, percent, points, total_text

_WIDTHS = {1: "for one attribute", 2: "for two together", 3: "for three"}


def collection(found: LopubCollection, settings: Settings) -> None:
    """What every respondent sends, what that costs, and how the estimation went."""
    source = found.source
    if source.key == "truth":
        widgets.warn("The true table: nothing is protected. It shows what is lost by the graph alone.")
        return
    st.markdown(
        f"**Whole record: odds between any two people's answers up to {Quantity('whole record', source.title).both(source.total)}.** "
        f"One answer: up to {Quantity('one answer', source.title).both(max(source.levels))}."
    )
    if source.protocol is None:
        st.caption("Every answer is reported as one of its categories; the bits of a Bloom filter are only used by LoPub.")
        return
    protocol = source.protocol
    widgets.table(
        {
            "Attribute": [each.attribute.name for each in protocol.filters],
            "Answers": [each.attribute.size for each in protocol.filters],
            "Bits m": [each.length for each in protocol.filters],
            "Answers that look alike": [each.collisions for each in protocol.filters],
            "Shared bits": [each.shared_bits for each in protocol.filters],
            "Level as published": [total_text(settings.eps)] * len(protocol.filters),
            "Level of these bits": [total_text(each.exact_level(protocol.flip)) for each in protocol.filters],
        }
    )
    rappor = protocol.log_rappor_bits
    product = f"{math.exp(rappor):,.0f}" if rappor < 20 else f"10^{rappor / math.log(10):.0f}"
    st.caption(
        f"Each bit is drawn anew with probability f = {protocol.flip:.3f}. Level: 2 h ln((2 - f) / f) nats per attribute. Answers that look "
        "alike have the same bits and cannot be told apart; the level of these bits is lower where hash functions coincide. One "
        f"respondent sends {count_text(protocol.bits)} bits (Theorem 1); RAPPOR on all combinations at once would send {product}."
    )
    curves = {
        " with ".join(found.train.schema.names[i] for i in axes): fit.log_likelihoods
        for axes, fit in source.curves.items()
        if len(fit.log_likelihoods) > 1 and len(axes) > 1
    }
    if curves:
        shown = dict(sorted(curves.items(), key=lambda item: -len(item[1]))[:6])
        widgets.figure(
            plots.synthesis_likelihood_figure(shown, widgets.palette()), "likelihood", alt="Log-likelihood by iteration of EM"
        )
        ended = sum(not fit.converged for fit in source.curves.values())
        widgets.caption(
            "How EM went for the joint distributions that took longest."
            + (f" {counted(ended, 'fit was', 'fits were')} stopped before they converged." if ended else " All converged.")
        )
    if settings.source == "lasso":
        widgets.warn(
            "Lasso_JD as published sees counts of single bits only. They say nothing about which answers go together, so the "
            "dependence it finds is an accident of the regression. 'Lasso on pairs of bits' uses the missing information."
        )


def graph(found: LopubCollection, settings: Settings) -> None:
    """The estimated graph against the true one."""
    names = found.train.schema.names
    estimated, true = found.graph(settings.phi, prune=settings.prune), found.true_graph(settings.phi)
    figure = plots.dependency_graph_figure(estimated, names, widgets.palette(), true=true)
    widgets.figure(figure, "graph", alt="Dependency graph: estimated and true", truth=True)
    edges = compare_edges(estimated, true)
    st.markdown(
        f"**{counted(len(edges.correct), 'dependency', 'dependencies')} correct, {len(edges.added)} added, {len(edges.lost)} lost.** "
        + widgets.plain("Cliques: " + "; ".join(", ".join(names[i] for i in clique) for clique in estimated.cliques))
    )
    separators = {tuple(separator) for _, _, separator in estimated.tree}
    if separators:
        widgets.caption(
            "Separators: " + "; ".join(", ".join(names[i] for i in separator) for separator in sorted(separators)) + "."
        )
    if settings.prune:
        pruned = found.pruning(settings.phi)
        lost = ", ".join(f"{names[i]} with {names[j]}" for i, j in pruned.lost) or "no dependency"
        widgets.caption(
            f"Pruning looks at {pruned.seen} of {pruned.pairs} pairs and saves {percent(pruned.saved)}; it loses {lost}."
        )
    st.caption(
        "Two attributes are joined where their estimated mutual information reaches min(a - 1, b - 1) phi^2 / 2. Attributes that go "
        "together form a clique, whose joint distribution is estimated; where cliques overlap, the overlap carries what they have in common."
    )


def summary(found: LopubCollection, asked: Settings, errors: Mapping[int, float]) -> str:
    """How close the synthetic table comes, what it keeps of what goes together, and at which price, as Markdown."""
    edges = compare_edges(found.graph(asked.phi, prune=asked.prune), found.true_graph(asked.phi))
    whole = len(edges.correct) + len(edges.lost)
    off = [f"**{points(error)}** {_WIDTHS[w]}" for w, error in errors.items() if w in _WIDTHS]
    people, kept_back = found.train.n, found.test.n
    price = "nothing is protected" if found.source.price is None else found.source.price.text
    kept = f", and {len(edges.correct)} of {counted(whole, 'dependency is', 'dependencies are')} found" if whole else ""
    return (
        f"Rebuilt from the randomised answers of {count_text(people)} of {counted(people + kept_back, 'person', 'people')}, "
        f"a synthetic table is off by {', '.join(off)}{kept}: {found.source.title} ({price})."
    )


def table(work: state.Work, found: LopubCollection, made: Synthetic, settings: Settings) -> None:
    """True against synthetic shares of one joint distribution, and the downloads."""
    schema = found.train.schema
    names = settings.marginal
    true, drawn = (table.shares(names) for table in (found.train, made.dataset))
    figure = plots.marginal_bars(schema.select(names), true, None, drawn, None, widgets.palette(), name="synthetic")
    widgets.figure(figure, "synthetic-marginal", alt=f"True and synthetic shares of {', '.join(names)}", truth=True)
    widgets.caption(f"{plots.marginal_note(true.size, names)} Off by (half L1): {meaning('half L1')}".strip())
    if made.model is not None:
        st.caption(f":material/info: Drawn from one table of all attributes. {made.model.sentence}")
    if made.restarted:
        st.caption(
            f":material/info: {counted(made.restarted, 'record', 'records')} met a combination that the next clique's estimate says nobody "
            "has; their further answers were drawn without regard to it."
        )
    row = st.container(horizontal=True, vertical_alignment="center")
    truth = settings.source == "truth"
    marked = partial(simulated_csv, made.dataset, work.wishes.seed, truth=truth)
    widgets.download(
        "Synthetic table (CSV)", marked, simulated_file_name("synthetic.csv", truth=truth), type="primary", where=row
    )
    packed = partial(simulated_parquet, made.dataset, work.wishes.seed, truth=truth)
    widgets.download(
        "The same as Parquet", packed, simulated_file_name("synthetic.parquet", truth=truth), type="tertiary", where=row
    )
    widgets.download(
        "Where it comes from (JSON)",
        lambda: json.dumps(provenance(work, found, made, settings), ensure_ascii=False, indent=1),
        "synthetic-provenance.json",
        type="tertiary",
        icon=":material/receipt_long:",
        where=row,
    )
    st.caption(
        "No record in it is anybody's. It was made from simulated answers with a seed, so it is for trying the method out; for real answers, "
        "collect first and piece the table together from what was collected."
    )


def provenance(work: state.Work, found: LopubCollection, made: Synthetic, settings: Settings) -> dict[str, object]:
    """What a reader of the synthetic table should know."""
    names = found.train.schema.names
    return {
        "source": found.source.title,
        "simulated": True,
        "seed": work.wishes.seed,
        "people": found.train.n,
        "level_of_every_attribute": settings.eps,
        "total_level": None if math.isinf(found.source.total) else found.source.total,
        "flip": None if found.source.protocol is None else found.source.protocol.flip,
        "phi": settings.phi,
        "pruned": settings.prune,
        "cliques": None if made.model else [[names[i] for i in clique] for clique in made.graph.cliques],
        "model_of_all_pairs": made.model
        and {"difference": made.model.difference, "triples": [[names[i] for i in axes] for axes in made.model.triples]},
        "records": made.dataset.n,
        "repeated": settings.repeat,
        "restarted": made.restarted,
    }


def errors_of(work: state.Work, found: LopubCollection, made: Synthetic) -> dict[int, float]:
    """Half L1 of the synthetic table by number of attributes."""
    widths = [w for w in (1, 2, 3, 4) if w <= found.train.k]
    return work.remember(
        "synthesize_errors",
        id(made),
        lambda: half_l1_by_width(found.train, made.dataset, widths, rng=work.rng("synthetic errors")),
    )


def usefulness(work: state.Work, found: LopubCollection, made: Synthetic) -> None:
    """Marginals, dependence and classifiers: true against synthetic."""
    errors = errors_of(work, found, made)
    widgets.figure(
        plots.synthesis_half_l1_figure({found.source.title: errors}, widgets.palette()),
        "half-l1",
        alt="Half L1 by number of attributes",
    )
    widgets.caption(f"Half L1: {meaning('half L1')}")
    difference = work.remember("synthesize_v", id(made), lambda: v_difference(found.train, made.dataset))
    figure = plots.synthesis_v_difference_map(difference, found.train.schema.names, widgets.palette())
    widgets.figure(figure, "v-difference", alt="Dependence in the synthetic minus in the true table")
    _classifiers(work, found, made)


def _classifiers(work: state.Work, found: LopubCollection, made: Synthetic) -> None:
    """Classifiers trained on the synthetic table and tested on true rows that were held out."""
    names = found.train.schema.names
    left, right = st.columns(2)
    kind = widgets.select("Classifier", CLASSIFIERS, "synthesize_kind", at="forest", where=left)
    targets = widgets.several("Predicts", names, f"synthesize_targets_{work.version}", at=names[-1:], most=4, where=right)
    if not targets:
        return
    key = (id(made), kind, tuple(targets), work.wishes.seed)
    rngs = [work.rng("classifiers") for _ in targets]
    train = partial(accuracies_by_target, kind, targets, train=found.train, synthetic=made.dataset, test=found.test, rngs=rngs)
    rows = jobs.result("synthesize_accuracy", key, train, what="Training")
    if rows is None:
        return
    widgets.figure(
        plots.synthesis_accuracy_figure(rows, widgets.palette()),
        "accuracy",
        alt="Accuracy after training on true and synthetic rows",
    )
    st.caption(
        f"Correct answers about {count_text(found.test.n)} true rows that were in neither table, from all other attributes. Majority: always "
        "guessing the most frequent answer."
    )
