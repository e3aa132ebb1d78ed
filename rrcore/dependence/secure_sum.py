"""A secure sum, simulated message by message: many learn a sum and nothing else (Multi-Dimensional RR, section 4.2).

Every party splits zero into random shares modulo a public modulus and gives one to each of the others; then everybody broadcasts their
own number plus all shares received. The shares cancel in the sum of the broadcasts. This shows what such a protocol costs and what
its parties see; it is a simulation on one machine, not a network protocol.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_MODULUS, MAX_TRANSCRIPT_PARTIES
from rrcore.progress import Report, quiet


@dataclass(frozen=True, eq=False)
class SecureTotal:
    """What a secure sum gives, and what it cost.

    Parameters
    ----------
    sums : ndarray of shape (c,), int64
    messages : shares sent and broadcasts made, over all parties and cells
    bits : the same in bits, each message a number below the modulus
    modulus : the public modulus
    """

    sums: Integers
    messages: int
    bits: int
    modulus: int


def secure_sum_messages(parties: int, cells: int, neighbours: int | None = None) -> int:
    """Messages of one secure sum: shares to all others (or to ``neighbours`` on each side) and one broadcast per party and cell."""
    partners = parties - 1 if neighbours is None else min(2 * neighbours, parties - 1)
    return cells * parties * (partners + 1)


def secure_sum(
    inputs: Integers,
    *,
    rng: np.random.Generator,
    neighbours: int | None = None,
    report: Report = quiet,
) -> SecureTotal:
    """Run the protocol cell by cell, without keeping the messages.

    Parameters
    ----------
    inputs : ndarray of shape (m, c), integer >= 0: what each of m parties has in each of c cells
    neighbours : shares go to so many parties on each side of a public ring instead of to all others, so that tens of thousands of
        parties are feasible. A party then hides behind those neighbours: if all of them collude its number is known.
    """
    public = _modulus(inputs)
    m, c = inputs.shape
    partners = _partners(m, neighbours)
    sums = np.zeros(c, dtype=np.int64)
    for cell in range(c):
        masked = inputs[:, cell] % public
        for done, shift in enumerate(partners):
            given = rng.integers(0, public, size=m)  # the share of party i for party i + shift
            masked = (masked - given + np.roll(given, shift)) % public
            if done % 100 == 99:
                report((cell + done / len(partners)) / c, "adding in secret")
        sums[cell] = int(masked.sum()) % public
        report((cell + 1) / c, "adding in secret")
    messages = secure_sum_messages(m, c, neighbours)
    return SecureTotal(sums, messages, messages * (public - 1).bit_length(), public)


def _partners(m: int, neighbours: int | None) -> list[int]:
    """Distances on the ring at which shares are given."""
    if neighbours is None:
        return list(range(1, m))
    return sorted({shift % m for near in range(1, min(neighbours, m // 2) + 1) for shift in (near, -near)})


@dataclass(frozen=True, eq=False)
class CollusionView:
    """Everything some parties see together.

    Parameters
    ----------
    colluders : the parties, sorted
    inputs : ndarray of shape (len(colluders), c), what they put in themselves
    sent, received : ndarrays of shape (len(colluders), m, c), shares they gave to and got from every party
    broadcasts : ndarray of shape (m, c), what everybody broadcast
    others_sum : ndarray of shape (c,), what they can conclude: the sum of everybody else's numbers
    """

    colluders: tuple[int, ...]
    inputs: Integers
    sent: Integers
    received: Integers
    broadcasts: Integers
    others_sum: Integers

    @property
    def reveals_a_party(self) -> bool:
        """Whether only one party is left outside, so that its number is known."""
        return len(self.broadcasts) - len(self.colluders) == 1


@dataclass(frozen=True, eq=False)
class Transcript:
    """Every message of one run.

    Parameters
    ----------
    inputs : ndarray of shape (m, c)
    shares : ndarray of shape (m, m, c): shares[i, j] is what party i gave to party j; each shares[i] adds up to 0
    modulus : the public modulus
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
        """Sum of the broadcasts, shape (c,): the sum of the numbers."""
        return np.asarray(self.broadcasts.sum(axis=0) % self.modulus)

    def view(self, colluders: Collection[int]) -> CollusionView:
        """What these parties, each 0..m-1, see together."""
        who = sorted(set(colluders))
        others = (self.total - self.inputs[who].sum(axis=0)) % self.modulus
        return CollusionView(
            tuple(who), self.inputs[who], self.shares[who], self.shares[:, who].swapaxes(0, 1), self.broadcasts, others
        )


def run_secure_sum(inputs: Integers, *, rng: np.random.Generator, modulus: int | None = None) -> Transcript:
    """Run the protocol as published, everybody with everybody, and keep every message.

    Parameters as in ``secure_sum``; at most ``MAX_TRANSCRIPT_PARTIES`` parties. ``modulus`` is above any possible sum; by default
    a power of two.
    """
    public = modulus or _modulus(inputs)
    m, c = inputs.shape
    if m > MAX_TRANSCRIPT_PARTIES:
        raise InputError(f"There are {m:,} parties: every message is kept for at most {MAX_TRANSCRIPT_PARTIES}.")
    shares = rng.integers(0, public, size=(m, m, c))
    index = np.arange(m)
    shares[index, index] = 0
    shares[index, index] = -shares.sum(axis=1) % public
    return Transcript(inputs, shares, public)


def _modulus(inputs: Integers) -> int:
    """The power of two above any possible sum. Raises InputError where that exceeds ``MAX_MODULUS``."""
    largest = int(inputs.max(initial=0)) * len(inputs)
    if largest >= MAX_MODULUS:
        raise InputError(f"The sum could reach {largest:,}: give numbers that stay below {MAX_MODULUS:,} in all.")
    return 1 << max(1, largest.bit_length())
