"""Demo tables. The directory ``demos`` contains their counts."""

import csv
import json
from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from rrcore.errors import unknown
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Attribute, Schema

INVENTED = "Invented answers"
"""Title of a table of invented answers, by which reports and pages recognize it."""

_FOLDER = Path(__file__).parent / "demos"


class Demo(NamedTuple):
    """A demo table with its title, description, source and ordinal attributes."""

    title: str
    description: str
    source: str
    ordinal: tuple[str, ...]


DEMOS: dict[str, Demo] = {key: Demo(**about) for key, about in json.loads((_FOLDER / "about.json").read_text("utf-8")).items()}
"""The demo tables by key, in the order in which a page lists them."""


@cache
def load_demo(key: str) -> Dataset:
    """Return a demo table, which has the same records at every call.

    Parameters
    ----------
    key : {"titanic", "berkeley", "haireye", "census"}
        The name of the demo table.

    Returns
    -------
    Dataset
        Passengers of the Titanic, applicants at Berkeley, hair and eye colors of students, or an invented census.

    Raises
    ------
    InputError
        If there is no demo table with this name. The message lists the known names.

    Examples
    --------
    >>> import rrcore as rr
    >>> rr.load_demo("titanic").schema.names
    ('Class', 'Sex', 'Age', 'Survived')
    """
    if key not in DEMOS:
        raise unknown("demo", key, list(DEMOS))
    answers, codes = _census() if key == "census" else _counted(key)
    ordinal = DEMOS[key].ordinal
    attributes = [Attribute(name, each, "ordinal" if name in ordinal else "nominal") for name, each in answers.items()]
    return Dataset(Schema(tuple(attributes)), codes, DEMOS[key].title)


def _counted(key: str) -> tuple[dict[str, tuple[str, ...]], np.ndarray]:
    """Categories and one record per person of a table of counts, in the order of its rows."""
    with (_FOLDER / f"{key}.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    *columns, people = zip(*rows, strict=True)
    answers = {name: tuple(dict.fromkeys(column)) for name, column in zip(names[:-1], columns, strict=True)}
    codes = [[answers[name].index(text) for text in column] for name, column in zip(names[:-1], columns, strict=True)]
    return answers, np.repeat(np.array(codes).T, np.array(people, int), axis=0)


def _census() -> tuple[dict[str, tuple[str, ...]], np.ndarray]:
    """Draw the census from a Gaussian copula.

    Each person has a normal score for each attribute, and the scores correlate as ``census.json`` says. A score belongs to category
    c if it is between the normal quantiles of the cumulated shares (in parts of 10,000) before and after c.
    """
    about = json.loads((_FOLDER / "census.json").read_text("utf-8"))
    shares = about["shares"]
    scores = np.random.default_rng(about["seed"]).standard_normal((about["people"], len(shares)))
    scores = scores @ np.linalg.cholesky(about["correlations"]).T
    totals = [np.cumsum(list(each.values()))[:-1].tolist() for each in shares.values()]
    cuts = [[NormalDist().inv_cdf(total / 10_000) for total in each] for each in totals]
    codes = [np.searchsorted(each, column) for each, column in zip(cuts, scores.T, strict=True)]
    return {name: tuple(each) for name, each in shares.items()}, np.stack(codes, axis=1)
