"""Mechanisms broken on purpose, in every way that we know of, so that an audit can be seen to catch them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Booleans, Codes, Floats
from rrcore.audit.broken import restored_shares
from rrcore.audit.claims import Claim
from rrcore.audit.expected import WHOLE_ATTRIBUTES, Expected
from rrcore.audit.trials import Randomiser
from rrcore.limits import AUDIT_EXCESS
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import MatrixWeights

_EXCESS = 0.5  # how far above its claim, relatively, one level is
_PERIOD = 1_000  # records after which a poor generator repeats itself
_RARE = 0.05  # lie sets below this are dropped from a table that was cut

Move = Callable[[Codes, Codes], Codes]
"""True codes and honest shifts (released - true, modulo the number of categories) in, dishonest shifts out; shape (n, k)."""


@dataclass(frozen=True, eq=False)
class Scene:
    """What a cheat may look at.

    Parameters
    ----------
    expected : Expected, the file
    rng : its randomness
    """

    expected: Expected
    rng: np.random.Generator

    @property
    def sizes(self) -> Codes:
        """Numbers of categories."""
        return np.array(self.expected.sizes, dtype=np.int32)

    def rates(self) -> Floats:
        """How often each attribute lies."""
        return np.array([float(self.expected.lie_sets([i])[1]) for i in range(self.expected.k)])

    def replace(self, lies: Booleans) -> Codes:
        """Shifts to any other category where ``lies``."""
        shift = 1 + np.floor(self.rng.random(lies.shape) * (self.sizes - 1)).astype(np.int32)
        return np.where(lies, shift, 0).astype(np.int32)


@dataclass(frozen=True)
class Cheat:
    """One way to break a mechanism.

    Parameters
    ----------
    title : what it does
    check : the check that is expected to catch it, one of ``CHECKS``
    make : given the scene, what it does to honest shifts
    attributes, categories : it takes so many attributes, and categories of the first and the last one
    matrices : whether attributes may have matrices of their own
    """

    title: str
    check: str
    make: Callable[[Scene], Move]
    attributes: int = 1
    categories: int = 2
    matrices: bool = False

    def possible(self, file: MechanismFile) -> bool:
        """Whether ``file`` can be broken in this way."""
        lie_sets = not any(isinstance(weights, MatrixWeights) for _, weights in file.groups)
        return (
            (lie_sets or self.matrices)
            and file.reports.sizes == file.sizes
            and self.attributes <= len(file.sizes) <= WHOLE_ATTRIBUTES
            and min(file.sizes[0], file.sizes[-1]) >= self.categories
        )

    def break_file(self, file: MechanismFile, honest: Randomiser, *, rng: np.random.Generator) -> Randomiser:
        """``honest``, spoilt."""
        scene = Scene(Expected(file), rng)
        move = self.make(scene)

        def run(true: Codes) -> Codes:
            shift = (honest(true) - true) % scene.sizes
            return np.asfortranarray((true + move(true, shift.astype(np.int32))) % scene.sizes, dtype=np.int32)

        return run


def _all_levels(scene: Scene) -> Move:
    shares = restored_shares(Claim.of_file(scene.expected.file), AUDIT_EXCESS)
    return lambda true, shift: np.where(scene.rng.random(shift.shape) < shares, 0, shift)


def _comonotone(scene: Scene) -> Move:
    rates = scene.rates()
    return lambda true, shift: scene.replace(scene.rng.random((len(true), 1)) < rates)


def _secret(scene: Scene) -> Move:
    record = np.array([size // 2 for size in scene.sizes])
    return lambda true, shift: np.where((true == record).all(axis=1, keepdims=True), 0, shift)


def _one_category(scene: Scene) -> Move:
    def move(true: Codes, shift: Codes) -> Codes:
        shift[true[:, 0] == 0, 0] = 0
        return shift

    return move


def _uneven(scene: Scene, true: Codes, shift: Codes, group: Booleans) -> Codes:
    """Half of the lies of the first attribute taken from those in ``group`` and given to the others; the rate stays."""
    rate = scene.rates()[0]
    tossed = scene.rng.random(len(true))
    lies = shift > 0
    lies[group & lies[:, 0] & (tossed < 0.5), 0] = False
    lies[~group & ~lies[:, 0] & (tossed < 0.5 * rate / (1 - rate)), 0] = True
    return np.where(lies & (shift > 0), shift, scene.replace(lies))


def _data_dependent(scene: Scene) -> Move:
    return lambda true, shift: _uneven(scene, true, shift, true[:, 0] < scene.sizes[0] // 2)


def _by_another(scene: Scene) -> Move:
    return lambda true, shift: _uneven(scene, true, shift, (true[:, 0] + true[:, -1]) % 2 == 0)


def _favourite(scene: Scene) -> Move:
    def move(true: Codes, shift: Codes) -> Codes:
        chosen = (shift[:, 0] > 0) & (scene.rng.random(len(true)) < 0.5) & (true[:, 0] != 0)
        shift[chosen, 0] = (-true[chosen, 0]) % scene.sizes[0]
        return shift

    return move


def _any_category(scene: Scene) -> Move:
    def move(true: Codes, shift: Codes) -> Codes:
        return np.where(shift > 0, np.floor(scene.rng.random(shift.shape) * scene.sizes), 0).astype(np.int32)

    return move


def _one_level(scene: Scene) -> Move:
    share = restored_shares(Claim.of_file(scene.expected.file), _EXCESS)[0]

    def move(true: Codes, shift: Codes) -> Codes:
        shift[scene.rng.random(len(true)) < share, 0] = 0
        return shift

    return move


class _Tape:
    """Honest shifts that are kept and played again."""

    def __init__(self) -> None:
        self.rows: Codes | None = None

    def play(self, shift: Codes, length: int) -> Codes:
        """The first ``length`` rows of all that was kept, which ``shift`` makes longer where that is too short."""
        if self.rows is None or len(self.rows) < length:
            self.rows = shift[:length] if self.rows is None else np.concatenate([self.rows, shift])[:length]
        return self.rows


def _same_seed(scene: Scene) -> Move:
    tape = _Tape()
    return lambda true, shift: tape.play(shift, len(shift))[: len(shift)]


def _short_period(scene: Scene) -> Move:
    tape, place = _Tape(), [0]

    def move(true: Codes, shift: Codes) -> Codes:
        rows = tape.play(shift, _PERIOD)
        at = (place[0] + np.arange(len(shift))) % len(rows)
        place[0] += len(shift)
        return rows[at]

    return move


def _one_for_all(scene: Scene) -> Move:
    return lambda true, shift: np.repeat(shift[:1], len(shift), axis=0)


def _remembered(scene: Scene) -> Move:
    def move(true: Codes, shift: Codes) -> Codes:
        fresh = np.where(scene.rng.random(len(shift)) < 0.5, np.arange(len(shift)), 0)
        return shift[np.maximum.accumulate(fresh)]

    return move


def _next_one(scene: Scene) -> Move:
    return lambda true, shift: (shift > 0).astype(np.int32)


def _never(scene: Scene) -> Move:
    return lambda true, shift: np.zeros_like(shift)


def _redrawn(scene: Scene, shares: Floats) -> Move:
    """Lie sets drawn from other shares, shape (2,) * k."""
    k, cells = scene.expected.k, shares.ravel()

    def move(true: Codes, shift: Codes) -> Codes:
        drawn = scene.rng.choice(cells.size, size=len(true), p=cells / cells.sum())
        return scene.replace((drawn[:, None] >> np.arange(k)[::-1] & 1).astype(np.bool_))

    return move


def _truncated(scene: Scene) -> Move:
    shares = scene.expected.lie_sets(range(scene.expected.k))
    return _redrawn(scene, np.where(shares < max(_RARE, float(shares.min()) * 1.01), 0.0, shares))


def _parts_only(scene: Scene) -> Move:
    shares = scene.expected.lie_sets(range(scene.expected.k))
    odd = np.indices(shares.shape).sum(axis=0) % 2 == 1
    side = odd if shares[odd].min() > shares[~odd].min() else ~odd  # the parity that has more to give
    return _redrawn(scene, shares + np.where(side, -1.0, 1.0) * float(shares[side].min()))


def _even(scene: Scene) -> Move:
    def move(true: Codes, shift: Codes) -> Codes:
        lies = shift > 0
        lies[:, 0] ^= lies.sum(axis=1) % 2 == 1
        return np.where(lies & (shift > 0), shift, scene.replace(lies))

    return move


def _first_of_call(scene: Scene) -> Move:
    def move(true: Codes, shift: Codes) -> Codes:
        shift[0] = 0
        return shift

    return move


def _copied_kind(scene: Scene) -> Move:
    def move(true: Codes, shift: Codes) -> Codes:
        both = (shift[:, 0] > 0) & (shift[:, -1] > 0)
        shift[both, -1] = 1 + (shift[both, 0] - 1) % (scene.sizes[-1] - 1)
        return shift

    return move


def _swapped(scene: Scene) -> Move:
    return lambda true, shift: scene.replace(shift[:, ::-1] > 0)


def _memoised(scene: Scene) -> Move:
    kept: dict[bytes, Codes] = {}

    def move(true: Codes, shift: Codes) -> Codes:
        records, first, place = np.unique(true, axis=0, return_index=True, return_inverse=True)
        return np.array([kept.setdefault(row.tobytes(), shift[at]) for row, at in zip(records, first, strict=True)])[
            place.ravel()
        ]

    return move


def _neighbour(scene: Scene) -> Move:
    def move(true: Codes, shift: Codes) -> Codes:
        before = (np.roll(true, 1, axis=0) - true) % scene.sizes
        return np.where((shift > 0) & (before > 0), before, shift).astype(np.int32)

    return move


CHEATS = {
    "levels": Cheat("Every level is 10 % above its claim", "lies", _all_levels, matrices=True),
    "comonotone": Cheat("All answers of a record are false together", "lies", _comonotone, attributes=2),
    "secret record": Cheat("One record is always released truthfully", "records", _secret),
    "one category": Cheat("One category is never lied about", "people", _one_category),
    "data-dependent": Cheat("Some people lie half as often, others more", "people", _data_dependent),
    "by another answer": Cheat("Lies about one answer depend on another", "people", _by_another, attributes=2),
    "favourite": Cheat("A false answer is most often the first category", "replacements", _favourite, categories=3),
    "any category": Cheat("A false answer may be the true one", "lies", _any_category),
    "one level": Cheat("One attribute's level is 50 % too high", "lies", _one_level),
    "same seed": Cheat("Every start uses the same randomness", "starts", _same_seed),
    "short period": Cheat("The randomness repeats itself after 1,000 records", "sequence", _short_period),
    "one for all": Cheat("All records of a call share their lies", "starts", _one_for_all),
    "remembered": Cheat("Every other record takes the lies of the one before", "sequence", _remembered),
    "next one": Cheat("A false answer is always the next category", "replacements", _next_one, categories=3),
    "never": Cheat("It never lies", "lies", _never),
    "truncated": Cheat("Rare combinations of lies are dropped", "lies", _truncated),
    "parts only": Cheat(
        "Only the lies of whole records are wrong, those of fewer answers are right", "lies", _parts_only, attributes=2
    ),
    "even": Cheat("The number of lies in a record is always even", "lies", _even, attributes=2),
    "first of a call": Cheat("The first record of every call is true", "starts", _first_of_call),
    "copied": Cheat(
        "The last attribute becomes what the first one did", "replacements", _copied_kind, attributes=2, categories=3
    ),
    "swapped": Cheat("The attributes are taken in reverse order", "lies", _swapped, attributes=2),
    "memoised": Cheat("The same true record always gets the same release", "records", _memoised),
    "neighbour": Cheat("A false answer is the true one of the record before", "sequence", _neighbour, categories=3),
}
"""Key -> a way to break a mechanism, and the check that catches it."""
