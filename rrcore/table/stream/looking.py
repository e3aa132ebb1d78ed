"""What planning needs of a table of any size: its questions, how many people there are, and a sample of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np

from rrcore.limits import MAX_SAMPLED_PEOPLE
from rrcore.table.dataset import Dataset
from rrcore.table.rule import rule_learned_names
from rrcore.table.stream.opening import open_stream
from rrcore.table.stream.sampling import sample_stream
from rrcore.table.stream.surveying import survey
from rrcore.work import Report, quiet

_FINDING = 0.5  # share of the time, about, of the first of two passes


@dataclass(frozen=True, eq=False)
class Look:
    """A table of any size, looked through.

    Parameters
    ----------
    n : int, number of people
    sample : Dataset, at most ``MAX_SAMPLED_PEOPLE`` of them at random, over every column that can be an attribute
    left_out : names of columns that cannot
    edges : attribute -> limits of the intervals that its numbers fell into, if they did
    learned : names of attributes whose categories were, at least in part, read off the data
    notes : sentences about what reading did
    """

    n: int
    sample: Dataset
    left_out: tuple[str, ...] = ()
    edges: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    learned: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def look_through(
    place: str | os.PathLike[str],
    *,
    encoding: str = "",
    seed: int = 0,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Look:
    """Find the questions of a table of any size, by the rules the Data page starts from, and draw a sample, in two passes.

    Parameters
    ----------
    place : path of a file or folder, as for ``open_stream``
    encoding : as in ``open_stream``
    seed : of the sample
    executor : who finds the questions; None is this process
    report : is told the fraction done

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rrcore as rr
    >>> from rrcore.table.stream import look_through
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = pathlib.Path(folder, "titanic.csv")
    ...     _ = place.write_text(rr.load_demo("titanic").to_csv())
    ...     found = look_through(place)
    >>> found.n, found.sample.n, found.sample.schema.sizes
    (2201, 2201, (4, 2, 2, 2))
    """
    stream = open_stream(place, encoding=encoding)
    found = survey(stream, executor=executor, report=lambda done, text: report(done * _FINDING, text))
    how = found.coder()
    rng = np.random.default_rng(seed)
    sample = sample_stream(
        stream, how, MAX_SAMPLED_PEOPLE, rng=rng, report=lambda done, text: report(_FINDING + done * (1 - _FINDING), text)
    )
    left_out = tuple(name for name in stream.names if name not in how.schema.names)
    edges = {name: found.rules[name].edges for name in how.schema.names if found.rules[name].binning == "open"}
    learned = tuple(a.name for a in how.schema.attributes if rule_learned_names(a, found.rules[a.name]))
    return Look(found.n, sample, left_out, edges, learned, found.notes)
