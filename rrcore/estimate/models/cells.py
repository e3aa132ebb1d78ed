"""The combinations of true answers behind a release, and how likely each is to be released as what was."""

from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.channel import Channel
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate.release import Release
from rrcore.limits import MAX_MODEL_CELLS
from rrcore.table import Schema
from rrcore.wording import counted


class TooManyCombinationsError(InputError):
    """The randomised attributes of a model have more combinations of answers than can be summed over."""


@dataclass(frozen=True, eq=False)
class ModelCells:
    """Combinations of true answers to the randomised attributes of a model, in C order.

    Parameters
    ----------
    schema : Schema of those attributes, or None where there is none; then there is one combination, of nothing
    """

    schema: Schema | None

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.schema.sizes if self.schema else ()

    @property
    def number(self) -> int:
        """T, the number of combinations."""
        return int(np.prod(self.sizes))

    def answers(self, axis: int) -> Integers:
        """The answer to one attribute in every combination: shape (T,)."""
        return np.indices(self.sizes)[axis].ravel()

    def indicators(self, axis: int, first: int) -> Floats:
        """One column for every category of an attribute but ``first``: shape (T, a - 1)."""
        return indicators(self.answers(axis), self.sizes[axis], first)


def indicators(codes: Integers, size: int, first: int) -> Floats:
    """One column for every category of 0..size-1 but ``first``: 1 where ``codes`` (n,) are that category, else 0."""
    return (codes[:, None] == np.delete(np.arange(size), first)).astype(np.float64)


def dense_channel(channel: Channel) -> Floats:
    """The whole channel as one matrix, shape (reports, T): column t is the distribution of what the true answers t are released as.

    Examples
    --------
    >>> from rrcore.channel import MatrixChannel
    >>> dense_channel(MatrixChannel(np.array([[5 / 6, 1 / 6], [1 / 3, 2 / 3]]))).round(3).tolist()
    [[0.833, 0.333], [0.167, 0.667]]
    """
    number = int(np.prod(channel.sizes))
    pushed = channel.push(np.eye(number).reshape(*channel.sizes, number))
    return np.maximum(pushed.reshape(-1, number), 0.0)


@dataclass(frozen=True, eq=False)
class DesignReports:
    """The answers of people who were asked by one design.

    Parameters
    ----------
    matrix : ndarray of shape (reports, T), as ``dense_channel`` gives it
    reports : ndarray of shape (n,), what each of them released
    """

    matrix: Floats
    reports: Integers


def asked(release: Release, cells: ModelCells) -> tuple[DesignReports, Integers]:
    """What a release holds about the randomised attributes of a model, and which of its people (r,) answered all of them.

    Raises
    ------
    NotIdentifiableError
        If the mechanism erases an attribute, or how two of them go together.
    InputError
        If there are too many combinations.
    """
    if cells.number > MAX_MODEL_CELLS:
        raise TooManyCombinationsError(
            f"The randomised attributes of the model have {counted(cells.number, 'combination', 'combinations')} of answers, the limit is "
            f"{MAX_MODEL_CELLS}: use fewer of them, or merge their rare categories."
        )
    if cells.schema is None:
        return DesignReports(np.ones((1, 1)), np.zeros(release.n, dtype=np.int64)), np.arange(release.n)
    names = cells.schema.names
    channel = release.channel(names)
    for lost in channel.lost():
        if len(lost) <= 2:
            named = " and ".join(f"'{names[axis]}'" for axis in lost)
            what = (
                f"erases {named}, so no model can use it: leave it out"
                if len(lost) == 1
                else (f"erases how {named} go together, so no model can use both: leave one of them out")
            )
            raise NotIdentifiableError(f"The mechanism {what}.", (lost,))
    codes, rows = release.records(names)
    reports = np.ravel_multi_index(tuple(codes.T), release.dataset.schema.select(names).sizes)
    return DesignReports(dense_channel(channel), reports.astype(np.int64)), rows.astype(np.int64)
