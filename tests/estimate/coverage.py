"""Coverage of intervals cell by cell: many releases of one table at once, drawn as counts from the law that a release has."""

from dataclasses import dataclass

import numpy as np

from rrcore.estimate import normal_point, simplex_of_each
from rrcore.estimate.score import share_laws
from rrcore.mechanisms import build


@dataclass(frozen=True)
class Setting:
    """A mechanism on a marginal, n people, and whether true shares are drawn with true zeros or very unequal."""

    mechanism: str
    sizes: tuple[int, ...]
    level: float
    n: int
    zeros: bool = True
    population: bool = True

    def __str__(self):
        kind, against = "zeros" if self.zeros else "unequal", "population" if self.population else "people"
        return f"{self.mechanism} {'x'.join(map(str, self.sizes))} at {self.level:g}, n {self.n}, {kind}, {against}"

    def channel(self):
        return build(self.mechanism, self.sizes, [self.level] * len(self.sizes)).marginal_channel(range(len(self.sizes)))

    def truth(self, rng):
        """True shares, multiples of 1 / n: about 60 % of the cells are empty, or shares of very different sizes."""
        cells = int(np.prod(self.sizes))
        shares = rng.dirichlet(np.ones(cells)) * (rng.random(cells) < 0.4) if self.zeros else rng.dirichlet(np.full(cells, 0.3))
        return rng.multinomial(self.n, shares / shares.sum()).reshape(self.sizes) / self.n


def draw(channel, truth, n, runs, *, population, rng):
    """Released counts of ``runs`` releases, shape (*sizes, runs): of n people drawn anew each time, or always of the same people."""
    if population:
        return rng.multinomial(n, channel.push(truth).ravel(), size=runs).T.reshape(*channel.sizes, runs)
    cells = truth.size
    lies = channel.push(np.eye(cells).reshape(*channel.sizes, cells)).reshape(cells, cells)
    counts = np.zeros((runs, cells), dtype=np.int64)
    for cell, people in enumerate(np.round(truth.ravel() * n).astype(int)):
        if people:
            counts += rng.multinomial(people, np.maximum(lies[:, cell], 0) / lies[:, cell].sum(), size=runs)
    return counts.T.reshape(*channel.sizes, runs)


def accepts(laws, x, z):
    """Whether the shares ``x`` in [0, 1] are in the intervals, without solving for the ends."""
    below, above = laws.limits(x, z)
    away = (laws.shares - x) / laws.deviation(x)
    return (-below <= away) & (away <= above)


def coverage_by_cell(setting, runs, rng):
    """(coverage of the nominal 95 % interval, expected released count, true share) of every cell, each of shape (M,)."""
    channel, truth = setting.channel(), setting.truth(rng)
    released = draw(channel, truth, setting.n, runs, population=setting.population, rng=rng) / setting.n
    shares = channel.invert(released)
    laws = share_laws(released, shares, simplex_of_each(shares), channel, setting.n, population=setting.population)
    covered = accepts(laws, np.broadcast_to(truth[..., None], shares.shape), normal_point(0.95))
    return covered.mean(axis=-1).ravel(), setting.n * channel.push(truth).ravel(), truth.ravel()


def random_table(sizes, rng, alpha=0.5):
    """True shares of a table of these sizes, drawn at random."""
    return rng.dirichlet(np.full(int(np.prod(sizes)), alpha)).reshape(sizes)
