"""Which regression: its outcome, its predictors, and what is rarely changed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import streamlit as st

from pages.shared import state, widgets
from rrcore.answers import Answers
from rrcore.estimate.models import FAMILIES, Family, ModelProposal, Penalty, Term, propose
from rrcore.limits import MAX_MODEL_LEVELS
from rrcore.table import TextColumn, recodes_as_identifier, to_numbers

MERGE, PENALTY = "models_merge", "models_penalty"
"""Keys of the widgets that a press beside a complaint sets."""

_PENALTIES: dict[Penalty, str] = {"": "None", "ridge": "Weak: log odds drawn towards 0"}
_PENALTY_HELP = (
    "Where answers are few or separate the outcome completely, an effect has no finite estimate. A weak penalty draws all effects a little "
    "towards none, and then each has one."
)
_FEW = 20  # values of numbers that may also be the categories of an outcome


@dataclass(frozen=True)
class Choice:
    """A regression as it was chosen."""

    outcome: str
    predictors: tuple[Term, ...]
    family: Family
    reference: str
    penalty: Penalty = ""
    merge: bool = False
    random: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Outcome and predictors, as far as they can have categories that are merged."""
        own = {term.column: term for term in self.predictors if term.by is None}
        return (self.outcome, *(name for name, term in own.items() if term.power == 1))


def choose(work: state.Work, answers: Answers) -> Choice | None:
    """The controls; None while no predictor is chosen or there is none."""
    drawn = (answers.columns.weights, answers.columns.clusters)  # what says how people were drawn says nothing about them
    replicates = answers.columns.replicates
    columns = {
        column.name: column
        for column in answers.groupings
        if column.name not in drawn and not (replicates and column.name.startswith(replicates)) and _usable(column)
    }
    names = [*answers.schema.names, *columns]
    own = hash((answers.schema.names, tuple(each.name for each in answers.groupings)))  # whatever says how people were drawn
    if len(names) < 2:
        st.info(
            "A regression needs a predictor, and these answers have one column only. Put columns that were not randomised, such as age or "
            "region, into the same file.",
            icon=":material/info:",
        )
        return None
    at = _proposed(work, answers, names, "").outcome
    outcome = widgets.select("Outcome", names, f"models_outcome_{own}", at=at, help="What is to be explained.")
    proposal = _proposed(work, answers, names, outcome)
    others = [name for name in names if name != outcome]
    predictors = widgets.several(
        "Predictors",
        others,
        f"models_predictors_{own}_{hash(outcome)}",
        at=proposal.predictors,
        help="What goes with it. Randomised attributes and other columns alike: each effect is what is left when all others are equal.",
    )
    if set(predictors) == set(proposal.predictors) and proposal.sentence:
        widgets.caption(proposal.sentence)
    with st.expander("More", icon=":material/tune:"):
        family = _family(outcome, answers, columns, own)
        reference = _reference(outcome, answers, columns, family, own)
        squares, categories = _numbers([columns[name] for name in predictors if name in columns], own)
        interactions = _interactions(predictors, own)
        merge = widgets.checkbox(
            "Merge rare categories", MERGE, help="Categories that few people have are taken as one, which is then said."
        )
        random = _random(answers, [outcome, *predictors], own) if family == "logistic" else ""
        penalty = widgets.select("Penalty", _PENALTIES, PENALTY, help=_PENALTY_HELP) if family == "logistic" else ""
    if not predictors:
        st.info("Choose at least one predictor.", icon=":material/playlist_add:")
        return None
    terms = [Term(name, categories=name in categories) for name in predictors]
    terms += [Term(name, power=2) for name in predictors if name in squares and name not in categories]
    by_name = {term.column: term for term in terms if term.power == 1}
    terms += [replace(by_name[a], by=by_name[b]) for a, b in interactions]
    return Choice(outcome, tuple(terms), family, reference, penalty, merge, random)


def _random(answers: Answers, used: Sequence[str], own: int) -> str:
    """The column whose groups have intercepts of their own, if any."""
    groups = [
        column.name
        for column in answers.groupings
        if column.name not in used and 1 < int((column.counts > 0).sum()) <= len(column.codes) // 2
    ]
    if not groups:
        return ""
    return widgets.select(
        "Random intercepts by",
        {"": "(none)"} | {name: name for name in groups},
        f"models_random_{own}_{hash(tuple(groups))}",
        help="People of one village or school resemble each other: each group gets an intercept of its own, and how much these differ is "
        "estimated.",
    )


def _proposed(work: state.Work, answers: Answers, names: Sequence[str], outcome: str) -> ModelProposal:
    key = (id(answers), tuple(names), outcome)
    return work.remember(f"models_proposal_{bool(outcome)}", key, partial(propose, answers, names, outcome=outcome))


def _interactions(predictors: Sequence[str], own: int) -> list[tuple[str, str]]:
    """The pairs of predictors of which one changes what the other does."""
    if len(predictors) < 2:
        return []
    pairs = {pair: " × ".join(pair) for pair in combinations(predictors, 2)}
    return widgets.several(
        "Interactions",
        pairs,
        f"models_interactions_{own}_{hash(tuple(predictors))}",
        help="The effect of one may differ by the other.",
    )


def _usable(column: TextColumn) -> bool:
    """Whether a column varies, names nobody, and is of numbers or of few categories."""
    held = int((column.counts > 0).sum())
    return held > 1 and not recodes_as_identifier(column) and (held <= MAX_MODEL_LEVELS or to_numbers(column.values) is not None)


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
    chosen = widgets.select(
        "Compared with the answer",
        categories,
        f"models_reference_{own}_{hash(outcome)}",
        help="Odds of each other answer are against this one.",
    )
    return "" if chosen == categories[0] else chosen


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
