"""Bloom filters of categories, and the randomization of their bits (LoPub, section V-B)."""

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Booleans
from rrcore.errors import InputError
from rrcore.limits import MAX_FILTER_BITS, MAX_HASHES
from rrcore.table.schema import Attribute

Bits = Booleans


def best_length(false_positive: float, size: int) -> int:
    """m of eq. (6), rounded up: the length at which ``size`` inserted values are found by mistake with probability ``false_positive``."""
    _check_false_positive(false_positive)
    return max(1, math.ceil(math.log(1 / false_positive) / math.log(2) ** 2 * size))


def best_hashes(false_positive: float) -> int:
    """h of eq. (7), rounded, at least 1."""
    _check_false_positive(false_positive)
    return max(1, round(math.log(1 / false_positive) / math.log(2)))


def level(hashes: int, flip: float) -> float:
    """eps = 2 h ln((2 - f) / f) in nats, section V-B: two filters differ in at most 2 h bits."""
    return 2 * hashes * math.log((2 - flip) / flip)


def flip_probability(hashes: int, eps: float) -> float:
    """f in (0, 1) at which ``level`` is ``eps`` nats, 0 < eps < 1,000 h."""
    if not 1 <= hashes < math.inf:
        raise InputError(f"The number of hash functions is {hashes}: give at least 1.")
    if not 0 < eps < 1_000 * hashes:
        raise InputError(f"The level of an attribute is {eps:g}: give a positive number below {1_000 * hashes:,}, for example 2.")
    return 2 / (1 + math.exp(eps / (2 * hashes)))


@dataclass(frozen=True)
class BloomFilter:
    """The bit strings of one attribute's categories, the same for everybody who knows the key.

    Parameters
    ----------
    attribute : Attribute
    length : int, m bits
    hashes : int, h hash functions; a category sets at most h bits
    key : str, makes the hash functions; public, since server and users share them
    """

    attribute: Attribute
    length: int
    hashes: int
    key: str = ""

    def __post_init__(self) -> None:
        name = self.attribute.name
        if not 1 <= self.length <= MAX_FILTER_BITS:
            raise InputError(f"The Bloom filter of '{name}' has {self.length:,} bits: give 1 to {MAX_FILTER_BITS:,}.")
        if not 1 <= self.hashes <= min(MAX_HASHES, self.length):
            most = min(MAX_HASHES, self.length)
            raise InputError(f"The Bloom filter of '{name}' has {self.hashes} hash functions: give 1 to {most}.")

    @cached_property
    def patterns(self) -> Bits:
        """Row c: the bits that category c sets, shape (a, m)."""
        found = np.zeros((self.attribute.size, self.length), dtype=np.bool_)
        for row, category in zip(found, self.attribute.categories, strict=True):
            row[[self._position(number, category) for number in range(self.hashes)]] = True
        return found

    def _position(self, number: int, category: str) -> int:
        """Where hash function ``number`` sends ``category``."""
        text = "\x1f".join((self.key, self.attribute.name, str(number), category)).encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big") % self.length

    @property
    def collisions(self) -> int:
        """How many categories cannot be told from an earlier one: their bit strings are equal."""
        return self.attribute.size - len(np.unique(self.patterns, axis=0))

    @property
    def shared_bits(self) -> int:
        """How many bits are set by more than one category."""
        return int((self.patterns.sum(axis=0) > 1).sum())

    def exact_level(self, flip: float) -> float:
        """The level that these bit strings have, in nats: the most bits by which two of them differ, times ln((2 - f) / f)."""
        bits = self.patterns.astype(np.int64)
        ones = bits.sum(axis=1)
        apart = ones[:, None] + ones[None, :] - 2 * bits @ bits.T
        return float(apart.max()) * math.log((2 - flip) / flip)


def _check_false_positive(probability: float) -> None:
    if not 0 < probability < 1:
        raise InputError(f"The false-positive rate is {probability:g}: give a number between 0 and 1, for example 0.05.")
