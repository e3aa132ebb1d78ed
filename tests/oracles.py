"""Slow, obvious versions of what rrcore computes fast. Everything here loops over cells, sets of changes or outputs.

Matrices over cells have the input cell as row and the output cell as column; cells are in the order of ``ndarray.ravel``.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import exp, log, prod

import numpy as np
from scipy.optimize import linprog

from rrcore.promise.weights import CountWeights, MatrixWeights


def cells(sizes):
    """Every record of the domain, in the order of ``ndarray.ravel``."""
    return list(product(*(range(a) for a in sizes)))


def lie_sets(k):
    """Every set of changes as a tuple of 0 (truth) and 1 (lie), in the order of ``ndarray.ravel``."""
    return list(product((0, 1), repeat=k))


def outputs_with(lies, sizes):
    """t_S: how many outputs share the set of changes."""
    return prod(a - 1 for a, lie in zip(sizes, lies, strict=True) if lie)


# the dense channel, in four ways


def dense(channel):
    """M x M matrix of a SubsetChannel: q_S / t_S for the set S of positions where input and output differ."""
    entries = np.array([channel.probabilities[lies] / outputs_with(lies, channel.sizes) for lies in lie_sets(len(channel.sizes))])
    return entries[lies_between(tuple(channel.sizes))]


@cache
def lies_between(sizes):
    """Which of ``lie_sets`` leads from the cell of the row to that of the column, M x M."""
    places = {lies: place for place, lies in enumerate(lie_sets(len(sizes)))}
    return np.array([[places[tuple(int(u != v) for u, v in zip(x, y, strict=True))] for y in cells(sizes)] for x in cells(sizes)])


def dense_mechanism(mechanism):
    """M x M matrix of a mechanism, from its channel on all attributes."""
    return dense(mechanism.channel(range(mechanism.k)))


def kronecker_matrix(sizes, epsilon):
    """np.kron of the textbook matrices: e^eps / (e^eps + a - 1) on the diagonal, 1 / (e^eps + a - 1) elsewhere."""
    out = np.ones((1, 1))
    for a, level in zip(sizes, epsilon, strict=True):
        one = np.full((a, a), 1.0)
        np.fill_diagonal(one, exp(level))
        out = np.kron(out, one / (exp(level) + a - 1))
    return out


def joint_matrix(sizes, epsilon):
    """Keep the record with the smallest r_i, else report a uniform one."""
    rho = min((exp(e) - 1) / (exp(e) + a - 1) for a, e in zip(sizes, epsilon, strict=True))
    m = prod(sizes)
    return rho * np.eye(m) + np.full((m, m), (1 - rho) / m)


def closed_form_solution(sizes, epsilon):
    """(T, y_0, y) of theory.md section 3, or None: both ends of the interval of T are tried and the cheaper is kept."""
    r = [(exp(e) - 1) / (exp(e) + a - 1) for a, e in zip(sizes, epsilon, strict=True)]

    def y_of(turns):
        y = [(turns * (1 - ri) - 1) / a for ri, a in zip(r, sizes, strict=True)]
        return turns - 1 - sum((a - 1) * v for a, v in zip(sizes, y, strict=True)), y

    low, high = 1.0, float("inf")
    for i in range(len(sizes)):
        for condition in (lambda t, i=i: y_of(t)[1][i], lambda t, i=i: y_of(t)[0] - y_of(t)[1][i]):
            constant, slope = condition(0.0), condition(1.0) - condition(0.0)
            if slope > 0:
                low = max(low, -constant / slope)
            elif slope < 0:
                high = min(high, -constant / slope)
            elif constant < 0:
                return None
    if low > high * (1 + 1e-12):
        return None
    ends = [low] if high == float("inf") else [low, high]
    turns = min(ends, key=lambda t: y_of(t)[0])
    return (turns, *y_of(turns))


def closed_form_total(sizes, epsilon):
    """ln(1 + M y_0), or None where the closed form does not exist."""
    solution = closed_form_solution(sizes, epsilon)
    return None if solution is None else log(1 + prod(sizes) * solution[1])


def closed_form_matrix(sizes, epsilon):
    """M x M matrix from the formulas for y_0 and y_i."""
    turns, y0, y = closed_form_solution(sizes, epsilon)
    space = cells(sizes)
    out = np.full((len(space), len(space)), 1 / (len(space) * turns))
    for row, x in enumerate(space):
        for column, z in enumerate(space):
            lies = [i for i, (u, v) in enumerate(zip(x, z, strict=True)) if u != v]
            if not lies:
                out[row, column] += y0 / turns
            elif len(lies) == 1:
                out[row, column] += y[lies[0]] / turns
    return out


def marginalise(matrix, sizes, axes, report_sizes=None):
    """The channel on ``axes``: sum over the other output values; the other input values must not matter."""

    def targets(sizes):
        small = cells([sizes[i] for i in axes])
        position = {cell: number for number, cell in enumerate(small)}
        return [position[tuple(cell[i] for i in axes)] for cell in cells(sizes)], len(small)

    of, rows = targets(sizes)
    of_reports, columns = targets(report_sizes or sizes)
    summed = np.zeros((len(of), columns))
    for column, target in enumerate(of_reports):
        summed[:, target] += matrix[:, column]
    out = np.full((rows, columns), np.nan)
    for row, target in enumerate(of):
        if np.isnan(out[target, 0]):
            out[target] = summed[row]
        np.testing.assert_allclose(out[target], summed[row], rtol=0, atol=1e-13)
    return out


# the channel of integer weights, in fractions


def sizes_of(groups):
    """Numbers of categories, in the order of the attributes, of the ((places, weights), ...) of a mechanism file."""
    found = {}
    for places, weights in groups:
        found |= dict(zip(places, weights.sizes, strict=True))
    return tuple(found[i] for i in sorted(found))


def report_sizes_of(groups):
    """Numbers of reports, likewise."""
    found = {}
    for places, weights in groups:
        found |= dict(zip(places, weights.report_sizes, strict=True))
    return tuple(found[i] for i in sorted(found))


def _group_channel(weights):
    """P(released | true) of one group, by going through everything that may happen: dict of (true, released) -> Fraction."""
    records, reports = cells(weights.sizes), cells(weights.report_sizes)
    chances = dict.fromkeys(product(records, reports), Fraction(0))
    for true in records:
        if isinstance(weights, MatrixWeights):
            for released, weight in zip(reports, weights.rows[true[0]], strict=True):
                chances[true, released] += Fraction(weight, weights.whole)
            continue
        if isinstance(weights, CountWeights):
            chances |= {(true, released): _by_counts(weights, true, released) for released in records}
            continue
        for released in records:
            chances[true, released] += Fraction(weights.uniform, weights.whole * len(records))
            lies = "".join("1" if t != r else "0" for t, r in zip(true, released, strict=True))
            alike = outputs_with(map(int, lies), weights.sizes)
            chances[true, released] += Fraction(dict(weights.lies).get(lies, 0), weights.whole * alike)
    return chances


def _by_counts(weights, true, released):
    """P(released | true) as a distribution over sets of changes: the set by its counts, uniformly, then every false category uniformly."""
    ends = [sum(weights.kinds[:t]) for t in range(len(weights.kinds) + 1)]
    vectors = list(product(*(range(n + 1) for n in weights.kinds)))
    sets = list(lie_sets(len(weights.sizes)))
    counts = {s: tuple(sum(s[a:b]) for a, b in pairwise(ends)) for s in sets}
    alike = {s: outputs_with(s, weights.sizes) for s in sets}
    whole = sum(weights.records[vectors.index(counts[s])] * alike[s] for s in sets)
    lies = tuple(int(t != r) for t, r in zip(true, released, strict=True))
    return Fraction(weights.records[vectors.index(counts[lies])], whole)


@cache
def exact_channel(groups):
    """P(released | true) of all attributes: dict of (true, released) -> Fraction."""
    records, reports = cells(sizes_of(groups)), cells(report_sizes_of(groups))
    parts = [(places, _group_channel(weights)) for places, weights in groups]
    return {
        (true, released): prod(part[tuple(true[i] for i in places), tuple(released[i] for i in places)] for places, part in parts)
        for true, released in product(records, reports)
    }


@cache
def exact_matrix(groups):
    """M x M matrix of ``exact_channel`` in doubles."""
    records = cells(sizes_of(groups))
    return np.array(list(map(float, exact_channel(groups).values()))).reshape(len(records), -1)


@cache
def exact_promises(groups):
    """(levels, leakage, total) as ratios, None where unbounded, by comparing all records and outputs."""
    chances, sizes, report_sizes = exact_channel(groups), sizes_of(groups), report_sizes_of(groups)
    records, reports = cells(sizes), cells(report_sizes)

    def ratio(one, other):
        if one == other:
            return Fraction(1)
        return None if other == 0 or one == 0 else max(one, other) / min(one, other)

    def largest(found):
        found = list(found)
        return None if None in found else max(found, default=Fraction(1))

    total = largest(ratio(chances[x, o], chances[y, o]) for x in records for y in records for o in reports)
    epsilon, epsilon_informed = [], []
    for i in range(len(sizes)):
        near = [(x, y) for x in records for y in records if all(x[j] == y[j] for j in range(len(sizes)) if j != i)]
        epsilon_informed.append(largest(ratio(chances[x, o], chances[y, o]) for x, y in near for o in reports))
        own = {(x, c): sum(chances[x, o] for o in reports if o[i] == c) for x in records for c in range(report_sizes[i])}
        epsilon.append(largest(ratio(own[x, c], own[y, c]) for x, y in near for c in range(report_sizes[i])))
    return tuple(epsilon), tuple(epsilon_informed), total


# what the dense channel says about privacy and accuracy


def total_of(matrix):
    """Largest log-ratio of one output's probability under two inputs."""
    logs = np.log(matrix)
    return float(max(column.max() - column.min() for column in logs.T))


def leakage_of(matrix, sizes):
    """The same, over inputs that differ in attribute i only."""
    space = cells(sizes)
    position = {cell: number for number, cell in enumerate(space)}
    logs = np.log(matrix)
    out = np.zeros(len(sizes))
    for i, a in enumerate(sizes):
        for cell in space:
            others = [position[(*cell[:i], value, *cell[i + 1 :])] for value in range(a)]
            out[i] = max(out[i], float(np.ptp(logs[others], axis=0).max()))
    return out


def factors_of_dense(matrix, sizes):
    """mu_T as an eigenvalue: the channel only scales a product of contrasts (category 0 minus category 1) over T."""
    k = len(sizes)
    out = np.zeros((2,) * k)
    for members in lie_sets(k):
        contrast = np.ones(1)
        for a, inside in zip(sizes, members, strict=True):
            contrast = np.kron(contrast, np.r_[1.0, -1.0, np.zeros(a - 2)] if inside else np.ones(a))
        image = matrix @ contrast
        out[members] = float(image @ contrast) / float(contrast @ contrast)
        np.testing.assert_allclose(image, out[members] * contrast, rtol=0, atol=1e-12)
    return out


def factors_by_enumeration(channel):
    """mu_T = sum over S of q_S times prod over i in T of (1 if truth, -1 / (a_i - 1) if lie)."""
    k = len(channel.sizes)
    out = np.zeros((2,) * k)
    for members in lie_sets(k):
        for lies in lie_sets(k):
            value = channel.probabilities[lies]
            for a, inside, lie in zip(channel.sizes, members, lies, strict=True):
                if inside and lie:
                    value *= -1 / (a - 1)
            out[members] += value
    return out


def dense_estimate(released, matrix):
    """The paper's naive inversion: the released shares times the inverse matrix."""
    return (released.ravel() @ np.linalg.inv(matrix)).reshape(released.shape)


def dense_variance(shares, matrix, n, *, population):
    """Variance of every inverted share, from the definition.

    population=False: the n people are fixed; each contributes the variance of its own row of the inverse.
    population=True: every person is an independent draw of the released share.
    """
    inverse = np.linalg.inv(matrix)
    pi = shares.ravel()
    out = np.zeros(pi.size)
    for v in range(pi.size):
        score = inverse[:, v]
        if population:
            released = pi @ matrix
            out[v] = released @ score**2 - (released @ score) ** 2
        else:
            for x in range(pi.size):
                out[v] += pi[x] * (matrix[x] @ score**2 - (matrix[x] @ score) ** 2)
    return (out / n).reshape(shares.shape)


# the optimum


def lie_rates(sizes, epsilon):
    """1 - p_i."""
    return [(a - 1) / (exp(e) + a - 1) for a, e in zip(sizes, epsilon, strict=True)]


def terms(sizes, epsilon):
    """U_S, f_i(S) and d_i by their definitions."""
    k = len(sizes)
    lies = lie_rates(sizes, epsilon)
    uniform = np.array([prod((a - 1) / a if lie else 1 / a for a, lie in zip(sizes, s, strict=True)) for s in lie_sets(k)])
    f = np.array([[(lies[i] if not s[i] else lies[i] - 1) for s in lie_sets(k)] for i in range(k)])
    d = np.array([1 - lies[i] - 1 / sizes[i] for i in range(k)])
    return uniform, f, d


def plain_optimum(sizes, epsilon):
    """eps_total of (P) in phi and c, unscaled, default tolerances: right only while e^-eps_total is well above 1e-7."""
    uniform, f, d = terms(sizes, epsilon)
    result = linprog(
        np.r_[np.zeros(uniform.size), -1.0],
        A_eq=np.c_[f * uniform, -d],
        b_eq=np.zeros(len(sizes)),
        bounds=[(0, 1)] * uniform.size + [(0, None)],
        method="highs",
    )
    return log(1 + 1 / result.x[-1])


def ratio_optimum(sizes, epsilon):
    """eps_total by another route (Privacy-Optimized RR): minimise t over 1 <= x_S <= t with the given truth probabilities."""
    k = len(sizes)
    lies = lie_rates(sizes, epsilon)
    counts = np.array([outputs_with(s, sizes) for s in lie_sets(k)], dtype=float)
    rows = [[t * ((1 - lies[i]) if s[i] else -lies[i]) for s, t in zip(lie_sets(k), counts, strict=True)] for i in range(k)]
    result = linprog(
        np.r_[np.zeros(counts.size), 1.0],
        A_eq=np.c_[np.array(rows), np.zeros(k)],
        b_eq=np.zeros(k),
        A_ub=np.c_[np.eye(counts.size), -np.ones(counts.size)],
        b_ub=np.zeros(counts.size),
        bounds=[(1, None)] * (counts.size + 1),
        method="highs",
    )
    return log(result.x[-1])


def dual_value(sizes, epsilon, direction):
    """ln(1 + 1 / E_U[(lambda.f)_+]) with lambda scaled to lambda.d = 1: no mechanism with these levels costs less."""
    uniform, f, d = terms(sizes, epsilon)
    scaled = np.asarray(direction) / (np.asarray(direction) @ d)
    return log(1 + 1 / float(uniform @ np.maximum(scaled @ f, 0)))


def dual_direction(sizes, epsilon):
    """lambda from the multipliers of (P) in phi variables, with c and the rows divided by a first dual value."""
    uniform, f, d = terms(sizes, epsilon)
    first = np.zeros(len(sizes))
    first[int(np.argmax(epsilon))] = 1.0
    scale = 1 / (exp(dual_value(sizes, epsilon, first)) - 1)
    for _ in range(3):
        result = linprog(
            np.r_[np.zeros(uniform.size), -1.0],
            A_eq=np.c_[f * uniform / scale, -d],
            b_eq=np.zeros(len(sizes)),
            bounds=[(0, 1)] * uniform.size + [(0, None)],
            method="highs-ipm",
        )
        direction = result.eqlin.marginals
        direction = direction if direction @ d > 0 else -direction
        scale = min(scale, 1 / (exp(dual_value(sizes, epsilon, direction)) - 1))
    return direction


def guarded_programme(sizes, epsilon, floors=(), caps=None):
    """Rows of the programme in y_S = X_S / min X and t: (A_eq, A_ub) over (y, t), homogeneous, with 1 <= y_S <= t apart.

    Written from the definitions of theory.md section 5 with the probability q_S = t_S X_S of a set of changes: E_q[1(lie at i)] = 1 - p_i,
    E_q[v_T] >= gamma prod r_i for each (T, gamma) of ``floors``, X_S <= e^cap X_{S + i} and the reverse for each S without i.
    """
    k = len(sizes)
    sets = lie_sets(k)
    position = {s: number for number, s in enumerate(sets)}
    counts = np.array([outputs_with(s, sizes) for s in sets], dtype=float)
    lies = lie_rates(sizes, epsilon)
    equal = [np.r_[counts * [s[i] - lies[i] for s in sets], 0.0] for i in range(k)]
    upper = []
    for axes, gamma in floors:
        r = prod((exp(epsilon[i]) - 1) / (exp(epsilon[i]) + sizes[i] - 1) for i in axes)
        v = [prod(-1 / (sizes[i] - 1) if s[i] else 1.0 for i in axes) for s in sets]
        upper.append(np.r_[counts * (gamma * r - np.array(v)), 0.0])
    for i, cap in enumerate([] if caps is None else caps):
        for s in sets:
            if s[i] or cap == float("inf"):
                continue
            other = position[(*s[:i], 1, *s[i + 1 :])]
            for first, second in ((position[s], other), (other, position[s])):
                row = np.zeros(counts.size + 1)
                row[first], row[second] = exp(-cap), -1.0
                upper.append(row)
    return np.array(equal), np.array(upper).reshape(-1, counts.size + 1)


def guarded_optimum(sizes, epsilon, floors=(), caps=None):
    """Least eps_total with floors ((axes, gamma), ...) and caps (nats, one per attribute), or None: minimise t over 1 <= y_S <= t."""
    equal, upper = guarded_programme(sizes, epsilon, floors, caps)
    sets = equal.shape[1] - 1
    order = np.c_[np.eye(sets), -np.ones(sets)]
    result = linprog(
        np.r_[np.zeros(sets), 1.0],
        A_eq=equal / np.abs(equal).max(axis=1, keepdims=True),
        b_eq=np.zeros(len(equal)),
        A_ub=np.r_[order, upper / np.abs(upper).max(axis=1, keepdims=True)],
        b_ub=np.zeros(sets + len(upper)),
        bounds=[(1, None)] * (sets + 1),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return log(result.x[-1]) if result.success else None


def largest_gamma(sizes, epsilon, marginals, caps=None):
    """The supremum of gamma with mu_T >= gamma prod r_i for all T of ``marginals``: any q >= 0 will do, however large its total."""
    least, _ = guarded_programme(sizes, epsilon)
    counts = np.array([outputs_with(s, sizes) for s in lie_sets(len(sizes))], dtype=float)
    _, bare = guarded_programme(sizes, epsilon, [(axes, 0.0) for axes in marginals])
    _, capped = guarded_programme(sizes, epsilon, caps=caps)
    r = [prod((exp(epsilon[i]) - 1) / (exp(epsilon[i]) + sizes[i] - 1) for i in axes) for axes in marginals]
    floors = np.c_[bare[:, :-1] / counts, r]  # in q: -E_q[v_T] + gamma prod r <= 0
    shares = np.c_[capped[:, :-1] / counts, np.zeros(len(capped))]
    result = linprog(
        np.r_[np.zeros(counts.size), -1.0],
        A_eq=np.r_[np.c_[least[:, :-1] / counts, np.zeros(len(least))], [np.r_[np.ones(counts.size), 0.0]]],
        b_eq=np.r_[np.zeros(len(least)), 1.0],
        A_ub=np.r_[floors, shares],
        b_ub=np.zeros(len(floors) + len(shares)),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return float(result.x[-1])


# a mechanism described by nothing but q_S, for domains too large for a matrix over cells


def facts(probabilities, sizes):
    """(levels, total, leakage, mu) by loops over sets of changes, mu as a dict from a tuple of positions to mu_T.

    levels: ln of the odds of telling the truth against one particular false value. leakage: ln X_S / X_{S + i} and its reverse.
    """
    k = len(sizes)
    q = {s: float(probabilities[s]) for s in lie_sets(k)}
    x = {s: log(q[s] / outputs_with(s, sizes)) for s in q}
    epsilon, epsilon_informed = [], []
    for i in range(k):
        lie = sum(q[s] for s in q if s[i])
        epsilon.append(log(sum(q[s] for s in q if not s[i]) / lie * (sizes[i] - 1)))
        epsilon_informed.append(max(abs(x[s] - x[(*s[:i], 1, *s[i + 1 :])]) for s in q if not s[i]))
    mu = {}
    for members in lie_sets(k):
        axes = tuple(i for i in range(k) if members[i])
        mu[axes] = sum(q[s] * prod(-1 / (sizes[i] - 1) if s[i] else 1.0 for i in axes) for s in q)
    return np.array(epsilon), max(x.values()) - min(x.values()), np.array(epsilon_informed), mu


def thinned(probabilities, sizes, kept):
    """q after joint thinning, by going through the intervals of u between the sorted ``kept``: those below u are hidden."""
    k = len(sizes)
    ends = sorted({0.0, 1.0, *kept})
    out = np.zeros((2,) * k)
    for low, high in pairwise(ends):
        hidden = [share < (low + high) / 2 for share in kept]
        for s in lie_sets(k):
            for after in lie_sets(k):
                chance = high - low
                for i in range(k):
                    if hidden[i]:
                        chance *= 1 - 1 / sizes[i] if after[i] else 1 / sizes[i]
                    elif s[i] != after[i]:
                        chance = 0.0
                out[after] += probabilities[s] * chance
    return out


def any_channel(sizes, epsilon, rng):
    """q of a random mechanism with exactly these levels: a random q, tilted attribute by attribute until each lie rate is right."""
    k = len(sizes)
    q = np.exp(rng.normal(0, 1, (2,) * k))
    for _ in range(2000):
        worst = 0.0
        for i, lie in enumerate(lie_rates(sizes, epsilon)):
            found = q.sum(axis=tuple(j for j in range(k) if j != i))
            shape = [2 if j == i else 1 for j in range(k)]
            q = q * (np.array([1 - lie, lie]) / found).reshape(shape)
            worst = max(worst, abs(found[1] / lie - 1))
        if worst < 1e-13:
            break
    return q / q.sum()
