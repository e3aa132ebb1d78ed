"""Mechanisms broken on purpose, in every way that we know of, so that an audit can be seen to catch them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property, partial

import numpy as np

from rrcore.arrays import Booleans, Codes, Floats
from rrcore.audit.broken import restored_shares
from rrcore.audit.claims import Claim
from rrcore.audit.expected import WHOLE_ATTRIBUTES, Expected
from rrcore.audit.trials import Randomiser
from rrcore.limits import AUDIT_EXCESS
from rrcore.promise.mechanism_file import MechanismFile

_EXCESS = 0.5  # how far above its claim, relatively, one level is
_PERIOD = 1_000  # records after which a poor generator repeats itself
_RARE = 0.05  # lie sets below this are dropped from a table that was cut
_REUSED, _BACK = 0.02, 50  # so many records take the lie set of the one so many before


@dataclass(frozen=True, eq=False)
class Scene:
    """What a cheat may look at.

    Parameters
    ----------
    expected : Expected, the file
    rng : its randomness
    tape : rows of honest shifts that a cheat keeps, to play them again
    turns : numbers of records of the calls so far
    kept : true record -> the shifts that it once got, for a cheat that remembers
    """

    expected: Expected
    rng: np.random.Generator
    tape: list[Codes] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    kept: dict[bytes, Codes] = field(default_factory=dict)

    @cached_property
    def sizes(self) -> Codes:
        """Numbers of categories."""
        return np.array(self.expected.sizes, dtype=np.int32)

    @cached_property
    def lie_sets(self) -> Floats:
        """How likely every lie set is, shape (2,) * k."""
        return self.expected.lie_sets(range(self.expected.k))

    @cached_property
    def restored(self) -> Callable[[float], Floats]:
        """Excess of levels above the claim -> the share of false answers that must be put right for it, shape (k,)."""
        return cache(partial(restored_shares, Claim.of_file(self.expected.file)))

    def replace(self, lies: Booleans, shift: Codes | None = None) -> Codes:
        """Shifts to any other category where ``lies``; those of ``shift`` where there are some."""
        drawn = 1 + np.floor(self.rng.random(lies.shape) * (self.sizes - 1)).astype(np.int32)
        made = np.where(lies, drawn, 0).astype(np.int32)
        return made if shift is None else np.where(lies & (shift > 0), shift, made)

    def redrawn(self, shares: Floats, n: int) -> Codes:
        """Shifts of n records whose lie sets are drawn from other ``shares``, shape (2,) * k."""
        cells = shares.ravel()
        drawn = self.rng.choice(cells.size, size=n, p=cells / cells.sum())
        return self.replace((drawn[:, None] >> np.arange(self.expected.k)[::-1] & 1).astype(np.bool_))

    def uneven(self, shift: Codes, group: Booleans) -> Codes:
        """Half of the lies of the first attribute taken from those in ``group`` and given to the others; the rate stays."""
        rate = self.expected.rates[0]
        tossed = self.rng.random(len(shift))
        lies = shift > 0
        lies[group & lies[:, 0] & (tossed < 0.5), 0] = False
        lies[~group & ~lies[:, 0] & (tossed < 0.5 * rate / (1 - rate)), 0] = True
        return self.replace(lies, shift)

    def played(self, shift: Codes, length: int) -> Codes:
        """The first ``length`` rows of all that was kept, which ``shift`` makes longer where that is too short."""
        if sum(map(len, self.tape)) < length:
            self.tape[:] = [np.concatenate([*self.tape, shift])[:length]]
        return self.tape[0]


Move = Callable[[Scene, Codes, Codes], Codes]
"""The scene, true codes and honest shifts (released - true, modulo the number of categories) in, dishonest shifts out; shape (n, k)."""


@dataclass(frozen=True)
class Cheat:
    """One way to break a mechanism.

    Parameters
    ----------
    title : what it does
    check : the check that is expected to catch it, one of ``CHECKS``
    move : what it does to honest shifts
    attributes, categories : it takes so many attributes, and categories of the first and the last one
    matrices : whether attributes may have matrices of their own
    """

    title: str
    check: str
    move: Move
    attributes: int = 1
    categories: int = 2
    matrices: bool = False

    def possible(self, file: MechanismFile) -> bool:
        """Whether ``file`` can be broken in this way."""
        lie_sets = all(weights.rows is None for _, weights in file.groups)
        return (
            (lie_sets or self.matrices)
            and file.reports.sizes == file.sizes
            and self.attributes <= len(file.sizes) <= WHOLE_ATTRIBUTES
            and min(file.sizes[0], file.sizes[-1]) >= self.categories
        )

    def break_file(self, file: MechanismFile, honest: Randomiser, *, rng: np.random.Generator) -> Randomiser:
        """``honest``, spoilt."""
        scene = Scene(Expected(file), rng)

        def run(true: Codes) -> Codes:
            shift = ((honest(true) - true) % scene.sizes).astype(np.int32)
            return np.asfortranarray((true + self.move(scene, true, shift)) % scene.sizes, dtype=np.int32)

        return run


def _all_levels(scene: Scene, true: Codes, shift: Codes) -> Codes:
    return np.where(scene.rng.random(shift.shape) < scene.restored(AUDIT_EXCESS), 0, shift)


def _comonotone(scene: Scene, true: Codes, shift: Codes) -> Codes:
    return scene.replace(scene.rng.random((len(true), 1)) < scene.expected.rates)


def _secret(scene: Scene, true: Codes, shift: Codes) -> Codes:
    return np.where((true == scene.sizes // 2).all(axis=1, keepdims=True), 0, shift)


def _one_category(scene: Scene, true: Codes, shift: Codes) -> Codes:
    shift[true[:, 0] == 0, 0] = 0
    return shift


def _data_dependent(scene: Scene, true: Codes, shift: Codes) -> Codes:
    return scene.uneven(shift, true[:, 0] < scene.sizes[0] // 2)


def _by_another(scene: Scene, true: Codes, shift: Codes) -> Codes:
    return scene.uneven(shift, (true[:, 0] + true[:, -1]) % 2 == 0)


def _favourite(scene: Scene, true: Codes, shift: Codes) -> Codes:
    chosen = (shift[:, 0] > 0) & (scene.rng.random(len(true)) < 0.5) & (true[:, 0] != 0)
    shift[chosen, 0] = (-true[chosen, 0]) % scene.sizes[0]
    return shift


def _any_category(scene: Scene, true: Codes, shift: Codes) -> Codes:
    return np.where(shift > 0, np.floor(scene.rng.random(shift.shape) * scene.sizes), 0).astype(np.int32)


def _one_level(scene: Scene, true: Codes, shift: Codes) -> Codes:
    shift[scene.rng.random(len(true)) < scene.restored(_EXCESS)[0], 0] = 0
    return shift


def _same_seed(scene: Scene, true: Codes, shift: Codes) -> Codes:
    return scene.played(shift, len(shift))[: len(shift)]


def _short_period(scene: Scene, true: Codes, shift: Codes) -> Codes:
    rows = scene.played(shift, _PERIOD)
    scene.turns.append(len(shift))
    return rows[(sum(scene.turns[:-1]) + np.arange(len(shift))) % len(rows)]


def _one_for_all(scene: Scene, true: Codes, shift: Codes) -> Codes:
    return np.repeat(shift[:1], len(shift), axis=0)


def _remembered(scene: Scene, true: Codes, shift: Codes) -> Codes:
    fresh = np.where(scene.rng.random(len(shift)) < 0.5, np.arange(len(shift)), 0)
    return shift[np.maximum.accumulate(fresh)]


def _next_one(scene: Scene, true: Codes, shift: Codes) -> Codes:
    return (shift > 0).astype(np.int32)


def _never(scene: Scene, true: Codes, shift: Codes) -> Codes:
    return np.zeros_like(shift)


def _truncated(scene: Scene, true: Codes, shift: Codes) -> Codes:
    shares = scene.lie_sets
    return scene.redrawn(np.where(shares < max(_RARE, float(shares.min()) * 1.01), 0.0, shares), len(true))


def _parts_only(scene: Scene, true: Codes, shift: Codes) -> Codes:
    shares = scene.lie_sets
    odd = np.indices(shares.shape).sum(axis=0) % 2 == 1
    side = odd if shares[odd].min() > shares[~odd].min() else ~odd  # the parity that has more to give
    return scene.redrawn(shares + np.where(side, -1.0, 1.0) * float(shares[side].min()), len(true))


def _even(scene: Scene, true: Codes, shift: Codes) -> Codes:
    lies = shift > 0
    lies[:, 0] ^= lies.sum(axis=1) % 2 == 1
    return scene.replace(lies, shift)


def _first_of_call(scene: Scene, true: Codes, shift: Codes) -> Codes:
    shift[0] = 0
    return shift


def _copied_kind(scene: Scene, true: Codes, shift: Codes) -> Codes:
    both = (shift[:, 0] > 0) & (shift[:, -1] > 0)
    shift[both, -1] = 1 + (shift[both, 0] - 1) % (scene.sizes[-1] - 1)
    return shift


def _swapped(scene: Scene, true: Codes, shift: Codes) -> Codes:
    return scene.replace(shift[:, ::-1] > 0)


def _memoised(scene: Scene, true: Codes, shift: Codes) -> Codes:
    records, first, place = np.unique(true, axis=0, return_index=True, return_inverse=True)
    kept = [scene.kept.setdefault(row.tobytes(), shift[at]) for row, at in zip(records, first, strict=True)]
    return np.array(kept)[place.ravel()]


def _neighbour(scene: Scene, true: Codes, shift: Codes) -> Codes:
    before = (np.roll(true, 1, axis=0) - true) % scene.sizes
    return np.where((shift > 0) & (before > 0), before, shift).astype(np.int32)


def _truthful_alone(scene: Scene, true: Codes, shift: Codes) -> Codes:
    return np.zeros_like(shift) if len(true) == 1 else shift


def _reused(scene: Scene, true: Codes, shift: Codes) -> Codes:
    lies = shift > 0
    chosen = _BACK + np.flatnonzero(scene.rng.random(max(0, len(true) - _BACK)) < _REUSED)
    lies[chosen] = lies[chosen - _BACK]
    return scene.replace(lies, shift)


def _alike(scene: Scene, true: Codes, shift: Codes) -> Codes:
    fresh = np.concatenate([[True], (true[1:] != true[:-1]).any(axis=1)])
    before = np.maximum.accumulate(np.where(fresh, np.arange(len(true)), 0))
    return scene.replace((shift > 0)[before], np.where(fresh[:, None], shift, 0))


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
    "truthful alone": Cheat("A record that is sent by itself is released as it is", "alone", _truthful_alone),
    "reused": Cheat("One record in fifty takes the lie set of the one 50 before", "shared", _reused),
    "alike": Cheat("Neighbours with the same true answers share their lies", "shared", _alike),
}
"""Key -> a way to break a mechanism, and the check that catches it."""
