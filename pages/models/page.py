"""Models: regressions whose outcome or predictors were randomised, from collected answers."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from pages.models import results
from pages.models.choice import MERGE, PENALTY, Choice, choose
from pages.shared import documents, state, widgets
from pages.shared.answers import sample, upload
from rrcore.answers import Answers, nigeria
from rrcore.errors import InputError
from rrcore.estimate.models import (
    Fit,
    NoHighestPointError,
    TooManyCombinationsError,
    fit,
    headline,
    merged_note,
    rare_categories,
    read_covariates,
)
from rrcore.report import model_steps

SECTIONS = {"numbers": "In numbers", "averages": "Average predictions", "tests": "Tests", "correlations": "Correlations"}


def options(work: state.Work, answers: Answers, chosen: Choice) -> dict[str, Any]:
    """What the regression is fitted with, beside outcome and predictors."""
    return {
        "family": chosen.family,
        "reference": chosen.reference,
        "penalty": chosen.penalty,
        "random": chosen.random,
        "merge": _rare(work, answers, chosen) if chosen.merge else {},
    }


def fitted(work: state.Work, answers: Answers, chosen: Choice) -> Fit | None:
    """The regression; None where it cannot be fitted, which is then said."""
    run = partial(fit, answers, chosen.outcome, chosen.predictors, **options(work, answers, chosen))
    try:
        with st.spinner("Fitting the regression..."):
            return work.remember("models_fit", (id(answers), chosen), run)
    except InputError as error:
        widgets.complain(error)
        _offer(error, chosen, _rare(work, answers, chosen))
        return None


def _rare(work: state.Work, answers: Answers, chosen: Choice) -> dict[str, tuple[str, ...]]:
    def found() -> dict[str, tuple[str, ...]]:
        return rare_categories(answers, read_covariates(answers.groupings, answers.n), chosen.names)

    return work.remember("models_rare", (id(answers), chosen.names), found)


def _offer(error: InputError, chosen: Choice, merge: Mapping[str, Sequence[str]]) -> None:
    """What may make the regression fit, one press each, and what that would do."""
    if isinstance(error, (TooManyCombinationsError, NoHighestPointError)) and merge and not chosen.merge:
        st.button("Merge rare categories", icon=":material/merge:", on_click=partial(_press, MERGE, True))
        for sentence in merged_note(merge):
            widgets.caption(sentence.replace("Taken", "To be taken"))
    if isinstance(error, NoHighestPointError) and chosen.family == "logistic" and not chosen.penalty:
        st.button("Fit with a weak penalty", icon=":material/compress:", on_click=partial(_press, PENALTY, "ridge"))


def _press(key: str, value: object) -> None:
    st.session_state[key] = value


work = state.current()
answer = widgets.header("Models", "What goes with an answer, all else equal, when each answer may be a lie?")

left, right, collected = upload.beside(work)
with left:
    answers = sample.choose(work, collected)
    chosen = choose(work, answers)
if chosen is None:
    st.stop()
with right:
    upload.warn(work, answers)
    found = fitted(work, answers, chosen)
    if found is None:
        st.stop()
    answer(widgets.plain(headline(found)))
    results.figure(found)
    if answers.sample is not None:
        widgets.caption(f"The sample: {answers.sample.words()}. Effects and their intervals are by it.")
    for note in found.notes:
        widgets.caption(note)

section = widgets.section("Look at", SECTIONS, "models_section")
try:
    if section == "numbers":
        results.numbers(found)
    elif section == "averages":
        results.averages(found, answers)
    elif section == "tests":
        results.tests(work, found)
    else:
        results.correlated(work, answers, chosen.names)
except InputError as error:  # a test fits the regression without the predictor, and that one may have no highest point
    widgets.complain(error)
st.divider()
csv = partial(found.to_csv, mark=answers.mark)
widgets.download("Coefficients (CSV)", csv, "coefficients.csv", type="tertiary", icon=":material/table:")
survey = answers.mechanism.sha256 == nigeria().mechanism.sha256
code = partial(
    model_steps,
    answers.mechanism,
    chosen.outcome,
    chosen.predictors,
    survey=survey,
    columns=answers.columns,
    **options(work, answers, chosen),
)
documents.model(work, answers, found, code)
