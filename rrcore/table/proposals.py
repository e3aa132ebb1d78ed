"""Combinations that nobody in a table has though many would, were answers independent: proposed as impossible, for a person to confirm."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rrcore.limits import MAX_CELLS
from rrcore.table.dataset import Dataset
from rrcore.table.impossible import Impossible
from rrcore.wording import count_text

_EXPECTED = 10.0  # people, at least
_ALARM = 1e-6  # chance of any false proposal, were all pairs independent
_MOST = 20

TOLD = (
    "Whether a combination cannot occur is known from elsewhere, not from the table: one that nobody here has may be rare. A rule leaves "
    "with plan and mechanism file, and one that was taken from the table tells that none of its people has the combination."
)
"""What a steward should know before one of them becomes a rule."""


@dataclass(frozen=True)
class Proposal:
    """A combination that nobody has.

    Parameters
    ----------
    attributes, combination : two names, and a category of each
    expected : how many people would have it, were the two attributes independent
    """

    attributes: tuple[str, str]
    combination: tuple[str, str]
    expected: float

    @property
    def rule(self) -> Impossible:
        """It, as impossible."""
        return Impossible(self.attributes, (self.combination,))

    @property
    def sentence(self) -> str:
        """For example "Class 'Crew' with Age 'Child': nobody, where 44 would be expected"."""
        return (
            f"{self.rule.combination_text(self.combination)}: nobody, where {count_text(round(self.expected))} would be expected"
        )


def propose_impossible(table: Dataset, *, most: int = _MOST) -> tuple[Proposal, ...]:
    """The ``most`` combinations of two answers that nobody has and that are most to be expected of independent attributes.

    At least 10 people would be expected to have each, and that nobody has any is so unlikely (binomial, two-sided, over all cells looked at:
    Bonferroni) that independent attributes would give no such combination in all but one of a million tables. Pairs of attributes with more
    than ``MAX_CELLS`` cells are left out, as are rules that the table's schema has already.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.table import propose_impossible
    >>> [one.sentence for one in propose_impossible(rr.load_demo("titanic"))]
    ["Class 'Crew' with Age 'Child': nobody, where 44 would be expected"]
    """
    schema, n = table.schema, table.n
    pairs = [pair for pair in combinations(schema.attributes, 2) if pair[0].size * pair[1].size <= MAX_CELLS]
    looked_at = sum(one.size * other.size for one, other in pairs)
    shares = {name: table.shares([name]) for name in schema.names}
    found = []
    for one, other in pairs:
        names = (one.name, other.name)
        apart = np.multiply.outer(*(shares[name] for name in names))
        chance = 2 * np.exp(n * np.log1p(-np.minimum(apart, 1 - 1e-16))) * looked_at
        likely = (n * apart >= _EXPECTED) & (chance < _ALARM) & ~schema.impossible_cells(names)
        for x, y in np.argwhere(likely & (table.counts(names) == 0)).tolist() if likely.any() else ():
            found.append(Proposal(names, (one.categories[x], other.categories[y]), float(n * apart[x, y])))
    return tuple(sorted(found, key=lambda each: -each.expected)[:most])
