"""One protocol looked at closely, and all of them against each other."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from pages.shared import jobs, state, widgets
from rrcore import plots
from rrcore.estimate import margin
from rrcore.research.keyvalue import (
    CASES,
    PROTOCOLS,
    Errors,
    KeyEstimates,
    KeyValueData,
    Protocol,
    bias_sentence,
    case_curves,
    error_curve,
    lowest,
    make_protocol,
    typical_key,
    verdict,
)
from rrcore.wording import Quantity, amount_range_text, amount_text, meaning, minus, percent, points, total_text

TITLES = {key: title for key, (title, _) in PROTOCOLS.items()}
EPS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
REPEATS = 10


@dataclass(frozen=True)
class Options:
    """What is chosen about protocols."""

    key: str
    eps: float
    split: float
    rounds: int
    default: float

    def make(self, key: str, eps: float, *, default: float | None = None) -> Protocol:
        """A protocol with these options."""
        value = self.default if default is None else default
        return make_protocol(key, eps, split=self.split, rounds=self.rounds, default=value)


def choose() -> Options:
    """Protocol, level and what it needs."""
    key = widgets.select(
        "Protocol",
        TITLES,
        "keyvalue_protocol",
        at="kvue",
        help="Every user picks one key at random and reports about it. The protocols differ in how the report is randomised and read.",
    )
    eps = widgets.number(
        "Level (nats)",
        "keyvalue_eps",
        1.0,
        (0.05, 10.0),
        step=0.5,
        help=f"{meaning('level')} Here the one answer is the whole report of a user.",
    )
    split, rounds, default = 0.5, 10, 1.0
    if key in ("privkv", "privkv-a", "privkvm", "f2m"):
        split = widgets.slider("Share of the level for the key", "keyvalue_split", 0.5, (0.1, 0.9), step=0.05, format="percent")
    if key == "privkvm":
        rounds = widgets.number("Rounds", "keyvalue_rounds", 10, (1, 50))
    if key == "f2m":
        default = widgets.slider(
            "Default value", "keyvalue_default", 1.0, (-1.0, 1.0), step=0.1, help="What users without the key start from."
        )
    return Options(key, eps, split, rounds, default)


def each_key(work: state.Work, data: KeyValueData, options: Options, answer: Callable[[str], None]) -> None:
    """Estimates of every key against the truth; ``answer`` takes the sentence that sums them up."""
    protocol = options.make(options.key, options.eps)
    found = work.remember(
        "keyvalue_found",
        (id(data), options, work.wishes.seed),
        lambda: protocol.estimate(protocol.simulate(data, rng=work.rng("ratings"))),
    )
    answer(verdict(protocol, TITLES[options.key], data, found))
    if biased := bias_sentence(protocol, data):
        widgets.warn(biased)
    widgets.figure(
        plots.keyvalue_keys_figure(data.keys, data.frequency, found, "frequency", widgets.palette()),
        "key-frequencies",
        alt="Frequency of each key",
        truth=True,
    )
    if note := plots.drawn_note(data.d, "keys that come first"):
        st.caption(note)
    widgets.details(
        "How highly each key is rated, and every number",
        "keyvalue_numbers",
        lambda: _numbers(protocol, options, data, found),
        icon="table_rows",
    )


def _numbers(protocol: Protocol, options: Options, data: KeyValueData, found: KeyEstimates) -> None:
    """Means, every key in numbers, and what the paper says beforehand."""
    figure = plots.keyvalue_keys_figure(data.keys, data.mean, found, "mean", widgets.palette())
    widgets.figure(figure, "key-means", alt="Mean of each key", truth=True)
    rows = {
        "Key": list(data.keys),
        "Reports": found.reports,
        "True frequency": [percent(value) for value in data.frequency],
        "Estimate": [
            Quantity("share", name, "these people").estimated(value, value - half, value + half)
            for name, value, half in zip(data.keys, found.frequency, margin(found.frequency_error), strict=True)
        ],
        "True mean": [minus(f"{value:.3f}") for value in data.mean],
        "Estimate ": [_mean(value, half) for value, half in zip(found.mean, margin(found.mean_error), strict=True)],
    }
    widgets.table(rows, columns={"Reports": st.column_config.NumberColumn(format="localized")})
    bits, published = f"{protocol.bits(data.d):.1f}", f"{protocol.published_bits(data.d):.1f}"
    st.caption(
        f"{TITLES[options.key]}: exact level {total_text(protocol.exact_level)} nats, {bits} bits per user"
        + ("." if bits == published else f" (the paper's table says {published}).")
    )
    if protocol.exact_level < options.eps - 1e-6:
        st.caption(
            "The exact level is below the one asked for: users without the key report a value that says nothing, so the two parts of the "
            "level do not add up in full. The paper counts them in full."
        )
    typical = typical_key(protocol, data, found)
    st.caption(
        "Intervals of 95 %, by the delta method for the mean. "
        + (
            "The paper gives no bound for this protocol."
            if typical.bound is None
            else f"The paper's bound for a key of {percent(typical.frequency)}: {points(typical.bound[0])} for the frequency, "
            f"{amount_text(typical.bound[1], 2)} for the mean, with probability at least 90 %; exact: ± {points(typical.frequency_margin)} "
            f"and ± {amount_text(typical.mean_margin, 2)} (95 %)."
        )
    )


def _mean(value: float, half: float) -> str:
    if not math.isfinite(value) or not math.isfinite(half):
        return "too few reports"
    return amount_range_text(value, value - half, value + half) + (" (outside -1 to 1)" if abs(value) > 1 else "")


def against_level(work: state.Work, data: KeyValueData, options: Options) -> None:
    """Errors of all protocols against the level."""
    todo = [(key, eps, options.make(key, eps)) for eps in EPS for key in PROTOCOLS]
    _measure(
        ("level", id(data), options.split, options.rounds, options.default, work.wishes.seed),
        partial(error_curve, data, todo, REPEATS, rng=work.rng("ratings by level")),
        axis="level (nats)",
        button="Measure all protocols",
    )


def by_case(work: state.Work, options: Options) -> None:
    """Errors for rare and frequent keys, low and high means (section VI-B)."""
    made = {key: options.make(key, options.eps) for key in PROTOCOLS}
    st.markdown(f"Invented sets of 100,000 users and 10 keys at a level of {total_text(options.eps)} nats.")
    _measure(
        ("case", options.eps, options.split, options.rounds, options.default, work.wishes.seed),
        partial(case_curves, made, REPEATS, users=100_000, keys=10, rng=work.rng("ratings by case")),
        axis="",
        button="Measure all kinds of keys",
        ticks=list(CASES),
    )


def f2m_default(work: state.Work, data: KeyValueData, options: Options) -> None:
    """F2M's error against its default value (section VI-C)."""
    todo = [("f2m", value, options.make("f2m", options.eps, default=value)) for value in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    _measure(
        ("default", id(data), options.eps, options.split, work.wishes.seed),
        partial(error_curve, data, todo, 3 * REPEATS, rng=work.rng("ratings by default")),
        axis="default value of F2M",
        button="Measure F2M",
    )


def _measure(about: Hashable, run: Callable[..., Any], *, axis: str, button: str, ticks: Sequence[str] | None = None) -> None:
    """Start, follow and draw a measurement."""

    def draw(pieces: list[tuple[str, float, Errors]]) -> None:
        if not pieces:
            st.caption(f"Each point: the median of {REPEATS} or more simulated collections; bars hold the middle 80 % of them.")
            return
        curves: dict[str, list[tuple[float, Errors]]] = {}
        for name, where, errors in pieces:
            curves.setdefault(name, []).append((where, errors))
        for what in ("frequency", "mean"):
            figure = plots.keyvalue_protocols_figure(curves, TITLES, what, widgets.palette(), axis=axis, ticks=ticks)
            widgets.figure(figure, f"errors-{what}", alt=f"Error of the {what} by protocol")
        st.caption(
            f"Lowest error at most points: {TITLES[lowest(curves, 'frequency')]} for the frequency, {TITLES[lowest(curves, 'mean')]} for "
            "the mean."
        )

    jobs.on_demand("keyvalue_curves", about, run, button=button, icon=":material/play_arrow:", what="The measurement", show=draw)
