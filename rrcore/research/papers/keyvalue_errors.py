"""Key-Value: errors of six protocols by level (Figure 1), by kind of key (Figures 2 to 4), and F2M by its default value (Figure 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.research.keyvalue import PROTOCOLS, Errors, make_protocol
from rrcore.research.keyvalue.data import invented_keys
from rrcore.research.keyvalue.protocol import Protocol
from rrcore.research.keyvalue.study import repeat_errors
from rrcore.research.papers.bibliography import KEYVALUE
from rrcore.research.papers.checks import below, check, falls, flat, lowest, under_printed
from rrcore.research.papers.entry import Axis, Curves, PaperCheck, PaperEntry, Series, Setting

NAMES: Mapping[str, str] = {key: title.partition(" (")[0] for key, (title, _) in PROTOCOLS.items()}
"""Key of ``PROTOCOLS`` -> the paper's name."""

FREQUENCY, MEAN = "frequency", "mean"
_EPS, _USERS, _KEYS = 1.0, 100_000, 100  # section VI; the level of Figures 2 to 4 is not stated
_LEVELS = (0.1, 0.4, 1.0, 2.0, 5.0)
_FREQUENCIES, _MEANS = (0.05, 0.2, 0.6, 0.8), (-0.8, 0.0, 0.8)
_DEFAULTS = (-1.0, -0.5, 0.0, 0.5, 1.0)
_FEW = 10  # keys of the sets of Figures 2 to 5, whose number is not stated


@dataclass(frozen=True, eq=False)
class Keys:
    """Keys of an endless population: frequencies and means, shape (d,) each."""

    frequency: Floats
    mean: Floats

    @classmethod
    def invented(cls, setting: Setting, d: int, *, shape: str = "gaussian", frequency: float, mean: float, spread: float) -> Keys:
        """As in the generated sets of section VI."""
        return cls(*invented_keys(d, shape=shape, frequency=frequency, mean=mean, spread=spread, rng=setting.rng))

    def states(self, users: int, rng: np.random.Generator) -> Integers:
        """How often each key is found in each state when every user picks one key, shape (d, 3): multinomial."""
        up, down = self.frequency * (1 + self.mean) / 2, self.frequency * (1 - self.mean) / 2
        shares = np.stack([down, 1 - self.frequency, up], axis=1) / len(self.mean)
        return np.asarray(rng.multinomial(users, shares.ravel() / shares.sum()).reshape(shares.shape), dtype=np.int64)


def errors(keys: Keys, protocol: Protocol, *, users: int, repeats: int, rng: np.random.Generator) -> Errors:
    """Mean absolute errors over the keys of frequency and mean, one for each of so many collections."""
    truth = keys.frequency, keys.mean
    return repeat_errors(protocol, truth, lambda: keys.states(users, rng), repeats, rng=rng)


def _curve(name: str, panel: str, points: Mapping[float, Errors], what: str) -> Series:
    """Medians with bands of 80 % over the repeats."""
    low, middle, high = zip(*(one.band(what) for one in points.values()), strict=True)
    return Series(name, tuple(points), middle, panel, low=low, high=high)


def by_level(setting: Setting) -> list[Series]:
    """Mean absolute errors over 100 keys of 100,000 users, by level."""
    keys = Keys.invented(setting, _KEYS, frequency=0.5, mean=0.2, spread=0.5)
    made = []
    for key in setting.steps(NAMES, "{}"):
        repeats = setting.repeats(10, 50)
        found = {eps: errors(keys, make_protocol(key, eps), users=_USERS, repeats=repeats, rng=setting.rng) for eps in _LEVELS}
        made += [_curve(NAMES[key], what, found, what) for what in (FREQUENCY, MEAN)]
    return made


def by_frequency(setting: Setting, *, shape: str, whats: Sequence[str], means: Sequence[float] = _MEANS) -> list[Series]:
    """Errors at level 1 over the frequency of the keys, one panel for each middle of the means."""
    made = []
    for mean in means:
        sets = {f: Keys.invented(setting, _FEW, shape=shape, frequency=f, mean=mean, spread=0.1) for f in _FREQUENCIES}
        for key, name in NAMES.items():
            protocol, repeats = make_protocol(key, _EPS), setting.repeats(20, 100)
            found = {f: errors(keys, protocol, users=_USERS, repeats=repeats, rng=setting.rng) for f, keys in sets.items()}
            made += [_curve(name, f"{what}, mean {mean:g}", found, what) for what in whats]
    return made


def by_default(setting: Setting) -> list[Series]:
    """Errors of F2M's mean by its default value, at levels 0.5 and 1, keys with means around 0.2."""
    keys = Keys.invented(setting, _FEW, frequency=0.5, mean=0.2, spread=0.1)
    made = []
    for eps in (0.5, 1.0):
        points = {}
        for default in _DEFAULTS:
            protocol = make_protocol("f2m", eps, default=default)
            points[default] = errors(keys, protocol, users=_USERS, repeats=setting.repeats(300, 1_500), rng=setting.rng)
        made.append(_curve("F2M", f"{MEAN}, epsilon = {eps:g}", points, MEAN))
    return made


_ALL = tuple(NAMES.values())
_SMALL = ("PrivKV", "PrivKV-A", "KVUE", "KVOH")
_SHAPE = "PrivKV, PrivKVM and PrivKV-A"
_FAINT = 0.05  # error that is reached above a level of 0.4, as stated
_ERROR, _F = Axis("mean absolute error over the keys", log=True), Axis("frequency of the keys")


def _mean_panel(mean: float) -> str:
    return f"{MEAN}, mean {mean:g}"


@check
def _better_with_mean(curves: Curves, published: Curves, name: str) -> tuple[bool, str]:
    """At most frequencies the error falls from means around -0.8 over 0 to 0.8."""
    rows = [[curves.get(name, _mean_panel(mean)).at(f) for mean in _MEANS] for f in _FREQUENCIES]
    falling = sum(a > b > c for a, b, c in rows)
    low, middle, high = rows[-2]
    return falling > len(rows) / 2, f"at {falling} of {len(rows)} frequencies; {low:.3g}, {middle:.3g}, {high:.3g} at 0.6"


def _means_are_harder(curves: Curves, published: Curves) -> tuple[bool, str]:
    ratios = [
        (curves.get(name, MEAN).at(eps) / curves.get(name, FREQUENCY).at(eps), f"{name} at {eps:g}")
        for name in _ALL
        for eps in _LEVELS
    ]
    least, where = min(ratios)
    return least > 1, f"{least:.2f} times for {where}, where it is least"


ENTRIES = (
    PaperEntry(
        *KEYVALUE.at("figure-1", "Figure 1", "Errors by level, 100 keys and 100,000 users"),
        claim="KVUE achieves the lowest error at every level; PrivKVM's accumulates, since each round has only a part of the level; "
        "above 0.4 KVOH, KVUE, PrivKV and PrivKV-A achieve an error under 0.05; errors of means are higher than of frequencies. The "
        "real tables of the figure are not at hand: generated sets.",
        axes=(Axis("level", "nats", log=True), _ERROR),
        published=tuple(
            Series(name, (1.0, 2.0, 5.0), (_FAINT,) * 3, what, "section VI-A: under 0.05 above 0.4")
            for name in _SMALL
            for what in (FREQUENCY, MEAN)
        ),
        measure=by_level,
        checks=(
            lowest("KVUE has the lowest error of frequency and mean at every level", "KVUE", _ALL, panels=(FREQUENCY, MEAN)),
            *(
                below(f"PrivKVM's mean is off by at least twice as much as {name}'s", name, "PrivKVM", factor=0.5, panels=(MEAN,))
                for name in ("KVUE", "KVOH")
            ),
            under_printed("from level 1 on the errors of frequencies are under 0.05", _SMALL, panels=(FREQUENCY,)),
            under_printed("from level 1 on the errors of means are under 0.05", _SMALL, panels=(MEAN,)),
            PaperCheck("every protocol's error of means is above that of frequencies at every level", _means_are_harder),
        ),
    ),
    PaperEntry(
        *KEYVALUE.at("figure-2", "Figure 2", "Errors of frequencies by kind of key, Gaussian"),
        claim="Errors of frequencies are not under the influence of frequencies; KVUE achieves the lowest. Level 1; the paper states none.",
        axes=(_F, _ERROR),
        measure=partial(by_frequency, shape="gaussian", whats=(FREQUENCY,)),
        checks=(
            *(flat(f"{name}'s error changes by less than half", name, factor=1.5) for name in ("PrivKV", "F2M", "KVUE", "KVOH")),
            lowest(
                "KVUE has the lowest error everywhere", "KVUE", _ALL, panels=[f"{FREQUENCY}, mean {mean:g}" for mean in _MEANS]
            ),
        ),
    ),
    PaperEntry(
        *KEYVALUE.at("figure-3", "Figure 3", "Errors of means by kind of key, Gaussian"),
        claim=f"{_SHAPE} achieve higher accuracy with the rise of the mean; PrivKVM is inaccurate; KVUE achieves the lowest error; errors "
        "decrease as the frequency rises. Level 1; the paper states none.",
        axes=(_F, _ERROR),
        measure=partial(by_frequency, shape="gaussian", whats=(MEAN,)),
        checks=(
            *(
                _better_with_mean(f"{name} becomes more accurate as the mean rises from -0.8 over 0 to 0.8", name)
                for name in ("PrivKV", "PrivKV-A", "PrivKVM")
            ),
            lowest("KVUE has the lowest error everywhere", "KVUE", _ALL, panels=[_mean_panel(mean) for mean in _MEANS]),
            *(falls(f"{name}'s error falls with the frequency", name, slack=0.1) for name in ("PrivKV-A", "F2M", "KVUE", "KVOH")),
        ),
    ),
    PaperEntry(
        *KEYVALUE.at("figure-4", "Figure 4", "Errors by kind of key, uniform"),
        claim="Errors of frequencies are not profoundly affected by the frequency; a higher frequency leads to a lower error of the mean.",
        axes=(_F, _ERROR),
        measure=partial(by_frequency, shape="uniform", whats=(FREQUENCY, MEAN), means=(0.0,)),
        checks=(
            *(
                flat(
                    f"{name}'s error of frequencies changes by less than half", name, factor=1.5, panels=(f"{FREQUENCY}, mean 0",)
                )
                for name in ("PrivKV", "F2M", "KVUE", "KVOH")
            ),
            *(
                falls(f"{name}'s error of means falls with the frequency", name, slack=0.1, panels=(_mean_panel(0),))
                for name in ("PrivKV-A", "F2M", "KVUE", "KVOH")
            ),
        ),
    ),
    PaperEntry(
        *KEYVALUE.at("figure-5", "Figure 5", "Errors of F2M's mean by its default value"),
        claim="The performance of F2M does not fluctuate when the default value changes.",
        axes=(Axis("default value"), _ERROR),
        measure=by_default,
        checks=tuple(
            flat(
                f"at level {eps:g} the error changes by less than a tenth",
                "F2M",
                factor=1.1,
                panels=(f"{MEAN}, epsilon = {eps:g}",),
            )
            for eps in (0.5, 1.0)
        ),
    ),
)
"""Figures 1 to 5."""
