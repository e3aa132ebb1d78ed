"""One look at a survey: how many answers there are, and the estimates so far. Drawn again every 10 seconds."""

import datetime as dt
from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.shared import widgets
from pages.survey.opening import OpenSurvey
from rrcore import plots
from rrcore.errors import InputError
from rrcore.receiver.monitoring import SurveySoFar, Watched
from rrcore.wording import count_text, counted, date_text


@widgets.complaining
def show(opened: OpenSurvey, before: SurveySoFar, answer: Callable[[str], None]) -> None:
    """Show headline, estimates and figure. The rest of the page shows the survey as of ``before``."""
    survey = opened.look()
    if (survey.closed, survey.n > 0) != (before.closed, before.n > 0):
        st.rerun()
    answer(widgets.plain(_progress(survey)))
    if not survey.n:
        if survey.closed is None:
            st.caption("This page refreshes every 10 seconds. It shows estimates after the first answer.")
        return
    with widgets.card("Estimates so far", hint="These intervals hold at every look, so you can stop the survey at any time."):
        name = widgets.select("Question", survey.mechanism.schema.names, f"field_question_{hash(survey.mechanism.schema.names)}")
        if survey.questions.get(name, name) != name:
            widgets.caption(survey.questions[name])
        try:
            watched = survey.watch([name])
        except InputError as error:
            widgets.complain(error)
            return
        left, right = st.columns([2, 3])
        with left:
            category = _shares(watched)
        with right:
            _figure(watched, category)
        widgets.details("Answers by day", "field_days", partial(_days, survey), icon="bar_chart")


def _progress(survey: SurveySoFar) -> str:
    """Say how many answers there are, and whether more can come."""
    today = survey.arrived.get(dt.date.today(), 0)
    text = f"“{survey.title}” has {counted(survey.n, 'answer', 'answers')}"
    if survey.closed is not None:
        return f"{text}. It was closed on {date_text(survey.closed)}."
    opened = f" {counted(survey.unfinished, 'opened form was', 'opened forms were')} not sent." if survey.unfinished else ""
    paused = " The survey is paused." if survey.paused else ""
    return f"{text}{f', {count_text(today)} of them today' if survey.n else ' so far'}.{opened}{paused}"


def _shares(watched: Watched) -> int:
    """Show every share of the question with its interval. Return the answer that the figure shows."""
    (attribute,) = watched.schema.attributes
    category = widgets.select(
        "Answer in the figure",
        dict(enumerate(attribute.categories)),
        f"field_category_{hash((attribute.name, attribute.categories))}",
        at=attribute.size - 1 if attribute.size == 2 else 0,
    )
    shares = [watched.share_text((i,)) for i in range(attribute.size)]
    widgets.table({"Answer": list(attribute.categories), "Share (95% CI)": shares})
    return category


def _figure(watched: Watched, category: int) -> None:
    (attribute,) = watched.schema.attributes
    text = f"{attribute.name}: {attribute.categories[category]}"
    interval = watched.low[category], watched.high[category]
    figure = plots.field_shares_figure(watched.days, watched.n, watched.shown[category], interval, widgets.palette(), name=text)
    widgets.figure(figure, "field-share", alt=f"Share of {text} over the days, with its interval")
    if watched.changed:
        widgets.warn("Recent answers differ from earlier ones. The estimate averages both.")


def _days(survey: SurveySoFar) -> None:
    figure = plots.field_arrivals_figure(survey.days, survey.arrived, survey.opened, widgets.palette())
    widgets.figure(figure, "field-days", alt="Number of answers and of opened forms per day")
