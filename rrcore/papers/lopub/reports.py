"""The reports of LoPub's respondents: one randomized Bloom filter for each attribute (LoPub, section V-B)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Booleans, Codes, Floats, Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_FILTER_BITS, MAX_HASHES, MAX_REPORT_BITS
from rrcore.table.schema import Attribute, Schema

Bytes = NDArray[np.uint8]


def level(hashes: int, flip: float) -> float:
    """Return ε = 2 h ln((2 - f) / f) of an attribute. Two filters differ in at most 2 h bits."""
    return 2 * hashes * math.log((2 - flip) / flip)


def flip_probability(hashes: int, eps: float) -> float:
    """Return the f in (0, 1) for which ``level`` is ``eps``."""
    if not 1 <= hashes < math.inf:
        raise InputError(f"The number of hash functions is {hashes}. Use at least 1.")
    if not 0 < eps < 1_000 * hashes:
        raise InputError(f"The ε of an attribute is {eps:g}. Choose a positive number below {1_000 * hashes:,}, for example 2.")
    return 2 / (1 + math.exp(eps / (2 * hashes)))


@dataclass(frozen=True)
class BloomFilter:
    """The bit strings of the categories of one attribute.

    Parameters
    ----------
    attribute : Attribute
        The attribute.
    length : int
        m bits.
    hashes : int
        h hash functions. A category sets at most h bits.
    key : str
        Key of the hash functions. It is public, since server and users share them.
    """

    attribute: Attribute
    length: int
    hashes: int
    key: str = ""

    def __post_init__(self) -> None:
        name, most = self.attribute.name, min(MAX_HASHES, self.length)
        if not 1 <= self.length <= MAX_FILTER_BITS:
            raise InputError(f"The Bloom filter of '{name}' has {self.length:,} bits. Use 1 to {MAX_FILTER_BITS:,}.")
        if not 1 <= self.hashes <= most:
            raise InputError(f"The Bloom filter of '{name}' has {self.hashes} hash functions. Use 1 to {most}.")

    @cached_property
    def patterns(self) -> Booleans:
        """The bits that each category sets, shape (a, m)."""
        found = np.zeros((self.attribute.size, self.length), dtype=np.bool_)
        for row, category in zip(found, self.attribute.categories, strict=True):
            row[[self._position(number, category) for number in range(self.hashes)]] = True
        return found

    def _position(self, number: int, category: str) -> int:
        text = "\x1f".join((self.key, self.attribute.name, str(number), category)).encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big") % self.length

    @property
    def collisions(self) -> int:
        """The number of categories whose bit string equals that of an earlier one."""
        return self.attribute.size - len(np.unique(self.patterns, axis=0))


@dataclass(frozen=True)
class ReportProtocol:
    """A Bloom filter for each attribute, and the probability f of redrawing a bit.

    Parameters
    ----------
    filters : tuple of BloomFilter
        One for each attribute.
    flip : float
        f of eq. (5), in (0, 1). A bit is kept with probability 1 - f, and otherwise 0 or 1 with equal probability.
    """

    filters: tuple[BloomFilter, ...]
    flip: float

    @property
    def bits(self) -> int:
        """The number of bits that a respondent sends, Theorem 1."""
        return sum(each.length for each in self.filters)

    @property
    def epsilon_total(self) -> float:
        """ε of the record as published, the sum over the attributes, eq. (8)."""
        return sum(level(each.hashes, self.flip) for each in self.filters)


@dataclass(frozen=True, eq=False)
class Reports:
    """Randomized bits of n respondents.

    Parameters
    ----------
    protocol : ReportProtocol
        How they were made.
    packed : tuple of ndarrays
        Packed bits of each attribute, shape (n, ceil(m / 8)), uint8.
    """

    protocol: ReportProtocol
    packed: tuple[Bytes, ...]

    @property
    def n(self) -> int:
        """The number of respondents."""
        return len(self.packed[0])

    def bits(self, axis: int) -> Bytes:
        """Return the reported bits of one attribute, shape (n, m), 0 or 1."""
        return np.unpackbits(self.packed[axis], axis=1, count=self.protocol.filters[axis].length)

    @cached_property
    def bit_shares(self) -> tuple[Floats, ...]:
        """Unbiased shares of people whose true filter sets each bit, one array per attribute (Algorithm 2, lines 3 and 4)."""
        f = self.protocol.flip
        return tuple((self.bits(axis).mean(axis=0) - f / 2) / (1 - f) for axis in range(len(self.packed)))

    def agreement(self, axis: int) -> Integers:
        """Return the bits in which reports agree with each category, up to a constant per report, shape (n, a)."""
        reported, patterns = self.bits(axis).astype(np.float32), self.protocol.filters[axis].patterns.astype(np.float32)
        return np.rint(2 * (reported @ patterns.T) - patterns.sum(axis=1)).astype(np.int64)


def simulate_reports(codes: Codes, protocol: ReportProtocol, *, rng: np.random.Generator) -> Reports:
    """Randomize answers of shape (n, d).

    This is a simulation only.

    Raises
    ------
    InputError
        If the reports have more than ``MAX_REPORT_BITS`` bits.
    """
    if len(codes) * protocol.bits > MAX_REPORT_BITS:
        raise InputError(
            f"The randomized data have {len(codes) * protocol.bits:,} bits, but at most {MAX_REPORT_BITS:,} are allowed. "
            "Use fewer people."
        )
    return Reports(protocol, tuple(_randomized(codes[:, i], each, protocol.flip, rng) for i, each in enumerate(protocol.filters)))


def _randomized(codes: Codes, each: BloomFilter, flip: float, rng: np.random.Generator) -> Bytes:
    chunk = max(1, 2**22 // each.length)
    parts = []
    for start in range(0, len(codes), chunk):
        bits = each.patterns[codes[start : start + chunk]]
        parts.append(np.packbits(bits ^ (rng.random(bits.shape) < flip / 2), axis=1))
    return np.concatenate(parts)


def uniform_protocol(schema: Schema, *, hashes: int, flip: float, lengths: Sequence[int], key: str = "") -> ReportProtocol:
    """Return a protocol with the same number of hash functions for every attribute."""
    filters = zip(schema.attributes, lengths, strict=True)
    return ReportProtocol(tuple(BloomFilter(attribute, length, hashes, key) for attribute, length in filters), flip)
