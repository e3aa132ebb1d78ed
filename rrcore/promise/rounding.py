"""Convert planned mechanisms to integer weights and back (theory.md section 8).

The integers promise at least as much protection as the floating-point mechanism.
"""

import math
from fractions import Fraction

import numpy as np
import scipy

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.limits import (
    MAX_FILE_COUNTS,
    MAX_FILE_SETS,
    MAX_GROWTH,
    MAX_RECORD_BITS,
    MAX_SHORT_SETS,
    MAX_WEIGHT_BITS,
)
from rrcore.mechanisms import Blocks, Counted, Listed, Mechanism
from rrcore.mechanisms.base import SOME_NEVER
from rrcore.mechanisms.solve.countgrid import log_uniform
from rrcore.promise.certificate import Ratio, certified_nats, certify
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights, Weights

Group = tuple[tuple[int, ...], Weights]

_SHADE = 2.0**-32  # relative part by which uniform records are made likelier, so that rounding the rest raises no level
_NEGLIGIBLE = 1e-13  # a record that is likelier than the least likely one by less than this, relatively, gets the same weight
_BITS = 56  # bits of the smallest weight of uniform records: 2^-24 of it is what rounding can shift


def integer_groups(mechanism: Mechanism) -> tuple[Group, ...]:
    """Return the mechanism as groups of attributes with integer weights.

    Weights of sets of changes are rounded down, and weights of uniform records are rounded up. The largest weight takes the rest. An
    exact check ensures that no epsilon grows by more than ``MAX_GROWTH``.

    Raises
    ------
    InputError
        If the mechanism has too many sets of changes to list, or epsilons that are too large for integers of ``MAX_WEIGHT_BITS`` bits.

    Examples
    --------
    >>> from rrcore.budget import build
    >>> from rrcore.promise import integer_groups
    >>> groups = integer_groups(build("independent", (2, 3), [1.0, 2.0]))
    >>> [places for places, weights in groups]
    [(0,), (1,)]
    """
    groups = tuple(_group(places, part) for places, part in mechanism.apart())
    found = certify(groups)
    promised = [*zip(found.epsilon, np.abs(mechanism.epsilon), strict=True), (found.epsilon_total, mechanism.epsilon_total)]
    if any(_exceeds(ratio, float(level) + MAX_GROWTH) for ratio, level in promised):
        raise InputError(
            f"Written as integers, this mechanism would exceed an ε by more than {MAX_GROWTH:g}. Choose smaller values of ε, "
            "or choose independent randomization."
        )
    return groups


def _group(places: tuple[int, ...], mechanism: Mechanism) -> Group:
    """Return the integers of one group.

    Counts of false answers are used if there are few kinds of attributes and a list of sets would be long.
    """
    if mechanism.k > math.log2(MAX_SHORT_SETS):
        found = mechanism.by_counts()
        if found is not None and found.log_gains.size <= min(MAX_FILE_COUNTS, 2**mechanism.k - 1):
            order = np.argsort(found.kind, kind="stable")
            sizes = tuple(mechanism.sizes[i] for i in order)
            return tuple(places[i] for i in order), _by_counts(sizes, np.bincount(found.kind), found.log_gains)
    return places, _by_list(mechanism)


def _by_counts(sizes: tuple[int, ...], kinds: Integers, log_gains: Floats) -> CountWeights:
    """Integers for the records of each count of lies: multiples of that of the least likely record, rounded down."""
    least = float(log_gains.min())
    if not math.isfinite(least):
        raise InputError(SOME_NEVER)
    if _BITS + 1 + (float(log_gains.max()) - least) / math.log(2) > MAX_RECORD_BITS:
        raise InputError(
            f"The values of ε are too large to be written as integers of {MAX_RECORD_BITS} bits. Choose smaller values."
        )
    one = 1 << _BITS
    base = one + math.ceil(one * _SHADE)
    above = np.expm1(log_gains.ravel() - least).tolist()
    records = tuple(base + (math.floor(Fraction(more) * one) if more > _NEGLIGIBLE else 0) for more in above)
    return CountWeights(sizes, tuple(kinds.tolist()), records)


def _by_list(mechanism: Mechanism) -> LieWeights:
    """Integers for the sets of changes of one group."""
    found = mechanism.listing()
    uniform, lying, shares = found.uniform, found.lying.toarray(), found.probabilities
    if len(lying) > MAX_FILE_SETS:
        raise InputError(
            f"This mechanism has {len(lying):,} sets of replaced answers, but a mechanism file holds at most "
            f"{MAX_FILE_SETS:,}. Give attributes with the same number of categories the same ε, or choose fewer "
            "attributes, independent randomization, RR-Joint or the closed form."
        )
    small = math.ceil(-math.log2(uniform)) if uniform > 0 else MAX_WEIGHT_BITS
    bits = max(64, _BITS + small + len(lying).bit_length())
    if bits > MAX_WEIGHT_BITS:
        raise InputError(
            f"The values of ε are too large to be written as integers of {MAX_WEIGHT_BITS} bits. Choose smaller values."
        )
    whole, shade = 1 << bits, Fraction(uniform * _SHADE)
    names = ["".join("01"[lie] for lie in row) for row in lying.tolist()]
    weights = {
        name: math.floor(Fraction(share) * (1 - shade) * whole) for name, share in zip(names, shares.tolist(), strict=True)
    }
    weights[""] = math.ceil((Fraction(uniform) + shade) * whole)
    weights[max(weights, key=weights.__getitem__)] += whole - sum(weights.values())
    left = weights.pop("")
    return LieWeights(mechanism.sizes, left, tuple(sorted((name, weight) for name, weight in weights.items() if weight)))


def mechanism_of_group(weights: LieWeights | CountWeights) -> Listed | Counted:
    """Return a floating-point mechanism with the integer weights of a group."""
    if isinstance(weights, LieWeights):
        shares = np.array([weight / weights.whole for _, weight in weights.lies])
        return Listed(weights.sizes, weights.uniform / weights.whole, weights.lying, shares)
    sizes = np.array([weights.sizes[start] for start, _ in weights.runs])
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([weight / max(weights.records) for weight in weights.records])).reshape(weights.shape)
    kind = np.repeat(np.arange(len(weights.kinds)), weights.kinds)
    return Counted(weights.sizes, kind, logs - scipy.special.logsumexp(logs + log_uniform(sizes, np.array(weights.kinds))))


def mechanism_of_integers(file: MechanismFile) -> Mechanism | None:
    """Return a floating-point mechanism for a mechanism file.

    None if an attribute has its own matrix.
    """
    parts = [mechanism_of_group(own) for _, own in file.groups if not isinstance(own, MatrixWeights)]
    if len(parts) < len(file.groups):
        return None
    return Blocks(file.sizes, tuple(parts), tuple(places for places, _ in file.groups))


def _exceeds(ratio: Ratio, level: float) -> bool:
    return ratio is None or float(certified_nats(ratio)) > level + 1e-9  # nats are rounded up to nine decimals
