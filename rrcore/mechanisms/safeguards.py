"""Accuracy floors and caps on epsilon_informed for the constrained mechanism.

See theory.md section 5.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError, check_positions
from rrcore.limits import (
    MAX_FLOOR,
    MAX_OPTIMAL_ATTRIBUTES,
    MAX_PROGRAMME_ATTRIBUTES,
    MAX_QUESTIONS,
    MAX_SLACK,
    MIN_FLOOR,
)
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.closed_form import Kronecker
from rrcore.mechanisms.lowest_total import GAP, least_total, safe
from rrcore.mechanisms.optimal import Optimal
from rrcore.mechanisms.solve.linear_program import Floor
from rrcore.progress import Report, quiet


@dataclass(frozen=True)
class Safeguards:
    """Set accuracy floors and caps on epsilon_informed for a plan.

    The mechanism "constrained" respects them (theory.md section 5).

    Parameters
    ----------
    floor : float, optional
        Smallest accuracy gamma of ``marginals`` relative to independent randomization: mu_T >= floor * prod r_i.
    marginals : tuple of tuples of int
        The interactions T to which the floor applies, as positions of attributes. All pairs by default.
    slacks : tuple of float, optional
        Largest excess of epsilon_informed over epsilon for each attribute. Infinite for no cap.

    Examples
    --------
    Every pair is as accurate as with independent randomization, and epsilon_informed is at most half a unit above epsilon:

    >>> import rrcore as rr
    >>> kept = rr.Safeguards(floor=1.0, slacks=(0.5, 0.5, 0.5))
    >>> schema = rr.Schema(tuple(rr.Attribute(name, ("no", "yes")) for name in "abc"))
    >>> mechanism = rr.Plan(schema, 1.0, safeguards=kept, n=1000).build()
    >>> bool((mechanism.epsilon_informed <= 1.5 + 1e-9).all()), mechanism.epsilon_total < 3
    (True, True)
    """

    floor: float | None = None
    marginals: tuple[tuple[int, ...], ...] = ()
    slacks: tuple[float, ...] | None = None

    def check(self, names: Sequence[str]) -> None:
        """Raise InputError if a floor or a slack is out of range.

        Parameters
        ----------
        names : sequence of str
            Names of the attributes, used in messages.

        Raises
        ------
        InputError
            If a value is out of range. The message gives the attribute and the allowed range.
        """
        floor = 1.0 if self.floor is None else self.floor
        if not MIN_FLOOR <= floor <= MAX_FLOOR:
            raise InputError(
                f"The accuracy floor is {floor:g}. Choose a number from {MIN_FLOOR:g} to {MAX_FLOOR:g}, for example 1."
            )
        if any(len(axes) < 2 for axes in self.marginals):
            raise InputError("An accuracy floor names fewer than two attributes. Choose pairs or larger combinations.")
        if len(self.marginals) > MAX_QUESTIONS:
            raise InputError(f"There are more than {MAX_QUESTIONS:,} accuracy floors. Choose fewer.")
        check_positions(self.marginals, len(names), "An accuracy floor")
        if self.slacks is not None and len(self.slacks) != len(names):
            raise InputError(f"Expected {len(names)} slacks (one per attribute), got {len(self.slacks)}.")
        for name, slack in zip(names, self.slacks, strict=True) if self.slacks is not None else ():
            if not (0 <= slack <= MAX_SLACK or slack == math.inf):
                raise InputError(
                    f"The slack of '{name}' is {slack:g}. Choose a number from 0 to {MAX_SLACK:g}, or infinity for no cap."
                )

    def floors(self, k: int) -> list[Floor]:
        """Return one floor per interaction.

        Parameters
        ----------
        k : int
            Number of attributes.

        Returns
        -------
        list of Floor
            The floors, an empty list if no floor is set.
        """
        if self.floor is None:
            return []
        return [Floor(axes, self.floor) for axes in self.marginals or combinations(range(k), 2)]

    def caps(self, epsilon: Floats) -> Floats | None:
        """Return the largest allowed epsilon_informed of each attribute.

        Parameters
        ----------
        epsilon : ndarray of shape (k,)
            Epsilons of the attributes.

        Returns
        -------
        ndarray of shape (k,), or None
            The caps, or None if no cap is set.
        """
        if self.slacks is None or np.isinf(self.slacks).all():
            return None
        return np.asarray(epsilon + np.asarray(self.slacks, dtype=np.float64))


def safeguarded(sizes: Sequence[int], epsilon: Floats, safeguards: Safeguards, *, report: Report = quiet) -> Mechanism:
    """Return the mechanism with the lowest epsilon_total that meets ``safeguards``.

    If the program with caps fails, independent randomization meets every cap and every floor of at most 1.

    Raises
    ------
    InputError
        If no mechanism can meet the safeguards, or if no solver finds one.
    """
    caps, floors = safeguards.caps(epsilon), safeguards.floors(len(sizes))
    if caps is None and not floors:
        return least_total(sizes, epsilon, report=report)
    if caps is None and not safeguards.marginals:
        return safe(sizes, epsilon, width=2, floor=floors[0].gamma, report=report)
    try:
        return Optimal.from_epsilon(sizes, epsilon, floors=floors, caps=caps, gap=GAP / 2, report=report)
    except InputError:
        most = MAX_OPTIMAL_ATTRIBUTES if caps is None else MAX_PROGRAMME_ATTRIBUTES
        if len(sizes) > most or any(floor.gamma > 1 for floor in floors):
            raise
        bound = least_total(sizes, epsilon, report=report).lower_bound
        return replace(Kronecker.from_epsilon(sizes, epsilon), bound=bound)
