"""Models: a regression on collected answers whose outcome or predictors were randomized."""

from contextlib import suppress
from functools import partial
from itertools import combinations

import streamlit as st

from pages.shared import state, widgets
from pages.shared.answers import sample, upload
from rrcore import plots
from rrcore.answers import Answers
from rrcore.errors import InputError
from rrcore.estimate.regression import INTERCEPT, Kind, Regression, fit, quoted
from rrcore.limits import MAX_DRAWN, MAX_MODEL_LEVELS, MAX_MODEL_OUTCOMES
from rrcore.table import TextColumn
from rrcore.table.recoding import recodes_as_identifier
from rrcore.table.text_table import to_numbers
from rrcore.wording import amount_range_text, bracketed, counted, factor_range_text, p_text

_KINDS: dict[Kind, str] = {"logistic": "Logistic", "linear": "Linear"}


def choose(answers: Answers) -> tuple[str, Kind] | None:
    """Show the controls. Return the formula and the kind of regression, None while there is no predictor."""
    drawn = (answers.columns.weights, answers.columns.clusters)  # these say how people were drawn, nothing about the people
    columns = {column.name: column for column in answers.groupings if column.name not in drawn and _usable(column)}
    names = [*answers.schema.names, *columns]
    own = hash((answers.schema.names, tuple(each.name for each in answers.groupings)))
    if len(names) < 2:
        st.info(
            "A regression needs a predictor, and these answers have one column only. Put columns that were not randomized, such as age "
            "or region, into the same file.",
            icon=":material/info:",
        )
        return None
    outcome = widgets.select("Outcome", names, f"models_outcome_{own}", at=answers.schema.names[-1])
    others = [name for name in names if name != outcome]
    predictors = widgets.several(
        "Predictors",
        others,
        f"models_predictors_{own}_{hash(outcome)}",
        at=others[:1],
        help="Randomized attributes or other columns. Each effect holds the other predictors fixed.",
    )
    pairs = {pair: " × ".join(pair) for pair in combinations(predictors, 2)}
    chosen = []
    if pairs:
        key = f"models_interactions_{own}_{hash(tuple(predictors))}"
        chosen = widgets.several("Interactions", pairs, key, help="The effect of one predictor may depend on the other.")
    kind = widgets.select("Regression", _kinds(outcome, answers, columns), f"models_kind_{own}_{hash(outcome)}")
    if not predictors:
        st.info("Choose at least one predictor.", icon=":material/playlist_add:")
        return None
    terms = [quoted(name) for name in predictors] + [f"{quoted(a)}:{quoted(b)}" for a, b in chosen]
    return f"{quoted(outcome)} ~ {' + '.join(terms)}", kind


def _usable(column: TextColumn) -> bool:
    """Return True if a column varies, identifies nobody, and has numbers or few categories."""
    held = int((column.counts > 0).sum())
    return held > 1 and not recodes_as_identifier(column) and (held <= MAX_MODEL_LEVELS or to_numbers(column.values) is not None)


def _kinds(outcome: str, answers: Answers, columns: dict[str, TextColumn]) -> dict[Kind, str]:
    """Return the kinds of regression that the outcome allows, the usual one first."""
    values = columns[outcome].values if outcome in columns else answers.schema.select([outcome]).attributes[0].categories
    if to_numbers(values) is None:
        return {"logistic": _KINDS["logistic"]}
    if len(values) > MAX_MODEL_OUTCOMES:
        return {"linear": _KINDS["linear"]}
    return _KINDS if len(values) == 2 else dict(reversed(_KINDS.items()))


def headline(found: Regression) -> str:
    """Return the coefficient with the lowest p-value in one sentence."""
    row = min((row for row in found.rows() if row["term"] != INTERCEPT), key=lambda row: row["p-value"])
    if found.kind == "linear":
        effect = f"changes {found.outcome} by"
        text = amount_range_text(row["estimate"], row["low"], row["high"])
    else:
        effect = f"multiplies the odds of {found.outcome}: {row['outcome']} by"
        text = factor_range_text(row["odds ratio"], row["odds ratio low"], row["odds ratio high"])
    value, _, ends = text.removesuffix(")").partition(" (")
    return f"{row['term']} {effect} {value} (95% CI {ends}, p-value {p_text(row['p-value'])})."


def draw(found: Regression, naive: Regression | None) -> None:
    """Show odds ratios or effects with their intervals, and what the randomized answers alone would show."""
    logistic = found.kind == "logistic"
    keys = ("odds ratio", "odds ratio low", "odds ratio high") if logistic else ("estimate", "low", "high")
    rows, alone = ([row for row in each.rows() if row["term"] != INTERCEPT] if each else [] for each in (found, naive))
    several = len(found.answers) > 1
    names = [f"{row['term']} {bracketed(row['outcome'])}" if several else row["term"] for row in rows]
    values, low, high = ([row[key] for row in rows[:MAX_DRAWN]] for key in keys)
    drawn = plots.model_coefficients_figure(
        names[:MAX_DRAWN],
        values,
        (low, high),
        [row[keys[0]] for row in alone[:MAX_DRAWN]] if naive else None,
        widgets.palette(),
        what="Odds ratio" if logistic else f"Effect on {found.outcome}",
        nothing=1.0 if logistic else 0.0,
    )
    widgets.figure(drawn, "regression", alt=f"Effect of every predictor on {found.outcome}, with 95% confidence intervals")
    if len(rows) > MAX_DRAWN:
        st.caption(f"The figure shows the first {MAX_DRAWN} of {len(rows)} coefficients. The table has all of them.")


work = state.current()
answer = widgets.header("Models", "Which predictors go with an answer?")
left, right, collected = upload.beside(work)
with left:
    answers = sample.choose(work, collected)
    model = choose(answers)
if model is None:
    st.stop()
formula, kind = model
with right:
    upload.warn(work, answers)
    naive: Regression | None = None
    try:
        with st.spinner("Fitting the regression..."):
            found = work.remember("models_fit", (id(answers), model), partial(fit, formula, answers, kind=kind))
            with suppress(InputError):  # the randomized answers alone may have no finite estimate
                naive = work.remember("models_naive", (id(answers), model), partial(fit, formula, answers, kind=kind, naive=True))
    except InputError as error:
        widgets.complain(error)
        st.stop()
    answer(widgets.plain(headline(found)))
    draw(found, naive)
    widgets.table(found.texts())
    unit = "log odds, whose exponentials are the odds ratios" if kind == "logistic" else f"units of {found.outcome}"
    against = f" against “{found.reference}”" if found.reference else ""
    widgets.caption(f"{found.title}{against}, {counted(found.nobs, 'answer', 'answers')}. Estimates are in {unit}.")
    for note in found.notes:
        widgets.caption(note)
    csv = partial(found.to_csv, mark=answers.mark)
    widgets.download("Download coefficients", csv, "coefficients.csv", icon=":material/table:")
