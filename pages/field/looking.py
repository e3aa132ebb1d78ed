"""One look at a survey: what its answers say so far, how many there are, and when they will be enough. Drawn anew every few seconds."""

import datetime as dt
from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.field.opening import OpenSurvey
from pages.shared import widgets
from rrcore import plots
from rrcore.errors import InputError
from rrcore.limits import MAX_PEOPLE
from rrcore.receiver.field import SurveySoFar, Watched
from rrcore.wording import count_text, counted, date_text, meaning

_PAUSED = "It is paused: whoever opens the form is asked to come back later."


@widgets.complaining
def show(opened: OpenSurvey, before: SurveySoFar, answer: Callable[[str], None]) -> None:
    """Controls at the left, the figure at the right, everything else below; ``before`` is the survey as the rest of the page shows it."""
    survey = opened.look()
    if (survey.closed, survey.n > 0) != (before.closed, before.n > 0):
        st.rerun()
    if not survey.n:
        answer(widgets.plain(_waiting(survey)))
        if survey.closed is None:
            answering = _PAUSED if survey.paused else "People answer at the form's address while its server runs."
            st.info(
                f"{answering} This page looks by itself every few seconds: the first answer will show here.",
                icon=":material/hourglass_empty:",
            )
        return
    left, right = st.columns([1, 3], gap="large")
    with left:
        name, category, wanted = _choose(survey)
        if survey.closed is None and opened.invented is None:
            st.button("Look again", icon=":material/refresh:", help="The page also looks by itself every few seconds.")
    with right:
        try:
            watched = survey.watch([name])
        except InputError as error:
            widgets.complain(error)
            return
        today = max(dt.date.today(), watched.days[-1])  # the server may be where tomorrow has begun
        answer(widgets.plain(survey.sentence(watched, (category,), wanted, today)))
        _alert(opened, survey, watched, wanted)
        _figure(watched, category)
        _numbers(survey, watched, wanted, today)


def _waiting(survey: SurveySoFar) -> str:
    opened = sum(survey.opened.values())
    if survey.closed is not None:
        return f"“{survey.title}” was closed on {date_text(survey.closed)} without an answer."
    forms = f"; {counted(opened, 'form was', 'forms were')} opened" if opened else ""
    return f"“{survey.title}” is {'paused' if survey.paused else 'open'}, and no answer has arrived yet{forms}."


def _choose(survey: SurveySoFar) -> tuple[str, int, float]:
    """The question, the answer whose share is drawn, and the precision that is wanted."""
    schema = survey.mechanism.schema
    name = widgets.select("Question", schema.names, f"field_question_{hash(schema.names)}", help=meaning("question"))
    if survey.questions.get(name, name) != name:
        widgets.caption(survey.questions[name])
    (attribute,) = schema.select([name]).attributes
    category = widgets.select(
        "Share of those whose true answer is",
        dict(enumerate(attribute.categories)),
        f"field_category_{hash((name, attribute.categories))}",
        at=attribute.size - 1 if attribute.size == 2 else 0,
    )
    wanted = widgets.number(
        "Precision wanted (points)",
        "field_wanted",
        3.0,
        (0.1, 50.0),
        step=0.5,
        help="The intervals of all answers to this question shall reach at most this far to each side.",
    )
    return name, category, wanted / 100


def _figure(watched: Watched, category: int) -> None:
    (attribute,) = watched.schema.attributes
    text = f"{attribute.name}: {attribute.categories[category]}"
    interval = watched.low[category], watched.high[category]
    figure = plots.field_shares_figure(watched.days, watched.n, watched.shown[category], interval, widgets.palette(), name=text)
    widgets.figure(figure, "field-share", alt=f"Share of {text} over the days, with its interval")
    if watched.changed:
        widgets.warn(
            "The intervals of earlier and of later days contradict each other: people who answer now are not like those who answered "
            "first. The estimate is a mean over both."
        )


def _numbers(survey: SurveySoFar, watched: Watched, wanted: float, today: dt.date) -> None:
    """Forecast, numbers of answers and forms, every share."""
    if survey.closed is None:
        widgets.caption(f"For ± {100 * wanted:g} points: {survey.forecast(watched, wanted, today).sentence()}")
    text, opened = f"**{counted(survey.n, 'answer', 'answers')}**", sum(survey.opened.values())
    if survey.closed is None:
        text += f", {count_text(survey.arrived.get(today, 0))} of them today"
    if opened:
        text += f"; {counted(opened, 'form', 'forms')} opened, {count_text(survey.unfinished)} of them not sent"
    st.markdown(text)
    if survey.paused:
        st.caption(_PAUSED)
    widgets.details("Answers by day", "field_days", partial(_days, survey), icon="bar_chart")
    widgets.details("Quotas by group", "field_quotas", partial(_quotas, survey, watched), icon="groups")
    if len(survey.mechanism.schema.names) > 1:
        widgets.details("All questions at once", "field_together", partial(_together, survey), icon="checklist")
    widgets.details("In numbers, and why they stay valid", "field_shares", partial(_shares, watched), icon="table")


def _alert(opened: OpenSurvey, survey: SurveySoFar, watched: Watched, wanted: float) -> None:
    """Say that the wanted precision is there, and once more where it will be seen in a corner, as soon as it is."""
    reached = survey.closed is None and watched.error <= wanted
    if reached:
        st.success(
            f"The precision that you want is reached: ± {100 * wanted:g} points. The survey can be closed, or go on.",
            icon=":material/flag:",
        )
    about = (watched.schema.names, wanted)
    if reached and opened.waited_for == about:
        st.toast(f"± {100 * wanted:g} points are reached.", icon=":material/flag:", duration="infinite")
    opened.waited_for = () if reached else about


def _quotas(survey: SurveySoFar, watched: Watched) -> None:
    """How many of each group are wanted, and how many there are, as far as that can be known."""
    (attribute,) = watched.schema.attributes
    wanted = widgets.number("Answers wanted of each group", "field_quota", 100, (1, MAX_PEOPLE), step=50)
    found = [watched.people((i,)) for i in range(attribute.size)]
    widgets.table(
        {
            "Group": list(attribute.categories),
            "So far, about": [count_text(about) for about, _, _ in found],
            "At least, at most": [f"{count_text(low)} to {count_text(high)}" for _, low, high in found],
            "Quota": [
                "reached" if low >= wanted else "not reached" if high < wanted else "not certain" for _, low, high in found
            ],
        }
    )
    st.caption("Nobody is counted: each answer was randomised, so that how many are in a group is an estimate with its interval.")
    for name, people in survey.groups.items():
        widgets.caption(f"{name} was asked without chance, so that people are counted:")
        told = {"Group": list(people), "So far": [count_text(n) for n in people.values()]}
        widgets.table(told | {"Quota": ["reached" if n >= wanted else "not reached" for n in people.values()]})


def _days(survey: SurveySoFar) -> None:
    figure = plots.field_arrivals_figure(survey.days, survey.arrived, survey.opened, widgets.palette())
    widgets.figure(figure, "field-days", alt="Answers and opened forms by day")
    st.caption(
        "Of forms that were opened only the number is known. Who opens one and sends nothing has stopped half-way, is not finished yet, or "
        "only had a look."
    )


def _together(survey: SurveySoFar) -> None:
    """Every question's shares, with intervals that hold all at once."""
    names: list[str] = []
    lost: list[str] = []
    for i, name in enumerate(survey.mechanism.schema.names):
        (lost if survey.mechanism.marginal_channel((i,)).lost() else names).append(name)
    if not names:
        st.caption("No question can be read: the mechanism erases all of them.")
        return
    found = survey.watch_together([[name] for name in names])
    rows = [
        {"Question": name, "Answer": category, "Share (all at once, at every look)": watched.share_text((i,))}
        for name, watched in zip(names, found.each, strict=True)
        for i, category in enumerate(watched.schema.attributes[0].categories)
    ]
    widgets.table(rows)
    st.caption(found.sentence)
    if lost:
        widgets.caption(f"Not read, since the mechanism erases them: {', '.join(lost)}.")


def _shares(watched: Watched) -> None:
    (attribute,) = watched.schema.attributes
    widgets.table(
        {
            "Answer": list(attribute.categories),
            "Share (95 %, valid at every look)": [watched.share_text((i,)) for i in range(attribute.size)],
        }
    )
    st.caption(
        "An interval for one look misses too often if one looks again and again and stops at a convenient moment. These are confidence "
        f"sequences instead. {meaning('confidence sequence')} They are about 1.7 times as wide as intervals for one look. Each share has "
        "its own: that any share of a question leaves its intervals happens more often, in 9 of 100 surveys where there are six answers. Who "
        "answers late is taken to be like who answers early."
    )
