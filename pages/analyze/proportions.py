"""Analyze, Proportions: estimated shares with intervals, of everybody or within groups."""

from collections.abc import Callable
from functools import partial
from itertools import islice

import streamlit as st

from pages.shared import answers as loaded
from pages.shared import jobs, save_menu, state, widgets
from rrcore import plots
from rrcore.answers import (
    SIGNIFICANT,
    Answers,
    MarginalSummary,
    about_sample,
    pair_summaries,
    pair_texts,
    summarise_groups,
    summarise_marginal,
)
from rrcore.arrays import check_cells
from rrcore.association.estimates import Pairs
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import estimate_csv, has_order, merged_shares, ordered_scores, ordered_summary, written_cells
from rrcore.limits import MANY_CATEGORIES, MAX_DRAWN, MAX_PAGE_CELLS, MAX_PAGE_MARGINAL
from rrcore.reports import best_pair
from rrcore.reports.findings import finding_from_answers, finding_within
from rrcore.table import Attribute
from rrcore.wording import file_stem, read_numbers

_EVERYBODY = ""
_VIEWS = ("Chart", "Table")
_FEW = 12
"""Most attributes whose pairs a report has."""


def show() -> None:
    answers, answer, left, right = loaded.begin()
    with left:
        names = _attributes(answers)
        group = _group(answers, names)
        view = st.segmented_control("Show", _VIEWS, default="Chart", required=True, key="analyze_view")
        below = st.container()
        answers = loaded.sampled(answers)
    if not names:
        st.info("Choose one to four attributes.", icon=":material/table_chart:")
        st.stop()
    columns = [column.name for column in answers.groupings]
    given = () if group in columns or not group else (group,)
    with (
        right,
        widgets.card("Estimated shares", hint="Choose one to four attributes. More attributes mean larger errors."),
    ):
        found = _summary(answers, [*names, *given])
        if found is None:
            st.stop()
        if group:
            _within(answers, found, names, group, view, answer)
        else:
            _everybody(found, view, answer)
        for sentence in about_sample(answers, found.estimate):
            widgets.caption(sentence)
    with below:
        _take_away(answers, found, names, group)
    if ordered := [each for each in found.schema.select(names).attributes if has_order([each])]:
        widgets.details("Means of ordered attributes", "analyze_means", partial(_means, answers, ordered), icon="straighten")
    if len(answers.schema.names) > 1:
        widgets.details("Associations of all pairs", "analyze_pairs", partial(_pairs, answers), icon="hub")


def _attributes(answers: Answers) -> list[str]:
    names, file = answers.schema.names, answers.mechanism
    at = state.current().remember("analyze_best_pair", (file.sha256, answers.n), lambda: best_pair(file, answers.n))
    return widgets.several(
        "Joint distribution of",
        names,
        f"analyze_marginal_{hash(names)}",
        at=at,
        most=MAX_PAGE_MARGINAL,
    )


def _group(answers: Answers, names: list[str]) -> str:
    """The attribute, or the column that was not randomized, within whose groups shares are estimated."""
    weights = answers.columns.weights
    columns = [each.name for each in answers.groupings if each.name != weights and 1 < len(each.values) <= MANY_CATEGORIES]
    others = [name for name in answers.schema.names if name not in names] if len(names) < MAX_PAGE_MARGINAL else []
    offered = {_EVERYBODY: "everybody"} | {name: name for name in (*others, *columns)}
    return widgets.select("Among", offered, f"analyze_group_{hash(tuple(offered))}")


def _summary(answers: Answers, names: list[str]) -> MarginalSummary | None:
    """The estimate of a joint distribution; None if the mechanism does not allow it, which is shown."""
    axes = answers.schema.axes(names)
    try:
        check_cells([answers.schema.sizes[i] for i in axes], most=MAX_PAGE_CELLS)
        key = (id(answers), axes)
        return state.current().remember("analyze_marginal", key, partial(summarise_marginal, answers, names))
    except InputError as error:
        widgets.complain(error)
        if isinstance(error, NotIdentifiableError) and len(names) == 1:
            for sentence in merged_shares(answers.release, names[0]).sentences:
                st.markdown(f"- {widgets.plain(sentence)}")
        return None


def _everybody(found: MarginalSummary, view: str, answer: Callable[[str], None]) -> None:
    """Every combination: the unbiased estimate with its interval, and the other estimate as a mark."""
    estimate, closest = found.estimate, found.estimate.closest()
    interval = estimate.interval(population=True)
    answer(widgets.plain(finding_from_answers(found.schema, estimate.shares, interval)))
    if estimate.useless(population=True):
        widgets.warn("There are too few answers for these attributes. Choose fewer attributes.")
    widgets.warn(found.note)
    if view == "Chart":
        others = {closest.name: closest.shares}
        figure = plots.marginal_figure(
            found.schema,
            estimate.shares,
            widgets.palette(),
            interval=interval,
            randomized=estimate.randomized,
            others=others,
            name="unbiased estimate",
        )
        widgets.figure(figure, "proportions", alt="Estimated share of each combination with its 95% confidence interval")
    else:
        columns = {
            "Randomized data": "randomized people",
            "Unbiased (95% CI)": "estimate",
            closest.name.capitalize(): closest.name,
        }
        table = {name: column for name, column in found.table().items() if not name.startswith(f"{closest.name} ")}
        widgets.table(written_cells(found.schema, table, columns))
    other = f"The {closest.name} estimate often has a smaller error, but no interval."
    widgets.caption(f"Quote the unbiased estimate, because it has the interval. {other}")


@widgets.complaining
def _within(
    answers: Answers, found: MarginalSummary, names: list[str], group: str, view: str, answer: Callable[[str], None]
) -> None:
    """The share of every combination within each group."""
    if group in found.schema.names:
        shares = found.given([group])
    else:
        parts = dict(islice(answers.split(group).items(), MANY_CATEGORIES))
        key = (id(answers), group, tuple(names))
        shares = state.current().remember("analyze_groups", key, lambda: summarise_groups(parts, names, group))
    answer(widgets.plain(finding_within(shares, group)))
    if view == "Chart":
        rows = [row for row in range(len(shares)) if shares.estimate[row] == shares.estimate[row]][:MAX_DRAWN]
        figure = plots.result_figure(shares.take(rows), widgets.palette(), of=f"share within each group of {group}")
        widgets.figure(figure, "within", alt=f"Estimated share of each combination within each group of {group}")
    else:
        texts = [shares.texts(row) for row in range(len(shares))]
        widgets.table({**shares.labels, "Share": [text[0] for text in texts], "95% CI": [text[1] for text in texts]})
    if shares.note:
        widgets.caption(f"Few people: {shares.note}.")


def _means(answers: Answers, ordered: list[Attribute]) -> None:
    """Mean and median of ordered attributes, for numbers that can be changed."""
    for attribute in ordered:
        proposed = ordered_scores(attribute)
        start = proposed if None not in proposed else range(1, attribute.size + 1)
        typed = widgets.text(
            f"Numbers of the categories of {widgets.plain(attribute.name)}",
            f"analyze_scores_{hash(attribute)}",
            ", ".join(f"{number:g}" for number in start),
            help=f"One number for each of: {widgets.plain(', '.join(attribute.categories))}.",
        )
        try:
            summary = ordered_summary(answers.estimate([attribute.name]), read_numbers(typed), population=True)
        except InputError as error:
            widgets.complain(error)
        else:
            widgets.say(f"{summary.mean_sentence} {summary.sentence}")


def _pairs(answers: Answers) -> None:
    """Cramér's V of every pair."""
    pairs = jobs.result("analyze_pairs", id(answers), pair_summaries, answers, what="Estimating the associations")
    if pairs is None:
        return
    names = answers.schema.names
    if len(names) > 2:
        chance = pairs.matrix(pairs.columns["p_value"]) > SIGNIFICANT
        figure = plots.dependence_map(pairs.v, names, widgets.palette(), chance=chance)
        widgets.figure(figure, "associations", alt="Estimated association of every pair")
    widgets.table(pair_texts(pairs, "p-value"))


def _take_away(answers: Answers, found: MarginalSummary, names: list[str], group: str) -> None:
    """The estimates as a file, as Python, and in the Save menu."""
    csv = partial(estimate_csv, found.estimate, population=True, mark=answers.mark)
    kind = {} if not group else {"within" if group in found.schema.names else "column": group}
    code = loaded.take_away(answers, csv, f"estimates-{file_stem('-'.join(found.schema.names))}.csv", names, **kind)
    save_menu.offer_findings(answers, found, code, partial(_pairs_of, answers))


def _pairs_of(answers: Answers) -> Pairs | None:
    """The associations that a report has; None if there are too many pairs."""
    return pair_summaries(answers) if 1 < len(answers.schema.names) <= _FEW else None
