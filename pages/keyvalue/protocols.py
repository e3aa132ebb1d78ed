"""One protocol looked at closely, and all of them against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import jobs, state, widgets
from rrcore import plots
from rrcore.keyvalue import CASES, PROTOCOLS, Errors, KeyValueData, Protocol, error_curve, invented, make_protocol
from rrcore.progress import Report
from rrcore.wording import percent, points, total

TITLES = {key: title for key, (title, _) in PROTOCOLS.items()}
EPS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
REPEATS = 10
_JOB = "ratings_curves"


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
    key = st.selectbox(
        "Protocol",
        format_func=TITLES.get,
        **state.keep_choice("ratings_protocol", list(PROTOCOLS), "kvue"),
        help="Every user picks one key at random and reports about it. The protocols differ in how the report is randomised and read.",
    )
    eps = st.number_input(
        "Level (nats)",
        min_value=0.05,
        max_value=10.0,
        step=0.5,
        **state.keep("ratings_eps", 1.0),
        help="A user's report shifts anyone's odds about it by at most e^level.",
    )
    split, rounds, default = 0.5, 10, 1.0
    if key in ("privkv", "privkv-a", "privkvm", "f2m"):
        split = st.slider("Share of the level for the key", 0.1, 0.9, step=0.05, **state.keep("ratings_split", 0.5))
    if key == "privkvm":
        rounds = int(st.number_input("Rounds", min_value=1, max_value=50, **state.keep("ratings_rounds", 10)))
    if key == "f2m":
        default = st.slider(
            "Default value",
            -1.0,
            1.0,
            step=0.1,
            **state.keep("ratings_default", 1.0),
            help="What users without the key start from.",
        )
    return Options(key, float(eps), float(split), rounds, float(default))


def each_key(work: state.Work, data: KeyValueData, options: Options) -> None:
    """Estimates of every key against the truth."""
    protocol = options.make(options.key, options.eps)
    found = work.remember(
        "ratings_found",
        (id(data), options, work.seed),
        lambda: protocol.estimate(protocol.simulate(data, rng=np.random.default_rng((work.seed, 12)))),
    )
    st.markdown(
        f"**{TITLES[options.key]}**: exact level {total(protocol.exact_level)} nats, {protocol.bits(data.d):.1f} bits a user"
        + (
            ""
            if abs(protocol.bits(data.d) - protocol.published_bits(data.d)) < 1e-9
            else f" (the paper's table says {protocol.published_bits(data.d):.1f})"
        )
        + "."
    )
    if protocol.exact_level < options.eps - 1e-6:
        st.caption(
            "The exact level is below the one asked for: users without the key report a value that says nothing, so the two parts of the "
            "level do not add up in full. The paper counts them in full."
        )
    frequency, mean = float(np.mean(data.frequency)), float(np.nanmean(data.mean))
    bias = protocol.expected(frequency, mean)[1] - mean
    if abs(bias) > 0.01:
        st.warning(
            f"This estimator is biased: with endless reports, a key that {percent(frequency)} of the users have with mean {mean:.2f} would "
            f"be given a mean of {mean + bias:.2f}.",
            icon=":material/warning:",
        )
    palette = widgets.palette()
    widgets.figure(
        plots.keys_figure(data.keys, data.frequency, found, "frequency", palette), "key-frequencies", alt="Frequency of each key"
    )
    widgets.figure(plots.keys_figure(data.keys, data.mean, found, "mean", palette), "key-means", alt="Mean of each key")
    rows = {
        "Key": list(data.keys),
        "Reports": found.reports,
        "True frequency": [percent(value) for value in data.frequency],
        "Estimate": [f"{percent(v)} ± {points(1.96 * e)}" for v, e in zip(found.frequency, found.frequency_error, strict=True)],
        "True mean": [f"{value:.3f}" for value in data.mean],
        "Estimate ": [_mean(v, e) for v, e in zip(found.mean, found.mean_error, strict=True)],
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True)
    bound = protocol.bound(data.n / data.d, frequency)
    exact = float(np.median(found.mean_error))
    st.caption(
        "Intervals of 95 %, by the delta method for the mean. "
        + (
            f"The paper's bound for a key of {percent(frequency)}: {points(bound[0])} for the frequency, {bound[1]:.3f} for the mean, with "
            f"probability at least 90 %; exact: ± {points(1.96 * float(np.median(found.frequency_error)))} and ± {1.96 * exact:.3f} (95 %)."
            if bound is not None
            else "The paper gives no bound for this protocol."
        )
    )


def _mean(value: float, error: float) -> str:
    if not np.isfinite(value) or not np.isfinite(error):
        return "too few reports"
    return f"{value:.3f} ± {1.96 * error:.3f}" + (" (outside -1 to 1)" if abs(value) > 1 else "")


def against_level(work: state.Work, data: KeyValueData, options: Options) -> None:
    """Errors of all protocols against the level."""
    todo = [(key, eps, options.make(key, eps)) for eps in EPS for key in PROTOCOLS]
    rng = np.random.default_rng((work.seed, 13))
    _stream(
        ("level", id(data), options.split, options.rounds, options.default, work.seed),
        lambda report: error_curve(data, todo, REPEATS, rng=rng, report=report),
        axis="level (nats)",
        button="Measure all protocols",
    )


def by_case(work: state.Work, options: Options) -> None:
    """Errors for rare and frequent keys, low and high means (section VI-B)."""
    names = list(CASES)

    def run(report: Report) -> Iterator[tuple[str, float, Errors]]:
        for number, name in enumerate(names):
            frequency, mean = CASES[name]
            rng = np.random.default_rng((work.seed, 14, number))
            made = invented(100_000, 10, frequency=frequency, mean=mean, spread=0.1, rng=rng)
            todo = [(key, float(number), options.make(key, options.eps)) for key in PROTOCOLS]
            yield from error_curve(made, todo, REPEATS, rng=rng, report=_part(report, number, len(names), name))

    st.markdown(f"Generated sets of 100,000 users and 10 keys at a level of {total(options.eps)} nats.")
    key = ("case", options.eps, options.split, options.rounds, options.default, work.seed)
    _stream(key, run, axis="", button="Measure all kinds of keys", ticks=names)


def f2m_default(work: state.Work, data: KeyValueData, options: Options) -> None:
    """F2M's error against its default value (section VI-C)."""
    todo = [("f2m", value, options.make("f2m", options.eps, default=value)) for value in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    rng = np.random.default_rng((work.seed, 15))
    _stream(
        ("default", id(data), options.eps, options.split, work.seed),
        lambda report: error_curve(data, todo, 3 * REPEATS, rng=rng, report=report),
        axis="default value of F2M",
        button="Measure F2M",
    )


def _part(report: Report, number: int, parts: int, name: str) -> Report:
    return lambda fraction, text: report((number + fraction) / parts, f"{name}: {text}")


def _stream(key: tuple, run, *, axis: str, button: str, ticks: Sequence[str] | None = None) -> None:
    """Start, follow and draw a measurement."""
    stream = jobs.follow(_JOB)
    mine = stream is not None and stream.about == key
    if not mine or (stream is not None and stream.stopped):
        st.button(button, icon=":material/play_arrow:", on_click=jobs.stream, args=(_JOB, key, run))
    if stream is None or not mine:
        st.caption(f"Each point: the median of {REPEATS} or more simulated collections, with 10 % and 90 % of them.")
        return
    if stream.running:
        _watch()
    elif stream.error is not None:
        widgets.complain(stream.error)
    curves: dict[str, list[tuple[float, Errors]]] = {}
    for name, where, errors in list(stream.pieces):
        curves.setdefault(name, []).append((where, errors))
    if not curves:
        return
    for what in ("frequency", "mean"):
        figure = plots.protocol_errors_figure(curves, TITLES, what, widgets.palette(), axis=axis, ticks=ticks)
        widgets.figure(figure, f"errors-{what}", alt=f"Error of the {what} by protocol")
    best = {what: _lowest(curves, what) for what in ("frequency", "mean")}
    st.caption(
        f"Lowest error at most points: {TITLES[best['frequency']]} for the frequency, {TITLES[best['mean']]} for the mean."
    )


def _lowest(curves: dict[str, list[tuple[float, Errors]]], what: str) -> str:
    """The protocol that is lowest at most points."""
    wins = dict.fromkeys(curves, 0)
    for where in {where for points_ in curves.values() for where, _ in points_}:
        at = {name: dict(points_)[where].band(what)[1] for name, points_ in curves.items() if where in dict(points_)}
        wins[min(at, key=at.__getitem__)] += 1
    return max(wins, key=wins.__getitem__)


@st.fragment(run_every=0.5)
def _watch() -> None:
    stream = jobs.follow(_JOB)
    if stream is None or not stream.running:
        st.rerun()
    st.progress(min(1.0, max(0.0, stream.job.fraction)), text=f"{stream.job.text or 'At work'} ...")
    if st.button("Stop", key="stop_ratings", icon=":material/stop:"):
        jobs.stop(_JOB)
        st.rerun()
