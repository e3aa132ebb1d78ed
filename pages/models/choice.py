"""Which regression: its outcome, its predictors, and what is rarely changed."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.shared import widgets
from rrcore.answers import Answers
from rrcore.estimate.models import FAMILIES, Family, Term
from rrcore.limits import MAX_MODEL_LEVELS
from rrcore.table import TextColumn, recodes_as_identifier, to_numbers

_FIRST = 3  # predictors that are chosen at first
_FEW = 20  # values of numbers that may also be the categories of an outcome


@dataclass(frozen=True)
class Choice:
    """A regression as it was chosen."""

    outcome: str
    predictors: tuple[Term, ...]
    family: Family
    reference: str


def choose(answers: Answers) -> Choice | None:
    """The controls; None while no predictor is chosen or there is none."""
    drawn = (answers.columns.weights, answers.columns.clusters)  # what says how people were drawn says nothing about them
    replicates = answers.columns.replicates
    columns = {
        column.name: column
        for column in answers.groupings
        if column.name not in drawn and not (replicates and column.name.startswith(replicates)) and _usable(column)
    }
    names = [*answers.schema.names, *columns]
    own = hash(tuple(names))
    if len(names) < 2:
        st.info(
            "A regression needs a predictor, and these answers have one column only. Put columns that were not randomised, such as age or "
            "region, into the same file.",
            icon=":material/info:",
        )
        return None
    outcome = widgets.select("Outcome", names, f"models_outcome_{own}", help="What is to be explained.")
    others = [name for name in names if name != outcome]
    predictors = widgets.several(
        "Predictors",
        others,
        f"models_predictors_{own}_{hash(outcome)}",
        at=[name for name in others if name not in columns or _telling(columns[name])][:_FIRST],
        help="What goes with it. Randomised attributes and other columns alike: each effect is what is left when all others are equal.",
    )
    with st.expander("More", icon=":material/tune:"):
        family = _family(outcome, answers, columns, own)
        reference = _reference(outcome, answers, columns, family, own)
        squares, categories = _numbers([columns[name] for name in predictors if name in columns], own)
    if not predictors:
        st.info("Choose at least one predictor.", icon=":material/playlist_add:")
        return None
    terms = [Term(name, categories=name in categories) for name in predictors]
    terms += [Term(name, power=2) for name in predictors if name in squares and name not in categories]
    return Choice(outcome, tuple(terms), family, reference)


def _usable(column: TextColumn) -> bool:
    """Whether a column varies, names nobody, and is of numbers or of few categories."""
    held = int((column.counts > 0).sum())
    return held > 1 and not recodes_as_identifier(column) and (held <= MAX_MODEL_LEVELS or to_numbers(column.values) is not None)


def _telling(column: TextColumn) -> bool:
    """Whether people share values, which they do not of numbers that they are listed by: those are offered, but not chosen at first."""
    return len(column.values) <= 0.5 * len(column.codes)


def _family(outcome: str, answers: Answers, columns: dict[str, TextColumn], own: int) -> Family:
    if outcome in answers.schema.names or to_numbers(columns[outcome].values) is None or len(columns[outcome].values) == 2:
        return "logistic"
    kinds: dict[Family, str] = {key: FAMILIES[key] for key in ("linear", "normal")}
    if len(columns[outcome].values) <= _FEW:
        kinds["logistic"] = FAMILIES["logistic"]
    return widgets.select("Kind of regression", kinds, f"models_family_{own}_{hash(outcome)}")


def _reference(outcome: str, answers: Answers, columns: dict[str, TextColumn], family: Family, own: int) -> str:
    if family != "logistic":
        return ""
    if outcome in answers.schema.names:
        categories = answers.schema.select([outcome]).attributes[0].categories
    else:
        column = columns[outcome]
        categories = tuple(value for value, held in zip(column.values, column.counts, strict=True) if held)
    return widgets.select(
        "Compared with the answer",
        categories,
        f"models_reference_{own}_{hash(outcome)}",
        help="Odds of each other answer are against this one.",
    )


def _numbers(chosen: list[TextColumn], own: int) -> tuple[list[str], list[str]]:
    """The numbers that are squared too, and those that are taken as categories."""
    numbers = [column for column in chosen if to_numbers(column.values) is not None and len(column.values) > 2]
    if not numbers:
        return [], []
    squares = widgets.several(
        "Squares too",
        [column.name for column in numbers],
        f"models_squares_{own}",
        help="For an effect that rises and falls, as of age.",
    )
    few = [column.name for column in numbers if len(column.values) <= MAX_MODEL_LEVELS]
    categories = widgets.several(
        "Numbers that are categories", few, f"models_categories_{own}", help="Each value then has an effect of its own."
    )
    return squares, categories
