"""Key-value: how many users have a key, and how highly they rate it, from one randomized report each."""

import math
from functools import partial

import numpy as np
import streamlit as st

from pages.lab import ratings
from pages.shared import jobs, state, widgets
from rrcore import plots
from rrcore.estimate import margin
from rrcore.limits import MAX_DRAWN
from rrcore.papers.keyvalue import (
    PROTOCOLS,
    WAYS,
    ConditionalQuestion,
    Errors,
    KeyEstimates,
    KeyValueData,
    Protocol,
    collect_every_way,
    error_curve,
    largest_bias,
    lowest,
    make_protocol,
    true_answer,
    usual_margins,
)
from rrcore.wording import amount_range_text, amount_text, count_text, eps_text, percent, points

_TITLES = {key: title for key, (title, _) in PROTOCOLS.items()}
_EPS = (0.25, 0.5, 1.0, 2.0, 4.0)
_REPEATS = 10
_ERRORS = {"frequency": "share of a key", "mean": "mean rating"}
_TOGETHER = 8  # keys of a conditional question, which every user reports about
_BIASED = 0.01  # distance of a mean with unlimited reports, on the scale from -1 to 1
_HINT = "Every user reports about one random key. Choose the protocol and its ε, then compare all protocols below."


def show() -> None:
    work = state.current()
    answer = widgets.headline()
    left, right = st.columns([2, 5])
    with left, widgets.card("Protocol", hint=_HINT):
        key = widgets.select("Protocol", _TITLES, "keyvalue_protocol", at="kvue")
        eps = widgets.slider("ε per user", "keyvalue_eps", 1.0, (0.1, 8.0), step=0.1)
        data = ratings.choose(work)
    if data is None:
        return
    protocol = make_protocol(key, eps)
    found = work.remember(
        "keyvalue_found",
        (id(data), key, eps, work.draft.seed),
        lambda: protocol.estimate(protocol.simulate(data, rng=work.rng("ratings"))),
    )
    answer(_sentence(protocol, _TITLES[key], found))
    with right, widgets.card("Share of users with each key"):
        _shares(protocol, data, found)
    with widgets.card("All protocols"):
        _against_epsilon(work, data, eps)
    widgets.details(
        "Ratings among users who rated another key", "keyvalue_question", lambda: _question(work, data, eps), icon="chat"
    )


def _sentence(protocol: Protocol, title: str, found: KeyEstimates) -> str:
    frequency, mean = usual_margins(found)
    spent = f"At ε = {eps_text(protocol.exact_epsilon)} per user, **{title}**"
    if not math.isfinite(frequency):
        return f"{spent} has too few reports for an estimate."
    rated = f" and **{amount_text(mean, 2)}** for its mean rating" if math.isfinite(mean) else ""
    return f"{spent} has a margin of error of **{points(frequency, 'percentage points')}** for the share of a key{rated}."


def _shares(protocol: Protocol, data: KeyValueData, found: KeyEstimates) -> None:
    shares, means = found.result("frequency", data.keys, data.frequency), found.result("mean", data.keys, data.mean)
    figure = plots.result_figure(shares.take(range(min(data.d, MAX_DRAWN))), widgets.palette(), of="Share of users with the key")
    widgets.figure(figure, "key-frequencies", alt="Estimate with 95% interval and truth of each key", truth=True)
    if (off := largest_bias(protocol, data)) > _BIASED:
        widgets.warn(
            f"This estimator is biased. Even with unlimited data, the error of a mean rating can be {amount_text(off, 2)}."
        )
    widgets.table(
        {
            "Key": list(data.keys),
            "True share": [percent(value) for value in data.frequency],
            "Share": ["{} ({})".format(*shares.texts(i)) for i in range(data.d)],
            "True mean": [amount_text(value, 2) for value in data.mean],
            "Mean": ["{} ({})".format(*means.texts(i)) if math.isfinite(means.std_error[i]) else "" for i in range(data.d)],
        }
    )


def _against_epsilon(work: state.Work, data: KeyValueData, eps: float) -> None:
    """Show the errors of all protocols against ε."""
    what = widgets.radio("Error of", _ERRORS, "keyvalue_what", horizontal=True)
    todo = [(key, each, make_protocol(key, each)) for each in _EPS for key in PROTOCOLS]

    def draw(pieces: list[tuple[str, float, Errors]]) -> None:
        if not pieces:
            return
        curves: dict[str, list[tuple[float, Errors]]] = {}
        for name, where, errors in pieces:
            curves.setdefault(name, []).append((where, errors))
        st.markdown(f"**{_TITLES[lowest(curves, what)]}** has the smallest error of the {_ERRORS[what]} at most values of ε.")
        figure = plots.keyvalue_protocols_figure(curves, what, widgets.palette(), here=eps)
        widgets.figure(figure, "protocols", alt=f"Error of the {_ERRORS[what]} against ε by protocol")

    jobs.on_demand(
        "keyvalue_curves",
        (id(data), work.draft.seed),
        partial(error_curve, data, todo, _REPEATS, rng=work.rng("ratings by ε")),
        button="Measure all protocols",
        icon=":material/play_arrow:",
        what="The measurement",
        show=draw,
    )


def _question(work: state.Work, data: KeyValueData, eps: float) -> None:
    """Ask how often, and how highly, users who rated one key rate another one."""
    if data.d < 2:
        st.info("A condition needs a second key. Choose data with at least two keys.", icon=":material/info:")
        return
    together = data.keys[:_TOGETHER]
    left, right = st.columns(2)
    key = widgets.select("Rating of", together, f"keyvalue_ask_{hash(together)}", where=left)
    others = [name for name in together if name != key]
    having = widgets.select("Among users who rated", others, f"keyvalue_having_{hash((together, key))}", where=right)
    some = work.remember("keyvalue_first", (id(data), together), lambda: data.select(together))
    question = ConditionalQuestion(together.index(key), {together.index(having): True})
    rngs = [work.rng("conditional ratings", number) for number in range(len(WAYS))]
    collections = jobs.result(
        "keyvalue_collected",
        (id(data), eps, work.draft.seed),
        partial(collect_every_way, some, eps, rngs=rngs),
        what=f"Collecting from {count_text(data.n)} users",
    )
    if collections is None:
        return
    truth = true_answer(some, question)
    rows = [{"Method": "Truth", "Share": percent(truth.frequency), "Mean": amount_text(truth.mean, 2), "Bits per user": ""}]
    for way, title in WAYS.items():
        found = collections[way]
        if isinstance(found, Exception):
            rows.append({"Method": title, "Share": str(found)})
            continue
        one = found.answer(question)
        half, other = np.asarray(margin(np.array([one.frequency_error, one.mean_error])))
        rows.append(
            {
                "Method": title,
                "Share": f"{percent(one.frequency)} ±{points(half)}" if half < 1 else "too few users",
                "Mean": amount_range_text(one.mean, one.mean - other, one.mean + other) if other < 1 else "too few users",
                "Bits per user": f"{found.bits:,.0f}",
            }
        )
    widgets.table(rows)
    st.caption(
        f"Every method spends ε = {eps_text(eps)} on a user's whole record of {len(together)} keys. All intervals have 95% confidence."
    )
