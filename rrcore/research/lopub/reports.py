"""What LoPub's respondents send: one randomised Bloom filter per attribute (LoPub, section V-B2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Codes, Floats, Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_REPORT_BITS
from rrcore.research.lopub.bloom import BloomFilter, level
from rrcore.table.schema import Schema

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class ReportProtocol:
    """How every respondent reports: a Bloom filter per attribute, and the probability f with which a bit is redrawn.

    Parameters
    ----------
    filters : tuple of d BloomFilters
    flip : float in (0, 1), f of eq. (5): a bit is kept with probability 1 - f, else it is 0 or 1 with equal probability
    """

    filters: tuple[BloomFilter, ...]
    flip: float

    @property
    def schema(self) -> Schema:
        """The attributes reported."""
        return Schema(tuple(each.attribute for each in self.filters))

    @property
    def bits(self) -> int:
        """Bits that one respondent sends, Theorem 1."""
        return sum(each.length for each in self.filters)

    @property
    def log_rappor_bits(self) -> float:
        """ln of the bits that RAPPOR on the product domain would send at the same bits per category (eq. 10)."""
        ratio = max(each.length / each.attribute.size for each in self.filters)
        return math.log(ratio) + math.log(self.schema.cells)

    @property
    def total_level(self) -> float:
        """What the record costs as published, eq. (8): the sum of 2 h ln((2 - f) / f), nats."""
        return sum(level(each.hashes, self.flip) for each in self.filters)


@dataclass(frozen=True, eq=False)
class Reports:
    """Randomised bits of n respondents.

    Parameters
    ----------
    protocol : ReportProtocol
    packed : one array per attribute, shape (n, ceil(m / 8)), uint8, packed bits
    """

    protocol: ReportProtocol
    packed: tuple[Bytes, ...]

    @property
    def n(self) -> int:
        """Number of respondents."""
        return len(self.packed[0])

    def bits(self, axis: int) -> Bytes:
        """The reported bits of one attribute, shape (n, m), 0 or 1."""
        return np.unpackbits(self.packed[axis], axis=1, count=self.protocol.filters[axis].length)

    @cached_property
    def bit_shares(self) -> tuple[Floats, ...]:
        """Unbiased shares of people whose true filter sets each bit, Algorithm 2 lines 3 and 4 divided by N, one array per attribute."""
        f = self.protocol.flip
        return tuple((self.bits(axis).mean(axis=0) - f / 2) / (1 - f) for axis in range(len(self.packed)))

    def agreement(self, axis: int) -> Integers:
        """In how many bits each report agrees with each category's bit string, up to a constant per report; shape (n, a)."""
        reported, patterns = self.bits(axis).astype(np.float32), self.protocol.filters[axis].patterns.astype(np.float32)
        both = reported @ patterns.T
        return np.rint(2 * both - patterns.sum(axis=1)).astype(np.int64)

    def take(self, rows: NDArray[np.intp]) -> Reports:
        """The reports of some respondents."""
        return Reports(self.protocol, tuple(packed[rows] for packed in self.packed))


def simulate_reports(codes: Codes, protocol: ReportProtocol, *, rng: np.random.Generator) -> Reports:
    """Reports of people with these answers, from a seeded generator: for trying the method out, not for collecting.

    Parameters
    ----------
    codes : ndarray of shape (n, d), codes 0..a_i-1

    Raises
    ------
    InputError
        If the reports would take more than ``MAX_REPORT_BITS`` bits.
    """
    if len(codes) * protocol.bits > MAX_REPORT_BITS:
        raise InputError(
            f"The reports have {len(codes) * protocol.bits:,} bits, the limit is {MAX_REPORT_BITS:,}: take fewer people."
        )
    return Reports(protocol, tuple(_randomised(codes[:, i], each, protocol.flip, rng) for i, each in enumerate(protocol.filters)))


def _randomised(codes: Codes, each: BloomFilter, flip: float, rng: np.random.Generator) -> Bytes:
    chunk = max(1, 2**22 // each.length)
    parts = []
    for start in range(0, len(codes), chunk):
        bits = each.patterns[codes[start : start + chunk]]
        parts.append(np.packbits(bits ^ (rng.random(bits.shape) < flip / 2), axis=1))
    return np.concatenate(parts)


def uniform_protocol(schema: Schema, *, hashes: int, flip: float, lengths: Sequence[int], key: str = "") -> ReportProtocol:
    """A protocol with as many hash functions for every attribute."""
    filters = zip(schema.attributes, lengths, strict=True)
    return ReportProtocol(tuple(BloomFilter(attribute, length, hashes, key) for attribute, length in filters), flip)
