"""A conditional question in words, answered in every way at equal level."""

import math
from functools import partial

import streamlit as st

from pages.shared import jobs, state, widgets
from rrcore import plots
from rrcore.errors import InputError
from rrcore.estimate import margin
from rrcore.limits import MAX_INDEX_KEYS, USELESS_MARGIN
from rrcore.research.keyvalue import WAYS, Answer, Collection, ConditionalQuestion, KeyValueData, collect_every_way, true_answer
from rrcore.wording import Quantity, amount_range_text, count_text, legible, minus, percent, total_text

_AT_FIRST = 12  # keys collected together before a number is chosen


def ask(work: state.Work, data: KeyValueData, eps: float) -> None:
    """Builder, answers and what each way costs."""
    if data.d < 2:
        st.info("A condition needs a second key: choose data with at least two keys.", icon=":material/info:")
        return
    together = widgets.number(
        "Keys that are collected together",
        f"keyvalue_together_{hash(data.keys)}",
        min(_AT_FIRST, data.d),
        (2, data.d),
        help="Of the keys in the order of the data so many. Every user reports about all of them, so the more keys there are, the less is "
        "told about each.",
    )
    if together < data.d:
        data = work.remember("keyvalue_first", (id(data), together), lambda: data.select(data.keys[:together]))
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    key = left.selectbox(
        "How often, and how highly, do users rate", data.keys, format_func=legible, key=f"keyvalue_ask_{hash(data.keys)}"
    )
    others = [name for name in data.keys if name != key]
    having = widgets.several(
        "who rated", others, f"keyvalue_having_{hash((data.keys, key))}", at=others[:1], most=3, where=middle
    )
    lacking = right.multiselect(
        "and did not rate",
        [name for name in others if name not in having],
        format_func=legible,
        key=f"keyvalue_lacking_{hash(data.keys)}",
        max_selections=3,
    )
    places = {name: i for i, name in enumerate(data.keys)}
    question = ConditionalQuestion(places[key], {places[n]: True for n in having} | {places[n]: False for n in lacking})
    collections = _collected(work, data, eps)
    if collections is None:
        return
    truth = true_answer(data, question)
    texts = [f"rated {' and '.join(having)}"] * bool(having) + [f"did not rate {' or '.join(lacking)}"] * bool(lacking)
    st.markdown(
        widgets.plain(f"Of the users who {' and '.join(texts) or 'are in the data'}, {percent(truth.frequency)} rated {key}")
        + (f", {minus(f'{truth.mean:.2f}')} on average." if not math.isnan(truth.mean) else ".")
    )
    answers: dict[str, Answer] = {}
    rows = [_row(title, collections[way], question, answers) for way, title in WAYS.items()]
    telling = {title: answer for title, answer in answers.items() if float(margin(answer.frequency_error)) <= USELESS_MARGIN}
    for what, told in {"frequency": telling, "mean": answers}.items():
        figure = plots.keyvalue_answers_figure(told, truth, what, widgets.palette())
        widgets.figure(figure, f"answer-{what}", alt=f"Conditional {what} in every way", truth=True)
    widgets.table(rows)
    st.caption(
        f"Every user reports about all {data.d} keys and spends {total_text(eps)} nats on the whole record, in every way. IOH sends one bit "
        f"for each of the 3^{data.d} combinations, so it stops at {MAX_INDEX_KEYS} keys. The other ways treat 'rated low', 'not rated' and "
        "'rated high' as the three answers to a question: independent lies, coupled lies that keep pairs, or lies designed for pairs. "
        "Questions about three or more keys may be erased by the last two, which is then said. Intervals are for these users."
    )


def _row(title: str, found: Collection | InputError, question: ConditionalQuestion, answers: dict[str, Answer]) -> dict[str, str]:
    """One way to answer the question, in texts; its answer is put among ``answers``, where it has one."""
    row = {"Way": title, "Share": "", "Mean": "", "Bits per user": "", "Note": ""}
    try:
        if isinstance(found, InputError):
            raise found
        answer = found.answer(question)
    except InputError as error:
        return row | {"Note": str(error)}
    answers[title], half, few = answer, float(margin(answer.frequency_error)), "too few to tell"
    share, mean, other = answer.frequency, answer.mean, float(margin(answer.mean_error))
    row["Share"] = (
        Quantity("share", title, "these people").estimated(share, share - half, share + half) if half <= USELESS_MARGIN else few
    )
    row["Mean"] = few if math.isnan(mean) else amount_range_text(mean, mean - other, mean + other)
    return row | {"Bits per user": f"{found.bits:,.0f}"}


def _collected(work: state.Work, data: KeyValueData, eps: float) -> dict[str, Collection | InputError] | None:
    rngs = [work.rng("conditional ratings", number) for number in range(len(WAYS))]
    collect, key = partial(collect_every_way, data, eps, rngs=rngs), (id(data), eps, work.wishes.seed)
    found: dict[str, Collection | InputError] | None = jobs.result(
        "keyvalue_collected", key, collect, what=f"Collecting from {count_text(data.n)} users"
    )
    return found
