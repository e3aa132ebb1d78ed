"""From a planned mechanism, in floating point, to integer weights that promise no less (theory.md section 8), and back."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np
import scipy

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.limits import (
    MAX_FILE_COUNTS,
    MAX_FILE_SETS,
    MAX_GROWTH,
    MAX_OPTIMAL_ATTRIBUTES,
    MAX_RECORD_BITS,
    MAX_SHORT_SETS,
    MAX_WEIGHT_BITS,
)
from rrcore.mechanisms import Blocks, Counted, Listed, Mechanism, recipe, safe_recipe_width
from rrcore.mechanisms.base import SOME_NEVER
from rrcore.mechanisms.solve.countgrid import count_of_vectors, log_uniform
from rrcore.promise.certificate import Ratio, certified_nats, certify
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import CountWeights, LieWeights, Weights

Group = tuple[tuple[int, ...], Weights]

_SHADE = 2.0**-32  # relative part by which uniform records are made likelier, so that rounding the rest raises no level
_NEGLIGIBLE = 1e-13  # a record that is likelier than the least likely one by less than this, relatively, gets the same weight
_BITS = 56  # bits of the smallest weight of uniform records: 2^-24 of it is what rounding can shift


def integer_groups(mechanism: Mechanism) -> tuple[Group, ...]:
    """The mechanism in integers: groups of attributes, each with its weights.

    Lie sets are rounded down, uniform records up, and the largest weight takes what is left. What is returned has been checked in exact
    arithmetic to exceed no level and no total by more than ``MAX_GROWTH``.

    Raises
    ------
    InputError
        Where the mechanism has too many lie sets to list, or levels too large for integers of ``MAX_WEIGHT_BITS`` bits.

    Examples
    --------
    >>> import rrcore as rr
    >>> groups = rr.integer_groups(rr.build("kronecker", (2, 3), [1.0, 2.0]))
    >>> [places for places, weights in groups]
    [(0,), (1,)]
    """
    groups = tuple(_group(places, part) for places, part in mechanism.apart())
    found = certify(groups)
    promised = [*zip(found.levels, np.abs(mechanism.levels), strict=True), (found.total, mechanism.total_level)]
    if any(_exceeds(ratio, float(level) + MAX_GROWTH) for ratio, level in promised):
        raise InputError(
            "Written in integers, this mechanism would exceed a level or its total by more than "
            f"{MAX_GROWTH:g} nats: give smaller levels, or choose Kronecker."
        )
    return groups


def check_writable(mechanism: str, sizes: Sequence[int], levels: Sequence[float]) -> None:
    """Refuse, before a search that may take minutes, a mechanism that has too many lie sets to be written, as far as its name tells.

    Parameters
    ----------
    mechanism : its name, as in a ``Plan``
    sizes : k ints, numbers of categories
    levels : k floats, nats

    Raises
    ------
    InputError
        For a mechanism over all lie sets of more than 16 attributes that are of too many kinds to be weighed by counts of lies.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.promise.integers import check_writable
    >>> check_writable("pair-safe", (2,) * 20, (1.0,) * 20)  # all alike
    >>> try:
    ...     check_writable("pair-safe", range(2, 19), (1.0,) * 17)
    ... except rr.InputError as error:
    ...     print(str(error)[:62])
    No mechanism file can be made for 17 attributes that are all u
    """
    k = len(sizes)
    searched = safe_recipe_width(mechanism) is not None or mechanism == "safeguarded"
    if not searched or not math.log2(MAX_FILE_SETS) < k <= MAX_OPTIMAL_ATTRIBUTES:
        return
    kinds = count_of_vectors(sizes, levels)
    if kinds <= MAX_FILE_COUNTS and kinds < 2**k:
        return
    raise InputError(
        f"No mechanism file can be made for {k} attributes that are all unlike, or nearly so, with {recipe(mechanism).title}: it would "
        f"list up to {2**k:,} lie sets, and at most {MAX_FILE_SETS:,} are written. Give attributes with equally many categories the same "
        "level, so that counts of lies will do, ask at most 16 of them, or choose Kronecker or RR-Joint."
    )


def _group(places: tuple[int, ...], mechanism: Mechanism) -> Group:
    """Integers for one group: by counts of lies where attributes are of few kinds and a list of lie sets would be long."""
    if mechanism.k > math.log2(MAX_SHORT_SETS):
        found = mechanism.by_counts()
        if found is not None and found[1].size <= min(MAX_FILE_COUNTS, 2**mechanism.k - 1):
            kind, log_gains = found
            order = np.argsort(kind, kind="stable")
            sizes = tuple(mechanism.sizes[i] for i in order)
            return tuple(places[i] for i in order), _by_counts(sizes, np.bincount(kind), log_gains)
    return places, _by_list(mechanism)


def _by_counts(sizes: tuple[int, ...], kinds: Integers, log_gains: Floats) -> CountWeights:
    """Integers for the records of each count of lies: multiples of that of the least likely record, rounded down."""
    least = float(log_gains.min())
    if not math.isfinite(least):
        raise InputError(SOME_NEVER)
    if _BITS + 1 + (float(log_gains.max()) - least) / math.log(2) > MAX_RECORD_BITS:
        raise InputError(f"The levels are too large to be written in integers of {MAX_RECORD_BITS} bits: give smaller ones.")
    one = 1 << _BITS
    base = one + math.ceil(one * _SHADE)
    above = np.expm1(log_gains.ravel() - least).tolist()
    records = tuple(base + (math.floor(Fraction(more) * one) if more > _NEGLIGIBLE else 0) for more in above)
    return CountWeights(sizes, tuple(kinds.tolist()), records)


def _by_list(mechanism: Mechanism) -> LieWeights:
    """Integers for the lie sets of one group."""
    uniform, lying, shares = mechanism.listing()
    if len(lying) > MAX_FILE_SETS:
        raise InputError(
            f"This mechanism has {len(lying):,} lie sets with probabilities of their own, and at most {MAX_FILE_SETS:,} are written: "
            "give attributes with equally many categories the same level, so that counts of lies will do, choose fewer attributes, or "
            "choose Kronecker, RR-Joint or the closed form."
        )
    small = math.ceil(-math.log2(uniform)) if uniform > 0 else MAX_WEIGHT_BITS
    bits = max(64, _BITS + small + len(lying).bit_length())
    if bits > MAX_WEIGHT_BITS:
        raise InputError(f"The levels are too large to be written in integers of {MAX_WEIGHT_BITS} bits: give smaller ones.")
    whole, shade = 1 << bits, Fraction(uniform * _SHADE)
    names = ["".join("01"[lie] for lie in row) for row in lying.tolist()]
    weights = {
        name: math.floor(Fraction(share) * (1 - shade) * whole) for name, share in zip(names, shares.tolist(), strict=True)
    }
    weights[""] = math.ceil((Fraction(uniform) + shade) * whole)
    weights[max(weights, key=weights.__getitem__)] += whole - sum(weights.values())
    left = weights.pop("")
    return LieWeights(mechanism.sizes, left, tuple(sorted((name, weight) for name, weight in weights.items() if weight)))


@singledispatch
def mechanism_of_group(weights: Any) -> Listed | Counted:
    """Integer weights of lie sets, or by counts of lies, as a mechanism again, in floating point; a matrix of reports is none."""
    raise TypeError(f"{type(weights).__name__} is no mechanism of shared lies")


@mechanism_of_group.register
def _(weights: LieWeights) -> Listed:
    shares = np.array([weight / weights.whole for _, weight in weights.lies])
    return Listed(weights.sizes, weights.uniform / weights.whole, weights.lying, shares)


@mechanism_of_group.register
def _(weights: CountWeights) -> Counted:
    sizes = np.array([weights.sizes[start] for start, _ in weights.runs])
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([weight / max(weights.records) for weight in weights.records])).reshape(weights.shape)
    kind = np.repeat(np.arange(len(weights.kinds)), weights.kinds)
    return Counted(weights.sizes, kind, logs - scipy.special.logsumexp(logs + log_uniform(sizes, np.array(weights.kinds))))


def mechanism_of_integers(file: MechanismFile) -> Mechanism | None:
    """A mechanism file as a mechanism, in floating point; None where an attribute has a matrix of its own."""
    if any(weights.rows is not None for _, weights in file.groups):
        return None
    return Blocks(
        file.schema.sizes, tuple(mechanism_of_group(own) for _, own in file.groups), tuple(places for places, _ in file.groups)
    )


def _exceeds(ratio: Ratio, level: float) -> bool:
    return ratio is None or float(certified_nats(ratio)) > level + 1e-9  # nats are rounded up to nine decimals
