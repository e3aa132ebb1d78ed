"""Do some records take the lies of others? Evidence that grows with every pair of records, for a few of them or for people alike.

A lie set S that the file gives with probability p(S) is that of a record before it just as often, whatever that one's is. Where a share e
of the records takes it from there, an equal pair is 1 - e + e / p(S) times as likely, and an unequal one 1 - e times. By the file the
product of these numbers over a stream is 1 on average, so that 1 over it is a p-value: exactly, however rare a lie set is, and although
every record stands in several pairs (Ville 1939; theory.md section 16).
"""

from dataclasses import dataclass

import numpy as np
import scipy

from rrcore.arrays import Floats, Integers
from rrcore.audit.check import Check, Comparisons
from rrcore.audit.expected import Expected
from rrcore.audit.trials import Trials
from rrcore.wording import count_text, percent

LAGS = 512
"""Distances at which lie sets are compared."""

_FAMILIES = 3  # of comparisons: records at any distance, neighbours alike in all answers, and in one
_NEIGHBOURS = 2  # distances at which records with the same true answers are compared
_TOGETHER = 5  # most attributes whose lie sets are compared as a whole
_BLOCKS = 4  # most sets of so many attributes
_TAKEN = np.array([0.003, 0.01, 0.03, 0.1, 0.3, 0.9])  # shares of records that may take their lies from others
_CHUNK = 1 << 14  # records whose lie sets are compared with later ones at a time
_STRATA = 4_096  # groups of people with the same answers whose lies are counted
_PRIOR = 20.0  # people with the same answers whose lies are unknown count as so many of everybody
_SURE = 2.0  # standard deviations by which a share that is said to be seen is


def check_shared(trials: Trials, expected: Expected, *, alpha: float) -> Check:
    """Lie sets of records up to ``LAGS`` apart, and those of neighbours with the same true answers, in all attributes or in one."""
    found, lies, n = Comparisons("shared", alpha), trials.marks.lies, trials.n
    blocks = _blocks(expected.k)
    lags, near = min(LAGS, n // 2), min(_NEIGHBOURS, n // 2)
    people = _people(trials)
    sets = [(lies[:, axes] @ (1 << np.arange(len(axes))[::-1]), expected.lie_sets(axes).ravel()) for axes in blocks]
    apart = [_apart(own, shares, lags) for own, shares in sets]
    alike = [_alike(people, own, shares, near) for own, shares in sets]
    answers = [
        _alike(trials.true[:, i].astype(np.int64), lies[:, i].astype(np.int64), expected.lie_sets([i]), near)
        for i in range(expected.k)
        if expected.k > 1  # else that is the whole record
    ]
    found.add([one.p_value for own in apart for one in own], lambda at: _pairs_sentence("Records", apart[at // lags][at % lags]))
    found.add(
        [one.p_value for own in alike for one in own],
        lambda at: _pairs_sentence("Records with the same true answers,", alike[at // near][at % near]),
    )
    found.add(
        [one.p_value for own in answers for one in own],
        lambda at: _pairs_sentence(
            f"Records with the same true answer to '{expected.names[at // near]}',", answers[at // near][at % near]
        ),
    )
    few = least(sets[0][1], apart[0][0].pairs, alpha / (_FAMILIES * len(blocks) * lags))
    neighbours = least(sets[0][1], alike[0][0].pairs, alpha / (_FAMILIES * len(blocks) * near))
    return found.done(
        f"Lie sets of records up to {count_text(lags)} apart are equal as often as the file says, and so are those of neighbours with the "
        "same true answers.",
        unseen=(
            f"Lies that fewer than about {percent(few)} of the records take from another one, up to {count_text(lags)} records before, or "
            f"fewer than about {percent(neighbours)} of the neighbours with the same true answers: {count_text(n)} releases cannot tell."
        ),
    )


@dataclass(frozen=True)
class _Pairs:
    """Pairs of records ``lag`` apart: how many there are, how many have equal lie sets, and a p-value of that."""

    lag: int
    pairs: int
    equal: int
    p_value: float


def _blocks(k: int) -> list[list[int]]:
    """Attributes whose lie sets are compared: all, or a few sets of neighbours, spread evenly, where there are many."""
    every = np.array_split(np.arange(k), -(-k // _TOGETHER))
    chosen = np.unique(np.linspace(0, len(every) - 1, min(_BLOCKS, len(every))).astype(np.intp))
    return [every[at].tolist() for at in chosen]


def _people(trials: Trials) -> Integers:
    """A number for every record, equal where all true answers are (and hardly ever elsewhere)."""
    factors = np.random.default_rng(1).integers(1 << 20, 1 << 62, size=trials.true.shape[1], dtype=np.int64) | 1
    return np.asarray(trials.true.astype(np.int64) @ factors)


def _apart(sets: Integers, shares: Floats, lags: int) -> list[_Pairs]:
    """Lie sets at every distance from 1 to ``lags``.

    Parameters
    ----------
    sets : ndarray of shape (n,), numbers of lie sets
    shares : how likely each of them is, shape (m,)
    """
    n = sets.size
    equal = equal_apart(sets, shares.size, lags)
    pairs = n - np.arange(1, lags + 1)
    seen = np.bincount(sets, minlength=shares.size) / n
    p_values = np.maximum(*(_p_values(pairs, equal, own) for own in (shares, seen)))
    met = equal.sum(axis=1)
    return [_Pairs(lag, n - lag, int(met[lag - 1]), float(p_values[lag - 1])) for lag in range(1, lags + 1)]


def equal_apart(sets: Integers, many: int, lags: int) -> Integers:
    """How often two entries at each distance from 1 to ``lags`` are both s, for every s below ``many``: shape (lags, many)."""
    size, found = scipy.fft.next_fast_len(_CHUNK + lags, real=True), np.zeros((lags, many), dtype=np.int64)
    every = np.arange(many)[:, None]
    for start in range(0, sets.size, _CHUNK):
        here = (sets[start : start + _CHUNK + lags] == every).astype(np.float32)  # exact below 2^24, and half the time
        together = scipy.fft.rfft(here, size) * scipy.fft.rfft(here[:, :_CHUNK], size).conj()
        found += np.rint(scipy.fft.irfft(together, size)[:, 1 : lags + 1].T).astype(np.int64)
    return found


def _alike(strata: Integers, sets: Integers, shares: Floats, lags: int) -> list[_Pairs]:
    """Lie sets of neighbours of one stratum, at every distance from 1 to ``lags``.

    Parameters
    ----------
    strata, sets : ndarray of shape (n,), what people have in common, and numbers of lie sets
    shares : how likely each lie set is, shape (m,)
    """
    m = shares.size
    kind = (strata & _STRATA - 1) * m + sets
    times = np.bincount(kind, minlength=_STRATA * m).reshape(_STRATA, m)
    usual = _PRIOR * times.sum(axis=0) / sets.size
    people = times.sum(axis=1, keepdims=True)
    seen = ((times + usual) / (people + _PRIOR)).ravel()  # people may be lied to in ways of their own: another check's matter
    out = []
    for lag in range(1, lags + 1):
        together = strata[lag:] == strata[:-lag]
        pairs = int(together.sum())
        equal = np.bincount(kind[lag:][together & (sets[lag:] == sets[:-lag])])
        met = np.flatnonzero(equal)
        p_value = max(float(_p_values(np.array([pairs]), equal[None, met], own)[0]) for own in (shares[met % m], seen[met]))
        out.append(_Pairs(lag, pairs, int(equal.sum()), p_value))
    return out


def _p_values(pairs: Integers, equal: Integers, shares: Floats) -> Floats:
    return np.asarray(np.exp(-np.maximum(0.0, evidence(pairs, equal, shares))))


def evidence(pairs: Integers, equal: Integers, shares: Floats) -> Floats:
    """ln of how much likelier pairs are where some records take their lies from others, on average over ``_TAKEN``; shape (l,).

    Parameters
    ----------
    pairs : ndarray of shape (l,)
    equal : ndarray of shape (l, m), how many of the pairs are both of each lie set
    shares : how likely each lie set is, shape (m,)
    """
    logs = np.multiply.outer(pairs, np.log1p(-_TAKEN)) + equal @ _gains(shares).T
    return np.asarray(scipy.special.logsumexp(logs, axis=1) - np.log(_TAKEN.size))


def _gains(shares: Floats) -> Floats:
    """ln of how much likelier each share of ``_TAKEN`` makes an equal pair than an unequal one, by lie set: shape (6, m)."""
    return np.log1p(np.multiply.outer(_TAKEN / (1 - _TAKEN), 1 / np.maximum(shares, 1e-300)))


def least(shares: Floats, pairs: int, alpha: float) -> float:
    """The smallest share of records that take their lie set from another which so many pairs show, 49 times in 50; 1 where none is shown.

    Parameters
    ----------
    shares : how likely each lie set is, shape (m,)
    alpha : the p-value that shows it
    """
    taken = np.geomspace(1e-5, 1, 400)[:, None]
    possible = shares[shares > 0]
    gains = _gains(possible)
    equal = (1 - taken) * possible**2 + taken * possible  # probability of a pair of each lie set
    mean, square = equal @ gains.T, equal @ (gains**2).T
    spread = np.sqrt(np.maximum(0.0, pairs * (square - mean**2)))
    evidence = pairs * (mean + np.log1p(-_TAKEN)) - _SURE * spread - np.log(_TAKEN.size)
    shown = evidence.max(axis=1) >= -np.log(alpha)
    return float(taken[int(shown.argmax()), 0]) if shown.any() else 1.0


def _pairs_sentence(who: str, found: _Pairs) -> str:
    return (
        f"{who} {count_text(found.lag)} apart have equal lie sets in {percent(found.equal / max(1, found.pairs))} of "
        f"{count_text(found.pairs)} pairs, more often than the file says: some take the lies of others."
    )
