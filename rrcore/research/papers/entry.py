"""A table, figure or theorem of a paper: what is printed, how the same is measured here, and what decides whether the two agree.

An entry holds no measured number: measured curves come from its ``measure``, and every number in a verdict is formatted by a check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import SupportsFloat, TypeVar

import numpy as np

from rrcore.errors import InputError
from rrcore.progress import Report, part, quiet
from rrcore.table import Dataset

T = TypeVar("T")
Found = Mapping[str, Iterable[SupportsFloat]] | Mapping[tuple[str, str], Iterable[SupportsFloat]]
Position = float | str
"""Where a point stands on the horizontal axis: a number, or the name of a row."""


@dataclass(frozen=True)
class Paper:
    """A paper, as it prints itself.

    Parameters
    ----------
    key : str, the first word of the names of its entries
    short : str, what the pages call it
    title, authors : str, in full
    year : int or None where the text that was at hand does not print one
    """

    key: str
    short: str
    title: str
    authors: str
    year: int | None

    @property
    def cited(self) -> str:
        """Authors, title and year in one line."""
        return ", ".join([*filter(None, [self.authors]), f"'{self.title}'", *([str(self.year)] if self.year else [])])

    def at(self, key: str, place: str, title: str) -> tuple[str, Paper, str, str]:
        """How an Entry of this paper begins: its name, which ends with ``key``, the paper, where it stands and what it is called."""
        return f"{self.key}-{key}", self, place, title


@dataclass(frozen=True)
class Axis:
    """What an axis shows: ``title``, its ``unit`` in words, and whether it is logarithmic."""

    title: str
    unit: str = ""
    log: bool = False

    @property
    def label(self) -> str:
        """Title and unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


@dataclass(frozen=True)
class Series:
    """One curve of a figure, or one column of a table.

    Parameters
    ----------
    name : str, the same for the published and the measured curve of a thing
    x : numbers or names of rows
    y : numbers, as many; NaN where there is none
    panel : str, the part of the figure ("a, k = 3") or the column of the table; empty where there is one part
    source : str, where published numbers stand ("Table VI, as printed"); empty for measured ones
    low, high : ends of a band around y, or empty

    Examples
    --------
    >>> Series("Kronecker", (1, 2), (3.0, 4.0), source="Figure 1, as stated in section V").at(2)
    4.0
    """

    name: str
    x: tuple[Position, ...]
    y: tuple[float, ...]
    panel: str = ""
    source: str = ""
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    def at(self, place: Position) -> float:
        """The value at one place. Raises InputError where there is none."""
        if place not in self.x:
            raise InputError(f"The series '{self.name}' has no value at {place}.")
        return float(self.y[self.x.index(place)])


def series(places: Iterable[Position], found: Found, panel: str = "") -> list[Series]:
    """Measured curves over the same places.

    Parameters
    ----------
    found : name, or (name, panel) -> values at the places
    panel : of those that are given by their name alone

    Examples
    --------
    >>> [one.at(2) for one in series((1, 2), {"Kronecker": [3, 4], "Optimum": [1, 2]})]
    [4.0, 2.0]
    """
    x = tuple(places)
    named = [(name if isinstance(name, tuple) else (name, panel), values) for name, values in found.items()]
    return [Series(name, x, tuple(float(y) for y in values), own) for (name, own), values in named]


@dataclass(frozen=True)
class Curves:
    """Series by name and panel."""

    series: tuple[Series, ...]

    def get(self, name: str, panel: str = "") -> Series:
        """The series of that name and panel. Raises InputError where there is none."""
        for one in self.series:
            if (one.name, one.panel) == (name, panel):
                return one
        raise InputError(f"There is no series '{name}'" + (f" in the panel '{panel}'." if panel else "."))

    def has(self, name: str, panel: str = "") -> bool:
        """Whether there is such a series."""
        return any((one.name, one.panel) == (name, panel) for one in self.series)

    @property
    def panels(self) -> tuple[str, ...]:
        """The panels, each once, in order."""
        return tuple(dict.fromkeys(one.panel for one in self.series))

    @property
    def names(self) -> tuple[str, ...]:
        """The names, each once, in order."""
        return tuple(dict.fromkeys(one.name for one in self.series))


@dataclass(frozen=True)
class Setting:
    """What a measurement may use.

    Parameters
    ----------
    rng : the only randomness
    fast : bool, few repeats and points: the whole collection runs in minutes; otherwise as many as the paper has, or more
    adult : Dataset or None, the eight categorical columns of UCI Adult, which is not shipped
    report : called with the fraction done and a few words
    """

    rng: np.random.Generator
    fast: bool = True
    adult: Dataset | None = None
    report: Report = quiet

    @property
    def table(self) -> Dataset:
        """The Adult table. Raises InputError where it was not given."""
        if self.adult is None:
            raise InputError("This needs the table UCI Adult, which is not part of this program: give its file.")
        return self.adult

    def repeats(self, few: int, many: int) -> int:
        """``few`` where it is to be fast, else ``many``."""
        return few if self.fast else many

    def part(self, done: int, of: int, about: str = "") -> Setting:
        """A setting for one of several parts of the work, which is reported as this part of the whole."""
        return replace(self, report=part(self.report, done, of, about))

    def steps(self, items: Iterable[T], text: str) -> Iterator[T]:
        """The items one after another, each reported by a ``text`` that has its place for it."""
        every = list(items)
        for done, item in enumerate(every):
            self.report(done / len(every), text.format(item))
            yield item


@dataclass(frozen=True)
class CheckResult:
    """What one check found: the ``said`` statement, whether it ``holds``, and the ``numbers`` that decided, as formatted by code."""

    said: str
    holds: bool
    numbers: str


@dataclass(frozen=True)
class PaperCheck:
    """A statement of the paper that measured curves can confirm or contradict.

    Parameters
    ----------
    said : str, the statement, without measured numbers
    judge : from (measured, published) curves to (whether it holds, the numbers that decide in words)
    """

    said: str
    judge: Callable[[Curves, Curves], tuple[bool, str]]

    def outcome(self, measured: Curves, published: Curves) -> CheckResult:
        """Decide."""
        holds, numbers = self.judge(measured, published)
        return CheckResult(self.said, bool(holds), numbers)


Measure = Callable[[Setting], Sequence[Series]]


@dataclass(frozen=True)
class PaperEntry:
    """A table, figure or statement of a paper.

    Parameters
    ----------
    id : str, for example "optimized-figure-1"; begins with the key of its paper
    paper : Paper
    place : str, where it stands: "Figure 1"
    title : str, one line
    claim : str, what the paper says about it, in one sentence or two
    axes : across and upwards, of the figure; for a table the name of its rows and what its cells show
    published : tuple of Series, printed numbers, each with its source; empty where the text that was at hand gives none
    measure : from a Setting to measured series; None where it cannot be run
    checks : tuple of Check, all of which must hold for "agree"
    needs_adult : bool, whether it needs the table UCI Adult
    cannot : str, why it cannot be run; empty where it can
    of_machine : bool, whether what is measured depends on the machine (seconds): documents print its verdict only
    bars : bool, whether points are rows of a table, which are not joined by a line
    """

    id: str
    paper: Paper
    place: str
    title: str
    claim: str
    axes: tuple[Axis, Axis]
    published: tuple[Series, ...] = ()
    measure: Measure | None = None
    checks: tuple[PaperCheck, ...] = ()
    needs_adult: bool = False
    cannot: str = ""
    of_machine: bool = False
    bars: bool = False

    @property
    def x(self) -> Axis:
        """What stands on the horizontal axis."""
        return self.axes[0]

    @property
    def y(self) -> Axis:
        """What stands on the vertical axis."""
        return self.axes[1]
