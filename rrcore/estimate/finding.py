"""What an estimate says, in a sentence: the share that tells most, with its interval, beside the truth where that is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from rrcore.arrays import Floats
from rrcore.estimate.metrics import largest_absolute_error
from rrcore.table import Schema
from rrcore.wording import Quantity, and_text, count_text, counted, percent, points

_FAR = 0.005  # a share this near (half a point) to what independence would give is no finding


@dataclass(frozen=True, eq=False)
class Finding:
    """One share of a marginal that is worth naming.

    Parameters
    ----------
    cell : index of the combination
    share, low, high : its estimate and the ends of its interval
    apart : the share it would have if the answers had nothing to do with each other; None for a single attribute
    """

    cell: tuple[int, ...]
    share: float
    low: float
    high: float
    apart: float | None

    def estimated(self) -> str:
        """The share with its interval: "15.2 % (14.1 to 16.4)"."""
        return Quantity("share", "the largest finding").estimated(self.share, self.low, self.high)


def largest_finding(shares: Floats, interval: tuple[Floats, Floats]) -> Finding:
    """The combination that is furthest above what independent answers would give; of a single attribute, the
    commonest answer, or the rarer one of two.

    Parameters
    ----------
    shares : ndarray of shape (a_1, ..., a_w), estimated shares
    interval : (low, high) of the same shape

    Examples
    --------
    >>> import numpy as np
    >>> shares = np.array([[0.4, 0.1], [0.1, 0.4]])
    >>> found = largest_finding(shares, (shares - 0.02, shares + 0.02))
    >>> found.cell, round(found.apart, 2), found.estimated()
    ((0, 0), 0.25, '40.0 % (38.0 to 42.0)')
    """
    alone = [shares.sum(axis=tuple(j for j in range(shares.ndim) if j != i)) for i in range(shares.ndim)]
    product = reduce(np.multiply.outer, alone)
    telling = shares - product if shares.ndim > 1 else shares if shares.size > 2 else -shares
    most = telling >= telling.max() - 1e-9  # in a table of two by two, two combinations: the rarer one is the more telling
    cell = tuple(int(i) for i in np.unravel_index(int(np.where(most, shares, np.inf).argmin()), shares.shape))
    low, high = (float(edge[cell]) for edge in interval)
    return Finding(cell, float(shares[cell]), low, high, None if shares.ndim == 1 else float(product[cell]))


def combination_text(schema: Schema, cell: Sequence[int]) -> str:
    """One combination in words: "Sex: Female, Survived: Yes"."""
    named = zip(schema.attributes, cell, strict=True)
    return ", ".join(f"{attribute.name}: {attribute.categories[i]}" for attribute, i in named)


def finding_beside_truth(schema: Schema, truth: Floats, shares: Floats, interval: tuple[Floats, Floats], n: int) -> str:
    """What n randomised records say, and how near that is to the truth.

    Parameters
    ----------
    truth, shares : ndarrays of shape ``schema.sizes``
    interval : (low, high) of the shares

    Examples
    --------
    >>> import numpy as np, rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> shares = np.array([0.65, 0.35])
    >>> finding_beside_truth(schema, np.array([0.7, 0.3]), shares, (shares - 0.06, shares + 0.06), 2000)
    'From 2,000 randomised records the share of “smokes: yes” is estimated at 35 % (29 to 41); the truth is 30.0 %. \
All 2 intervals hold the truth; the largest miss is 5.0 points.'
    """
    found = largest_finding(shares, interval)
    low, high = interval
    held, cells = int(((truth >= low) & (truth <= high)).sum()), truth.size
    hold = (
        f"All {count_text(cells)} intervals hold"
        if held == cells
        else f"{count_text(held)} of {count_text(cells)} intervals hold"
    )
    return (
        f"From {counted(n, 'randomised record', 'randomised records')} the share of “{combination_text(schema, found.cell)}” is "
        f"estimated at {found.estimated()}; the truth is {percent(float(truth[found.cell]))}. {hold} the truth; the largest miss is "
        f"{points(largest_absolute_error(truth, shares))}."
    )


def finding_from_answers(
    schema: Schema, shares: Floats, interval: tuple[Floats, Floats], n: int, *, weighted: bool = False
) -> str:
    """What n collected records say, without a truth: the largest finding, and of how many combinations nobody may be there at all.

    ``weighted`` says that their shares are by weights.

    Examples
    --------
    >>> import numpy as np, rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")), rr.Attribute("drinks", ("no", "yes"))))
    >>> shares = np.array([[0.6, 0.1], [0.02, 0.28]])
    >>> print(finding_from_answers(schema, shares, (shares - 0.03, shares + 0.03), 2000))
    From 2,000 answers the share of “smokes: yes, drinks: yes” is estimated at 28.0 % (25.0 to 31.0); it would be 11.4 % if smokes \
and drinks had nothing to do with each other. For 1 of 4 combinations it cannot be said whether anybody has it.
    """
    found = largest_finding(shares, interval)
    who = combination_text(schema, found.cell)
    records = counted(n, "weighted answer", "weighted answers") if weighted else counted(n, "answer", "answers")
    said = f"From {records} the share of “{who}” is estimated at {found.estimated()}"
    if found.apart is not None:
        names = and_text(schema.names)
        near = found.low <= found.apart <= found.high or abs(found.share - found.apart) < _FAR
        said += (
            f"; nothing here shows that {names} have to do with each other"
            if near
            else f"; it would be {percent(found.apart)} if {names} had nothing to do with each other"
        )
    unsure = int((interval[0] <= 0).sum())
    if unsure:
        them = "it" if unsure == 1 else "them"
        said += (
            f". For {count_text(unsure)} of {count_text(shares.size)} combinations it cannot be said whether anybody has {them}"
        )
    return f"{said}."
