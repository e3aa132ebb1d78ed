"""How often confidence intervals hold the true value: exactly where a law can be listed, by simulation elsewhere."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import binom

from rrcore.budget import build
from rrcore.estimate import FEW, Sample, invert_counts
from rrcore.estimate.estimate import invert_tally
from rrcore.estimate.intervals import EQUAL
from rrcore.estimate.sample import tally
from rrcore.estimate.uncertainty import significance

RARE = 1e-9  # probability of reports that are left out
INTRACLASS = 0.02


@dataclass(frozen=True)
class Setting:
    """A quantity, ``n`` respondents, epsilon of each attribute, and a share.

    Parameters
    ----------
    quantity : "share" of yes, "within" a group, "mean" of ordered categories, "weights", or "clusters"
    of : share of the group, number of categories, or number of clusters
    population : whether the respondents are drawn from a population
    """

    quantity: str
    n: int
    epsilon: float
    share: float
    of: float = 0
    population: bool = True


def channel_of(sizes, epsilon):
    return build("independent", sizes, [epsilon] * len(sizes)).channel(range(len(sizes)))


def draw(channel, truth, n, runs, *, population, rng):
    """Released counts of ``runs`` releases, shape (*sizes, runs): of n people drawn again each time, or always of the same people."""
    cells = truth.size
    if population:
        return rng.multinomial(n, channel.push(truth).ravel(), size=runs).T.reshape(*channel.sizes, runs)
    law = np.maximum(channel.push(np.eye(cells).reshape(*channel.sizes, cells)).reshape(cells, cells), 0)
    people = np.round(truth.ravel() * n).astype(int)
    counts = sum(rng.multinomial(k, law[:, i] / law[:, i].sum(), size=runs) for i, k in enumerate(people) if k)
    return counts.T.reshape(*channel.sizes, runs)


def together(parts):
    """Many functionals of different releases as one."""
    names = ["mass", "square", "cross", "whole", "found", "size", "n", "u", "v", "laws"]
    return replace(parts[0], **{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def held(parts, truth, confidence=0.95):
    """Whether the interval of each functional holds ``truth``, without its ends being sought."""
    found, alpha = together(parts), significance(confidence, parts[0].freedom if parts[0].population else np.inf)
    value, (first, last) = np.broadcast_to(truth, len(found.n)).astype(float), found.bounds
    estimate = np.where(found.size > 0, found.estimate, 0.0)
    lowest = found.chance(np.full(len(found.n), first), equal=1 - EQUAL)
    highest = found.chance(np.full(len(found.n), last), equal=EQUAL)
    low = found.chance(value, equal=EQUAL, at=np.where(highest < alpha / 2, last, estimate)) >= alpha / 2
    high = found.chance(value, equal=1 - EQUAL, at=np.where(lowest > 1 - alpha / 2, first, estimate)) <= 1 - alpha / 2
    return (low & high) | ~(found.size > 0)


def least(setting):
    """The coverage that is asked of a setting."""
    if setting.quantity == "within" and setting.n * setting.of < FEW:
        return 0.88
    return 0.92 if setting.n >= 10 else 0.91


def coverage(setting, runs, rng):
    """(coverage, its standard error); the latter is 0 where the law is listed."""
    if setting.quantity == "share":
        return listed_coverage(setting), 0.0
    inside = {"within": _within, "mean": _mean, "weights": _weighted, "clusters": _clustered}[setting.quantity](
        setting, runs, rng
    )
    return inside.mean(), max(0.05 * 0.95 / runs, inside.var() / runs) ** 0.5


def listed_coverage(setting):
    """Of a yes/no attribute, by listing every number of reports."""
    n, channel = setting.n, channel_of((2,), setting.epsilon)
    false, true = channel.push(np.eye(2))[1]
    reports = np.arange(n + 1)
    if setting.population:
        share = setting.share
        law = binom.pmf(reports, n, share * true + (1 - share) * false)
    else:
        yes = round(setting.share * n)
        share = yes / n
        law = np.convolve(binom.pmf(np.arange(yes + 1), yes, true), binom.pmf(np.arange(n - yes + 1), n - yes, false))
    reports = reports[law > RARE]
    parts = [shares_of(channel, np.array([n - k, k]), setting.population, cell=1) for k in reports]
    return float(law[reports] @ held(parts, share))


def shares_of(channel, counts, population, cell):
    """The share of one cell."""
    groups = np.zeros((*channel.sizes, 1), dtype=np.int64)
    groups[cell] = 1
    return invert_counts(counts, channel).functionals(groups, np.array([0.0, 1.0]), population=population)


def _within(setting, runs, rng):
    """A yes/no attribute within a group of yes/no; outside it a third say yes."""
    channel = channel_of((2, 2), setting.epsilon)
    truth = np.array([(1 - setting.of) * np.array([2, 1]) / 3, setting.of * np.array([1 - setting.share, setting.share])])
    counts = draw(channel, truth, setting.n, runs, population=setting.population, rng=rng)
    groups, (a, b) = np.array([[0, 0], [1, 2]])[..., None], np.array([[0.0, 0, 1], [0, 1, 1]])
    people = np.round(truth * setting.n)
    share = setting.share if setting.population or not people[1].sum() else people[1, 1] / people[1].sum()
    parts = [
        invert_counts(one, channel).functionals(groups, a, b, population=setting.population) for one in np.moveaxis(counts, -1, 0)
    ]
    return held(parts, share)


def _mean(setting, runs, rng):
    """Ranks of categories of which the first and the last are taken."""
    a = int(setting.of)
    channel, truth = channel_of((a,), setting.epsilon), np.zeros(a)
    share = setting.share if setting.population else round(setting.share * setting.n) / setting.n
    truth[[0, -1]] = 1 - share, share
    counts = draw(channel, truth, setting.n, runs, population=setting.population, rng=rng)
    groups, ranks = np.arange(a)[:, None], np.arange(1.0, a + 1)
    parts = [invert_counts(one, channel).functionals(groups, ranks, population=setting.population) for one in counts.T]
    return held(parts, truth @ ranks)


def _sampled(answers, sample, epsilon, rng):
    channel = channel_of((2,), epsilon)
    reports = (rng.random(answers.size) < channel.push(np.eye(2))[1][answers]).astype(int)
    estimate = invert_tally(tally(reports[:, None], (2,), sample), channel)
    return estimate.functionals(np.array([[0], [1]]), np.array([0.0, 1.0]), population=True)


def _weighted(setting, runs, rng):
    """Weights between .5 and 3."""
    parts = []
    for _ in range(runs):
        answers = (rng.random(setting.n) < setting.share).astype(int)
        parts.append(_sampled(answers, Sample(rng.uniform(0.5, 3, setting.n)), setting.epsilon, rng))
    return held(parts, setting.share)


def _clustered(setting, runs, rng):
    """Clusters of equal size whose shares vary."""
    number, parts, p = int(setting.of), [], setting.share
    clusters, spread = np.arange(setting.n) % number, 1 / INTRACLASS - 1
    for _ in range(runs):
        shares = rng.beta(p * spread, (1 - p) * spread, number) if 0 < p < 1 else np.full(number, p)
        answers = (rng.random(setting.n) < shares[clusters]).astype(int)
        parts.append(_sampled(answers, Sample(np.ones(setting.n), clusters=clusters), setting.epsilon, rng))
    return held(parts, p)


def random_table(sizes, rng, alpha=0.5):
    """True shares of a table of these sizes, drawn at random."""
    return rng.dirichlet(np.full(int(np.prod(sizes)), alpha)).reshape(sizes)
