"""A secure sum, simulated message by message.

The parties learn a sum and nothing else (Multi-Dimensional RR, section 4.2).

Every party splits zero into random shares modulo a public modulus and sends one share to each of the others. Each party then
broadcasts its own number plus all shares received, and the shares cancel in the sum. This is a simulation, not a network protocol.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_MODULUS, MAX_TRANSCRIPT_PARTIES
from rrcore.progress import Report, quiet


def secure_sum_messages(parties: int, cells: int, neighbours: int | None = None) -> int:
    """Return the number of messages.

    Each party sends shares to all others, or to ``neighbours`` on each side, and one broadcast.
    """
    partners = parties - 1 if neighbours is None else min(2 * neighbours, parties - 1)
    return cells * parties * (partners + 1)


def secure_sum(inputs: Integers, *, rng: np.random.Generator, neighbours: int | None = None, report: Report = quiet) -> Integers:
    """Return the sum of every cell, shape (c,), without keeping the messages.

    Parameters
    ----------
    inputs : ndarray of shape (m, c)
        Non-negative integers held by m parties for c cells.
    rng : Generator
        The source of randomness.
    neighbours : int, optional
        Number of parties on each side of a public ring to which a party sends shares, instead of to all others. This is feasible
        for tens of thousands of parties. If all neighbors of a party collude, they learn its number.
    report : callable
        Called with the progress.
    """
    public = _modulus(inputs)
    m, c = inputs.shape
    partners = _partners(m, neighbours)
    sums = np.zeros(c, dtype=np.int64)
    for cell in range(c):
        masked = inputs[:, cell] % public
        for done, shift in enumerate(partners):
            # the share of party i for party i + shift
            given = rng.integers(0, public, size=m)
            masked = (masked - given + np.roll(given, shift)) % public
            report((cell + done / len(partners)) / c, "adding jointly")
        sums[cell] = int(masked.sum()) % public
    return sums


def _partners(m: int, neighbours: int | None) -> list[int]:
    """Return the distances on the ring over which shares are sent."""
    if neighbours is None:
        return list(range(1, m))
    return sorted({shift % m for near in range(1, min(neighbours, m // 2) + 1) for shift in (near, -near)})


@dataclass(frozen=True, eq=False)
class Transcript:
    """Every message of one run.

    Parameters
    ----------
    inputs : ndarray of shape (m, c)
        The number of each party in each cell.
    shares : ndarray of shape (m, m, c)
        Party i sends shares[i, j] to party j. Each shares[i] sums to 0.
    modulus : int
        The public modulus.
    """

    inputs: Integers
    shares: Integers
    modulus: int

    @property
    def broadcasts(self) -> Integers:
        """Each party's own number plus all shares received, shape (m, c)."""
        return np.asarray((self.inputs + self.shares.sum(axis=0)) % self.modulus)

    @property
    def total(self) -> Integers:
        """The sum of the broadcasts, shape (c,), which is the sum of the numbers."""
        return np.asarray(self.broadcasts.sum(axis=0) % self.modulus)


def run_secure_sum(inputs: Integers, *, rng: np.random.Generator, modulus: int | None = None) -> Transcript:
    """Run the protocol as published and keep every message.

    Every party exchanges messages with every other party.

    Parameters
    ----------
    inputs : ndarray of shape (m, c)
        As in ``secure_sum``, of at most ``MAX_TRANSCRIPT_PARTIES`` parties.
    rng : Generator
        The source of randomness.
    modulus : int, optional
        A number above any possible sum. By default, a power of two.
    """
    public = modulus or _modulus(inputs)
    m, c = inputs.shape
    if m > MAX_TRANSCRIPT_PARTIES:
        raise InputError(f"There are {m:,} parties, but at most {MAX_TRANSCRIPT_PARTIES} are allowed.")
    shares = rng.integers(0, public, size=(m, m, c))
    index = np.arange(m)
    shares[index, index] = 0
    shares[index, index] = -shares.sum(axis=1) % public
    return Transcript(inputs, shares, public)


def _modulus(inputs: Integers) -> int:
    """Return the power of two above any possible sum. Raises InputError if that exceeds ``MAX_MODULUS``."""
    largest = int(inputs.max(initial=0)) * len(inputs)
    if largest >= MAX_MODULUS:
        raise InputError(f"The sum could reach {largest:,}. Use numbers whose sum stays below {MAX_MODULUS:,}.")
    return 1 << max(1, largest.bit_length())
