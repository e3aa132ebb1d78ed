"""Analyze, Regression: a model whose outcome or predictors were randomized."""

import math
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations

import streamlit as st

from pages.shared import answers as loaded
from pages.shared import state, widgets
from rrcore import plots
from rrcore.answers import Answers
from rrcore.errors import InputError
from rrcore.estimate.regression import INTERCEPT, Kind, Regression, fit, quoted, regression_kinds, usable_predictor
from rrcore.limits import MAX_DRAWN
from rrcore.wording import factor_range_text, p_text


def show() -> None:
    collected, answer, left, right = loaded.begin()
    with left:
        model = _choose(collected)
        below = st.container()
        answers = loaded.sampled(collected)
    if model is None:
        st.stop()
    formula, kind = model
    with (
        right,
        widgets.card("Coefficients", hint="Each effect holds the other predictors fixed. Intervals include the randomization."),
    ):
        try:
            found = _fitted(answers, formula, kind)
        except InputError as error:
            widgets.complain(error)
            st.stop()
        answer(widgets.plain(_headline(found)))
        unit = f"Log odds ratio of {found.outcome}" if kind == "logistic" else f"Change of {found.outcome}"
        rows = [row for row, term in enumerate(found.labels["term"]) if term != INTERCEPT][:MAX_DRAWN]
        figure = plots.result_figure(found.take(rows), widgets.palette(), of=unit)
        widgets.figure(figure, "regression", alt=f"Coefficient of every predictor of {found.outcome} with its 95% interval")
        widgets.table(found.table())
        widgets.caption(f"{found.title}. {found.note}")
    with below:
        call = f"{formula!r}, answers, kind={kind!r}"
        loaded.take_away(answers, partial(found.to_csv, mark=answers.mark), "coefficients.csv", model=call)


def _choose(answers: Answers) -> tuple[str, Kind] | None:
    """The formula and the kind of regression; None while there is no predictor."""
    drawn = (answers.columns.weights, answers.columns.clusters)
    columns = {each.name: each for each in answers.groupings if each.name not in drawn and usable_predictor(each)}
    names = [*answers.schema.names, *columns]
    own = hash(tuple(names))
    if len(names) < 2:
        st.info(
            "These answers have one column. Add a predictor, such as age or region, to the same file.", icon=":material/info:"
        )
        return None
    outcome = widgets.select("Outcome", names, f"models_outcome_{own}", at=answers.schema.names[-1])
    others = [name for name in names if name != outcome]
    at = sorted(others, key=lambda name: answers.schema.select([name]).sizes if name in answers.schema.names else (math.inf,))[:1]
    predictors = widgets.several("Predictors", others, f"models_predictors_{own}_{hash(outcome)}", at=at)
    pairs = {pair: " × ".join(pair) for pair in combinations(predictors, 2)}
    chosen = []
    if pairs:
        chosen = widgets.several("Interactions", pairs, f"models_interactions_{own}_{hash(tuple(predictors))}")
    values = columns[outcome].values if outcome in columns else answers.schema.select([outcome]).attributes[0].categories
    kinds: dict[Kind, str] = {kind: kind.capitalize() for kind in regression_kinds(values)}
    kind = widgets.select("Model", kinds, f"models_kind_{own}_{hash(outcome)}") if len(kinds) > 1 else next(iter(kinds))
    if not predictors:
        st.info("Choose at least one predictor.", icon=":material/playlist_add:")
        return None
    terms = [quoted(name) for name in predictors] + [f"{quoted(a)}:{quoted(b)}" for a, b in chosen]
    return f"{quoted(outcome)} ~ {' + '.join(terms)}", kind


def _fitted(answers: Answers, formula: str, kind: Kind) -> Regression:
    """The regression, with what the randomized answers alone would give if that is finite."""
    work, key = state.current(), (id(answers), formula, kind)
    with st.spinner("Fitting the regression..."):
        found: Regression = work.remember("models_fit", key, partial(fit, formula, answers, kind=kind))
        with suppress(InputError):
            naive: Regression = work.remember("models_naive", key, partial(fit, formula, answers, kind=kind, naive=True))
            found = replace(found, columns={**found.columns, "randomized": naive.estimate.tolist()})
    return found


def _headline(found: Regression) -> str:
    """The coefficient with the lowest p-value in one sentence."""
    rows = [row for row, term in enumerate(found.labels["term"]) if term != INTERCEPT]
    row = min(rows, key=lambda row: found.columns["p_value"][row])
    if found.kind == "linear":
        effect, (value, ends) = f"changes “{found.outcome}” by", found.texts(row)
    else:
        outcome = found.labels.get("outcome", found.answers * len(found))[row]
        effect = f"multiplies the odds of “{found.outcome}: {outcome}” by"
        value, _, ends = factor_range_text(*found.odds_ratio(row)).removesuffix(")").partition(" (")
    return f"“{found.labels['term'][row]}” {effect} {value} (95% CI {ends}, p-value {p_text(found.columns['p_value'][row])})."
