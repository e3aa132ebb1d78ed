"""From a planned mechanism, in floating point, to integer weights that promise no less (theory.md section 8)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from rrcore.channel.liesets import LieSets
from rrcore.collect.certificate import Ratio, certify, nats
from rrcore.collect.weights import LieWeights, Weights
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_SETS, MAX_GROWTH, MAX_OPTIMAL_ATTRIBUTES, MAX_WEIGHT_BITS
from rrcore.mechanisms import Kronecker, Mechanism
from rrcore.mechanisms.blocks import Blocks
from rrcore.mechanisms.mixture import Mixture

__all__ = ["integer_groups"]

Group = tuple[tuple[int, ...], Weights]

_SHADE = 2.0**-32
"""Relative part by which uniform records are made likelier, so that rounding the rest raises no level."""

_BITS = 56
"""Bits of the smallest weight of uniform records: 2^-24 of it is what rounding can shift."""

_NEGLIGIBLE = 1e-13
"""A lie set whose outputs are likelier than the least likely ones by less than this, relatively, needs no weight of its own."""


def integer_groups(mechanism: Mechanism) -> tuple[Group, ...]:
    """The mechanism in integers: groups of attributes, each with its weights.

    Lie sets are rounded down, uniform records up, and the largest weight takes what is left. What is returned has been checked in exact
    arithmetic to exceed no level and no total by more than ``MAX_GROWTH``.

    Raises
    ------
    InputError
        Where the mechanism has too many lie sets to list, or levels too large for integers of ``MAX_WEIGHT_BITS`` bits.
    """
    groups = tuple(_groups(mechanism, tuple(range(mechanism.k))))
    found = certify(groups)
    promised = [*zip(found.levels, np.abs(mechanism.levels), strict=True), (found.total, mechanism.total_level)]
    if any(_exceeds(ratio, float(level) + MAX_GROWTH) for ratio, level in promised):
        raise InputError(
            "Written in integers this mechanism would exceed a level or its total by more than "
            f"{MAX_GROWTH:g} nats: give smaller levels, or choose Kronecker."
        )
    return groups


def _groups(mechanism: Mechanism, places: Sequence[int]) -> list[Group]:
    """The groups of ``mechanism``, its attributes standing at ``places``."""
    if isinstance(mechanism, Kronecker):
        halves = zip(places, mechanism.sizes, mechanism.lies, strict=True)
        return [((i,), _weights((size,), lie * size / (size - 1), {"0": 1 - lie * size / (size - 1)})) for i, size, lie in halves]
    if isinstance(mechanism, Blocks):
        inner = zip(mechanism.parts, mechanism.members, strict=True)
        return [group for part, block in inner for group in _groups(part, [places[i] for i in block])]
    if isinstance(mechanism, Mixture):
        return [(tuple(places), _mixture(mechanism))]
    if mechanism.k > MAX_OPTIMAL_ATTRIBUTES:
        raise InputError(
            f"This mechanism couples {mechanism.k} attributes: more than {MAX_OPTIMAL_ATTRIBUTES} are only written for Kronecker, "
            "RR-Joint and the closed form, so choose one of those or fewer attributes."
        )
    return [(tuple(places), _table(mechanism.marginal_channel(range(mechanism.k))))]


def _mixture(mechanism: Mixture) -> LieWeights:
    k = mechanism.k
    lies = {"0" * k: mechanism.keep}
    for i, share in enumerate(mechanism.single):
        lies["0" * i + "1" + "0" * (k - 1 - i)] = float(share)
    return _weights(mechanism.sizes, mechanism.uniform, lies)


def _table(channel: LieSets) -> LieWeights:
    """Uniform records take what all outputs have in common; the lie sets with likelier outputs get the rest."""
    outputs = np.exp(channel.log_weights)
    least = float(outputs.min())
    if least <= 0:
        raise InputError(
            "Under this mechanism some lies never happen, so a released record could rule answers out: choose another one."
        )
    extra = np.where(outputs > least * (1 + _NEGLIGIBLE), channel.probabilities * (1 - least / outputs), 0.0)
    listed = np.argwhere(extra > 0)
    if len(listed) > MAX_FILE_SETS:
        raise InputError(
            f"This mechanism has {len(listed):,} lie sets with probabilities of their own, and at most {MAX_FILE_SETS:,} are written: "
            "choose fewer attributes, or Kronecker, RR-Joint or the closed form."
        )
    lies = {"".join(map(str, index)): float(extra[tuple(index)]) for index in listed}
    return _weights(channel.sizes, least * math.prod(channel.sizes), lies)


def _weights(sizes: tuple[int, ...], uniform: float, lies: dict[str, float]) -> LieWeights:
    """Integers for these probabilities, whose sum is taken to be 1."""
    listed = {name: share for name, share in lies.items() if share > 0}
    small = math.ceil(-math.log2(uniform)) if uniform > 0 else MAX_WEIGHT_BITS
    bits = max(64, _BITS + small + len(listed).bit_length())
    if bits > MAX_WEIGHT_BITS:
        raise InputError(f"The levels are too large to be written in integers of {MAX_WEIGHT_BITS} bits: give smaller ones.")
    whole, shade = 1 << bits, Fraction(uniform * _SHADE)
    weights = {name: math.floor(Fraction(share) * (1 - shade) * whole) for name, share in listed.items()}
    weights[""] = math.ceil((Fraction(uniform) + shade) * whole)
    weights[max(weights, key=weights.__getitem__)] += whole - sum(weights.values())
    left = weights.pop("")
    return LieWeights(tuple(sizes), left, tuple(sorted((name, weight) for name, weight in weights.items() if weight)))


def _exceeds(ratio: Ratio, level: float) -> bool:
    return ratio is None or float(nats(ratio)) > level + 1e-9  # nats are rounded up to nine decimals
