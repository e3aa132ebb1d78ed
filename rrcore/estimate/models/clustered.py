"""A logistic regression with an intercept of its own for every cluster, normal around the common one: the sum over it by quadrature."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.estimate.models.likelihood import Likelihood

_NODES = 15
_ROUNDS = 20  # in which the nodes are moved to where each cluster's intercept is
_STEADY = 1e-6  # change of the largest coefficient between two rounds that ends them
_STEP = 1e-4  # of the differences that give the curvature


@dataclass(frozen=True, eq=False)
class ClusteredMaximum:
    """Where the likelihood is highest.

    Parameters
    ----------
    theta : ndarray of shape (P,), free coefficients
    deviation : float of at least 0, standard deviation of the intercepts, in log odds
    information : ndarray of shape (P + 1, P + 1), observed, the deviation last
    value : float, nats
    converged : bool
    """

    theta: Floats
    deviation: float
    information: Floats
    value: float
    converged: bool


@dataclass(frozen=True, eq=False)
class ClusteredLikelihood:
    """ln of the integral over z of phi(z) times the product over a cluster's people of their likelihood with ``deviation * z`` added.

    Adaptive Gauss-Hermite quadrature: the nodes of each cluster are moved to the mean and spread of z given its answers (Naylor and Smith
    1982; Rabe-Hesketh, Skrondal and Pickles 2005). The R package RRreg calls this model RRmixed.

    Parameters
    ----------
    likelihood : Likelihood of people who are alike and of one cluster; its last part has two categories
    cluster : ndarray of shape (g,), codes 0..C-1
    """

    likelihood: Likelihood
    cluster: Integers

    @cached_property
    def _hermite(self) -> tuple[Floats, Floats]:
        """Nodes and log weights of the integral of a function itself, shape (Q,) each."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
        return nodes, np.log(weights) + nodes**2 / 2

    def _log_joint(self, free: Floats, nodes: Floats) -> tuple[Floats, list[Floats]]:
        """ln phi(z) plus the log-likelihood of every cluster at its nodes (C, Q), and everybody's mean gradients (rows, g) at each node."""
        own, theta, deviation = self.likelihood, free[:-1], free[-1]
        eta, row = own.coefficients(theta) @ own.x.T, own.rows[-1].start
        joint, gradients = -(nodes**2) / 2 - np.log(2 * np.pi) / 2, []
        for q in range(nodes.shape[1]):
            moved = eta.copy()
            moved[row] += deviation * nodes[self.cluster, q]
            value, mean = own.means(moved)
            joint[:, q] += np.bincount(self.cluster, own.weights * value, minlength=len(nodes))
            gradients.append(mean)
        return joint, gradients

    def derivatives(self, free: Floats, nodes: Floats, log_weights: Floats) -> tuple[float, Floats, Floats]:
        """Log-likelihood, its score (P + 1,) and P(node | answers) of every cluster (C, Q)."""
        own, row = self.likelihood, self.likelihood.rows[-1].start
        joint, gradients = self._log_joint(free, nodes)
        terms = joint + log_weights
        top = terms.max(axis=1, keepdims=True)
        raised = np.exp(terms - top)
        total = raised.sum(axis=1, keepdims=True)
        posterior = raised / total
        score, along = np.zeros(own.free.shape), 0.0
        for q, mean in enumerate(gradients):
            chance = own.weights * posterior[self.cluster, q]
            score += (mean * chance) @ own.x
            along += float((chance * mean[row]) @ nodes[self.cluster, q])
        value = float((top + np.log(total)).sum()) - float(own.ridge @ free[:-1] ** 2) / 2
        return value, np.append(score[own.free] - own.ridge * free[:-1], along), posterior

    def _at(self, centre: Floats, spread: Floats) -> tuple[Floats, Floats]:
        """Nodes of every cluster and their log weights, shape (C, Q) each."""
        nodes, weights = self._hermite
        return centre[:, None] + spread[:, None] * nodes, weights + np.log(spread)[:, None]

    def maximise(self) -> ClusteredMaximum:
        """Climb, move the nodes, and climb again until nothing moves."""
        from scipy.optimize import minimize  # heavy

        clusters = int(self.cluster.max()) + 1
        free = np.append(np.zeros(int(self.likelihood.free.sum())), 0.5)
        nodes, weights = self._at(np.zeros(clusters), np.ones(clusters))
        converged = False
        for _ in range(_ROUNDS):
            before = free
            found = minimize(
                lambda point, *at: tuple(-each for each in self.derivatives(point, *at)[:2]),
                free,
                args=(nodes, weights),
                jac=True,
                method="BFGS",
                options={"gtol": 1e-7, "maxiter": 500},
            )
            free = np.asarray(found.x, dtype=np.float64)
            posterior = self.derivatives(free, nodes, weights)[2]
            centre = (posterior * nodes).sum(axis=1)
            spread = np.sqrt(np.maximum((posterior * (nodes - centre[:, None]) ** 2).sum(axis=1), 1e-6))
            nodes, weights = self._at(centre, spread)
            if np.abs(free - before).max() < _STEADY:
                converged = True
                break
        value = self.derivatives(free, nodes, weights)[0]
        steps = np.eye(len(free)) * _STEP
        curvature = np.stack(
            [
                (self.derivatives(free - step, nodes, weights)[1] - self.derivatives(free + step, nodes, weights)[1])
                for step in steps
            ]
        ) / (2 * _STEP)
        return ClusteredMaximum(free[:-1], abs(float(free[-1])), (curvature + curvature.T) / 2, value, converged)
