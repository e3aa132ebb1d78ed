"""What an observer can learn about one attribute: odds and best guesses, exact where that is possible (theory.md sections 1, 5)."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.channel.liesets import log_lie_set_counts
from rrcore.limits import MAX_PROGRAMME_ATTRIBUTES
from rrcore.mechanisms import Mechanism
from rrcore.promise.integers import mechanism_of_group
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.wording import Quantity, percent


@dataclass(frozen=True)
class Observer:
    """One attribute as seen by an observer who believes ``prior`` beforehand.

    Parameters
    ----------
    level, leakage : most by which the log-odds about the attribute can move, in nats: by this answer alone, and by the whole
        released record for someone who knows the other true answers
    before, alone, full : how often the best guess of the attribute is right before anything is seen, after this released
        answer, and after the whole released record with the other true answers known; each in [0, 1]
    bounded : bool, whether ``full`` is only an upper bound, from the leakage
    """

    level: float
    leakage: float
    before: float
    alone: float
    full: float
    bounded: bool

    def sentences(self) -> tuple[str, ...]:
        """One plain sentence for each number."""
        most = "at most " if self.bounded else ""
        return (
            f"One answer: seeing it can shift anyone's odds about it by at most {Quantity('one answer', '').times(self.level)} times.",
            f"Others known: someone who sees the whole released record and already knows the other answers can shift their odds about this "
            f"one by up to {Quantity('others known', '').times(self.leakage)} times.",
            f"Before anything is seen, the best guess is right {percent(self.before)} of the time.",
            f"After seeing the released answer, the best guess is right {percent(self.alone)} of the time.",
            f"After seeing the whole released record and knowing the other true answers, it is right {most}{percent(self.full)} of "
            "the time.",
        )


def observer_prior(size: int, share: float = 0.0) -> Floats:
    """A belief about ``size`` answers: the first has ``share``, the others share the rest equally; all are equally likely where that
    would make the others commoner.
    """
    first = max(share, 1 / size)
    return np.array([first, *[(1 - first) / (size - 1)] * (size - 1)])


def observe(mechanism: Mechanism, axis: int, prior: ArrayLike) -> Observer:
    """What can be learnt about attribute ``axis``.

    Parameters
    ----------
    prior : shape (a_axis,), the observer's probabilities of the true answers beforehand
    """
    belief = np.asarray(prior, dtype=np.float64)
    leakage, best = float(mechanism.leakage[axis]), float(belief.max())
    alone = _best_guess(
        mechanism.marginal_channel([axis]).probabilities.reshape(2, 1), np.zeros(1), mechanism.sizes[axis], belief
    )
    bounded = mechanism.k > MAX_PROGRAMME_ATTRIBUTES
    if bounded:
        full = float(scipy.special.expit(leakage + np.log(best) - np.log1p(-best))) if best < 1 else 1.0
    else:
        order = [axis, *(i for i in range(mechanism.k) if i != axis)]
        channel = mechanism.marginal_channel(order)
        others = log_lie_set_counts([mechanism.sizes[i] for i in order[1:]]).ravel()
        full = _best_guess(channel.probabilities.reshape(2, -1), others, mechanism.sizes[axis], belief)
    level = abs(float(mechanism.levels[axis]))  # an answer that is false more often than at random tells as much, the other way
    return Observer(level, leakage, best, alone, full, bounded)


def observe_file(file: MechanismFile) -> tuple[Observer, ...]:
    """Return what can be learnt about each attribute of a mechanism file if all its answers are equally likely beforehand."""
    found = dict[int, Observer]()
    for places, weights in file.groups:
        if weights.rows is not None:
            found[places[0]] = _observe_matrix(weights.channel([0]).matrix)
            continue
        mechanism = mechanism_of_group(weights)
        for inner, place in enumerate(places):
            found[place] = observe(mechanism, inner, observer_prior(mechanism.sizes[inner]))
    return tuple(found[i] for i in range(len(file.sizes)))


def _observe_matrix(matrix: Floats) -> Observer:
    """Observe an attribute with a matrix of its own: the other answers tell nothing about it."""
    right = float(matrix.max(axis=0).sum() / len(matrix))
    columns = matrix[:, matrix.max(axis=0) > 0]
    with np.errstate(divide="ignore"):
        level = float((np.log(columns.max(axis=0)) - np.log(columns.min(axis=0))).max())
    return Observer(level, level, 1 / len(matrix), right, right, False)


def _best_guess(q: Floats, log_counts: Floats, size: int, prior: Floats) -> float:
    """Success of the best guess of one attribute.

    Parameters
    ----------
    q : ndarray of shape (2, m), probability of truth (0) and lie (1) at the attribute together with each lie set of the others
    log_counts : ndarray of shape (m,), ln of the number of outputs of each lie set of the others
    """
    truth, lie = q[0] * np.exp(-log_counts), q[1] * np.exp(-log_counts) / (size - 1)  # of one particular output
    order = np.sort(prior)[::-1]
    rival = np.where(np.arange(size) == int(np.argmax(prior)), order[1], order[0])  # the likeliest other answer
    success = np.maximum(np.multiply.outer(prior, truth), np.multiply.outer(rival, lie)).sum(axis=0)
    return float(success @ np.exp(log_counts))
