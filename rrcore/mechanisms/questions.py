"""Questions: the marginals that matter, one total to spend on them, and the mechanism that serves them best (theory.md section 13)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rrcore.mechanisms.accuracy import gains
from rrcore.mechanisms.designed import Designed, closure
from rrcore.progress import Report, quiet

_PARTS = (1.0, 0.7, 0.5, 0.35, 0.25)
"""What the parts of a ticked marginal are asked to gain, as multiples of what the marginal itself is asked for."""


@dataclass(frozen=True)
class Questions:
    """The marginals that matter and the record-level budget that may be spent on them.

    Parameters
    ----------
    total : float, nats
    marginals : tuple of tuples of positions

    Examples
    --------
    >>> import rrcore as rr
    >>> questions = rr.Questions(4.0, ((0, 1), (0, 2)))
    >>> questions.build((2, 2, 3)).total_level <= 4
    True
    """

    total: float
    marginals: tuple[tuple[int, ...], ...]

    def build(self, sizes: Sequence[int], *, report: Report = quiet) -> Designed:
        """The mechanism whose least ticked marginal is worth most people under Kronecker at equal split.

        Every interaction of a ticked marginal is asked for, since its estimate uses them all; how much its parts are asked to
        gain beside the marginal itself is tried out, and the exact variances decide (theory.md section 7).

        Raises
        ------
        InputError
            For a bad total or too many attributes.
        """
        ticked = {frozenset(axes) for axes in self.marginals}
        listed = closure(self.marginals)
        shares = _PARTS if any(len(axes) > 1 for axes in ticked) else _PARTS[:1]
        best, most = None, -math.inf
        for done, share in enumerate(shares):

            def told(fraction: float, text: str, done: int = done) -> None:
                report((done + fraction) / len(shares), text)

            weights = [1.0 if frozenset(axes) in ticked else share for axes in listed]
            found = Designed.for_questions(sizes, self.total, listed, weights=weights, report=told)
            worth = min(gain.respondents_factor for gain in gains(found, found.reference, self.marginals))
            if best is None or worth > most:
                best, most = found, worth
        assert best is not None
        return best
