"""What a regression found: its figure, its numbers, average predictions and tests."""

from collections.abc import Sequence
from functools import partial
from math import isnan

import streamlit as st

from pages.shared import state, widgets
from rrcore import plots
from rrcore.answers import Answers
from rrcore.estimate.models import (
    SIGNIFICANT,
    Averages,
    Fit,
    Test,
    about_coefficients,
    about_effects,
    coefficient_texts,
    correlations,
)
from rrcore.limits import MAX_DRAWN, MAX_MODEL_LEVELS
from rrcore.table import to_numbers
from rrcore.wording import amount_text, bracketed, interval_text, minus, p_text, percent, signed_points


def figure(found: Fit) -> None:
    """Odds ratios, or effects on an amount, with those of the released answers beside them."""
    logistic = found.model.family == "logistic"
    keys = ("odds ratio", "odds low", "odds high", "naive odds ratio") if logistic else ("coefficient", "low", "high", "naive")
    rows = [row for row in found.rows() if row["term"] != "intercept"]
    several = len(found.answers) > 1
    shown = rows[:MAX_DRAWN]
    names = [f"{row['term']} {bracketed(row['outcome'])}" if several else row["term"] for row in shown]
    values, low, high, naive = ([row[key] for row in shown] for key in keys)
    against = f" of “{found.answers[0]}” to “{found.model.outcome}”" if not several else f" against “{found.reference}”"
    drawn = plots.model_coefficients_figure(
        names,
        values,
        (low, high),
        naive if found.naive else None,
        [row["p-value"] < SIGNIFICANT for row in shown],
        widgets.palette(),
        what=f"the odds{against} are multiplied by" if logistic else f"“{found.model.outcome}” is higher by",
        nothing=1.0 if logistic else 0.0,
    )
    widgets.figure(drawn, "regression", alt=f"Effect of every predictor on {found.model.outcome}, with 95 % intervals")
    if len(rows) > MAX_DRAWN:
        st.caption(f"The first {MAX_DRAWN} of {len(rows)} are drawn; all are in the table.")
    widgets.caption(f"{about_effects(found)} Lines are 95 % intervals.")


def numbers(found: Fit) -> None:
    """Every coefficient in numbers."""
    widgets.table(coefficient_texts(found))
    widgets.caption(about_coefficients(found))


def averages(found: Fit, answers: Answers) -> None:
    """Average predictions with a predictor set for everybody, or within groups."""
    set_for_all = {f"set {name}": f"everybody given each value of {name}" for name in _columns(found)}
    grouped = {
        f"by {column.name}": f"groups of {column.name}"
        for column in answers.groupings
        if 1 < len(column.values) <= MAX_MODEL_LEVELS
    }
    asked = widgets.select("Averages over", set_for_all | grouped, f"models_averages_{hash((*set_for_all, *grouped))}")
    way, _, name = asked.partition(" ")
    made = found.average(name) if way == "set" else found.average(by=name)
    first = 1 if made.shares and len(made.answers) == 2 else 0  # of two shares one says it all
    of = (f"share of “{made.answers[1]}” to " if first else "share of each answer to ") if made.shares else ""
    low, high = made.interval()
    drawn = plots.model_averages_figure(
        made.labels,
        made.answers[first:],
        made.values[:, first:].tolist(),
        (low[:, first:].tolist(), high[:, first:].tolist()),
        widgets.palette(),
        what=f"{of}“{found.model.outcome}”",
        shares=made.shares,
    )
    widgets.figure(drawn, "average-predictions", alt=f"Average predictions of {found.model.outcome}")
    widgets.table(_rows(made, name, first))
    kept, equal = ("", "") if len(_columns(found)) == 1 else ("keeps all other answers and ", ", all else equal")
    widgets.caption(
        f"Everybody {kept}is given the same value of {name}: the difference is what {name} does{equal}."
        + (f" The values are the quartiles of {name}." if _number(found, name) else "")
        if way == "set"
        else f"Everybody as they are, in groups of {name}: differences are those between the people of the groups."
    )


def _rows(made: Averages, name: str, first: int) -> list[dict[str, str]]:
    rows = []
    unit, signed = (" (points)", signed_points) if made.shares else ("", partial(amount_text, sign=True))
    for row in made.rows():
        if row["outcome"] not in made.answers[first:]:
            continue
        value = percent if made.shares else partial(amount_text, digits=4)
        text = interval_text(row["low"], row["high"]) if made.shares else f"{value(row['low'])} to {value(row['high'])}"
        same = row["difference low"] == row["difference high"]
        rows.append(
            {
                name: row["at"],
                **({"Answer": row["outcome"]} if made.shares else {}),
                "Average": value(row["average"]),
                "95 % interval": text,
                f"Difference from the first{unit}": "" if same else signed(row["difference"]),
                "95 % interval of the difference": ""
                if same
                else f"{signed(row['difference low'])} to {signed(row['difference high'])}",
            }
        )
    return rows


def tests(work: state.Work, found: Fit) -> None:
    """Of every predictor with all its columns and powers whether it has any effect."""
    rows = []
    for name in _columns(found):
        terms = [term.text for term in found.model.predictors if name in term.columns]
        test: Test = work.remember(f"models_test_{name}", (id(found), name), partial(found.test, *terms))
        rows.append(
            {
                "Predictor": " and ".join(terms),
                "Test": test.kind,
                "Chi-square": f"{test.statistic:.2f}",
                "Degrees of freedom": f"{test.freedom:.3g}",
                "p-value": p_text(test.p_value),
            }
        )
    widgets.table(rows)
    st.caption(
        "Whether a predictor has any effect, all its categories and powers together. p-value: how often the test would find as much by "
        "chance if it had none; small means it has one. Of predictors without effect about 1 in 20 falls below 0.05."
    )


def correlated(work: state.Work, answers: Answers, names: Sequence[str]) -> None:
    """The correlation of every two of outcome and predictors, as far as they are numbers or attributes."""
    texts = {column.name for column in answers.groupings if len(column.values) > 2 and to_numbers(column.values) is None}
    own = [name for name in names if name not in texts]
    if len(own) < 2:
        st.caption("A correlation is of attributes and numbers: choose at least two.")
        return
    found = work.remember("models_correlations", (id(answers), tuple(own)), partial(correlations, answers, own))
    rows = []
    for one in found:
        low, high = one.interval()
        row = {
            "Of": " and ".join(one.names),
            "Correlation": minus(f"{one.value:.2f}"),
            "95 % interval": minus(f"{low:.2f} to {high:.2f}"),
        }
        rows.append(
            row | {"p-value": p_text(one.p_value), "On released answers": "" if isnan(one.naive) else minus(f"{one.naive:.2f}")}
        )
    widgets.table(rows)
    st.caption(
        "Of the true answers: 1 and −1 are a straight line, 0 is none. Categories count as the numbers they are, else as 0, 1, 2 and so on "
        "in their order. Released answers, taken as true, show less."
    )


def _columns(found: Fit) -> list[str]:
    """The predictors, each once."""
    return list(dict.fromkeys(term.column for term in found.model.predictors))


def _number(found: Fit, name: str) -> bool:
    """Whether a predictor is a number, not categories."""
    return not any(found.compared_with(k) for k in range(1, len(found.terms)) if found.column(k) == name)
