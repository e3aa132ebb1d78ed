"""How precisely answers that are yet to be collected will be read."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from xml.etree.ElementTree import Element

import numpy as np

from rrcore.channel import LieSets, MatrixChannel
from rrcore.estimate import ExpectedErrors, ShareVariance, expected_error, inversion_text, margin, weakest_interactions
from rrcore.limits import MAX_PAGE_CELLS, MAX_PAGE_MARGINAL
from rrcore.plots.svg import MOST_DRAWN, triangle
from rrcore.promise import MechanismFile
from rrcore.report.page import bullets, figure, html, section, table
from rrcore.table import Dataset
from rrcore.wording import Quantity, count_text, counted, points

_DARKEST = 0.1  # a margin from which the map of pairs gets no darker


def expected(file: MechanismFile, axes: Sequence[int], people: int, truth: Dataset | None = None) -> float:
    """Expected standard error of a share of the marginal over ``axes``, against the population; NaN where it cannot be read.

    For a uniform guess of the shares, or those of the table ``truth``.
    """
    channel = file.marginal_channel(axes)
    if channel.lost():
        return math.nan
    large = math.prod(channel.sizes) > MAX_PAGE_CELLS
    shares = None if truth is None or large else truth.shares([file.schema.names[i] for i in axes])
    return expected_error(channel, people, shares=shares, population=True)


def cautious(file: MechanismFile, axis: int, people: int) -> float:
    """The largest standard error of a share of one attribute, against the population, whatever the true answers are (theory.md section
    18); NaN where it cannot be read.
    """
    channel = file.marginal_channel((axis,))
    if channel.lost():
        return math.nan
    if isinstance(channel, LieSets):
        return ShareVariance.of(channel).error(people)
    assert isinstance(channel, MatrixChannel)
    adds = channel.matrix @ channel.inverse.T**2  # row x, column v: what a person with the answer x adds to share v
    others = np.where(np.eye(len(adds), dtype=np.bool_), -np.inf, adds).max(axis=0)
    return max(
        ShareVariance(own, other).error(people) for own, other in zip(np.diag(adds).tolist(), others.tolist(), strict=True)
    )


def precision(file: MechanismFile, people: int, truth: Dataset | None = None) -> Element:
    """Every attribute in numbers, every pair drawn, and what is read less well."""
    names = file.schema.names
    singles = [cautious(file, i, people) for i in range(len(names))]
    heads, rows = ["Attribute", "95 % within"], [[name, _error(name, each)] for name, each in zip(names, singles, strict=True)]
    if truth is not None:
        heads.append("95 % within, as in the table")
        for i, row in enumerate(rows):
            row.append(_error(names[i], expected(file, (i,), people, truth)))
    return section(
        "How precise it will be",
        html(
            "p",
            f"{counted(people, 'person', 'people')} asked; errors are against the population they come from, so that the chance of who "
            "is asked counts beside the randomization.",
        ),
        table("Largest error of the share of one answer, whatever the true answers are", heads, rows, numbers=len(heads) - 1),
        _pairs(file, people),
        bullets([*_alike(file), *_weaker(file)]),
        new_page=True,
    )


def _pairs(file: MechanismFile, people: int) -> Element | None:
    """The 95 % margin of every pair, or of the attributes that fit."""
    names = file.schema.names[:MOST_DRAWN]
    if len(names) < 2:
        return None
    k = len(names)
    errors = np.full((k, k), np.nan)
    for i in range(k):
        for j in range(i):
            errors[i, j] = float(margin(expected(file, (j, i), people)))
    texts = [["" if math.isnan(error) else f"{100 * error:.1f}" for error in row] for row in errors.tolist()]
    drawing = triangle(
        names,
        np.nan_to_num(errors),
        texts,
        title="Expected error of every pair of attributes",
        top=_DARKEST,
        hatched=np.isnan(errors),
    )
    left = "" if k == len(file.schema.names) else f" The first {k} of {count_text(len(file.schema.names))} attributes."
    said = (
        "Points within which the share of one combination of two answers is read, 95 % of the time, if all are equally common; darkest from "
        f"{points(_DARKEST)}. Hatched: cannot be read."
    )
    return figure(drawing, f"{said}{left} {_whole(file, k, people)}")


def _whole(file: MechanismFile, k: int, people: int) -> str:
    """What the pairs are off by once answers are read with the whole table."""
    pairs = [ExpectedErrors.of(file.marginal_channel(axes), people, population=True) for axes in combinations(range(k), 2)]
    low, high = min(each.weak for each in pairs), max(each.strong for each in pairs)
    return f"Read with the whole table, a share is typically off by {points(low)} to {points(high)}, by how strongly attributes depend."


def _alike(file: MechanismFile) -> Iterator[str]:
    """What of attributes whose reports do not tell their categories apart can be estimated."""
    for i, attribute in enumerate(file.schema.attributes):
        if why := inversion_text(attribute, file.marginal_channel((i,)), 0):
            yield f"{why[0].upper()}{why[1:]}"


def _weaker(file: MechanismFile) -> list[str]:
    """What is read less accurately than from answers randomised independently of each other."""
    found = weakest_interactions(file, MAX_PAGE_MARGINAL)
    worse = [(axes, weak) for axes, weak in found if weak.worse]
    if not worse:
        return ["Every combination is read no less accurately than if each answer were randomised on its own."] if found else []
    return [weak.sentence([file.schema.names[i] for i in axes]) for axes, weak in worse]


def _error(name: str, error: float) -> str:
    return Quantity("share", name, "the population").within(float(margin(error)))
