"""Checks of Key-Value: privacy and bits, variances, errors of six protocols, and conditional questions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.papers.checks import Check, Run, at_least, at_most, flatness, near, steepest
from rrcore.papers.keyvalue.conditional import IOH, ConditionalQuestion
from rrcore.papers.keyvalue.data import invented_keys
from rrcore.papers.keyvalue.protocols import KVOH, KVUE, PROTOCOLS, make_protocol
from rrcore.papers.keyvalue.study import repeat_errors

_NAMES = {key: title.partition(" (")[0] for key, (title, _) in PROTOCOLS.items()}
_LEVELS, _KINDS = (0.1, 0.4, 1.0, 2.0, 5.0), ("frequency", "mean")

# section VI: users of the generated sets, and the frequencies and means of Figures 2 to 4
_USERS, _FREQUENCIES, _MEANS = 100_000, (0.05, 0.2, 0.6, 0.8), (-0.8, 0.0, 0.8)

# -1, none, +1 in the low average case of section VI-D, with frequency 0.8 and mean -0.8
_STATES, _MEAN = np.array([0.72, 0.2, 0.08]), -0.8


def section_ii_c(run: Run) -> Iterator[Check]:
    """Check ε of PrivKV, of which half is for the key and half for the value."""
    for eps in (0.5, 1.0, 2.0, 5.0):
        exact = make_protocol("privkv", eps).exact_epsilon
        yield near("Section II-C", f"ε of PrivKV, ε_1 + ε_2 = {eps:g}", eps, exact, relative=0.01)


def table_iv(run: Run) -> Iterator[Check]:
    """Check the bits that a user sends about one key."""
    for d in (4, 100, 1_000):
        number = math.log2(d)
        rows = {"privkv": math.log2(3 * d), "f2m": 2 * number, "kvue": math.log2(3 * d), "kvoh": 3 * number}
        for key, printed in rows.items():
            yield near("Table IV", f"bits of {_NAMES[key]}, {d:,} keys", printed, make_protocol(key, 1.0).bits(d), relative=0.01)


def equation_5(run: Run) -> Iterator[Check]:
    """Check the printed variances of the estimated number of users in a state.

    The comparison is with the variances per user that follow from this library's channels.
    """
    for eps in (0.5, 1.0, 2.0):
        e, root = math.exp(eps), math.exp(eps / 2)
        formulas = ((KVUE(eps), "Equation (5)", (e + 1) / (e - 1) ** 2), (KVOH(eps), "Section IV-C", root / (root - 1) ** 2))
        for protocol, place, printed in formulas:
            for share in (0.0, 0.5):
                ours = protocol.state_variances(np.array([share, 1 - share, 0.0]))[0]
                what = f"variance of {type(protocol).__name__}, state of {100 * share:g}% of users, ε {eps:g}"
                yield near(place, what, printed, ours, relative=1e-6)


def sections_iii_and_vi_a(run: Run) -> Iterator[Check]:
    """Check the limits of the estimates as the sample size grows.

    The true frequency is 0.4, and the true mean is 0.5.
    """
    for eps in (0.5, 1.0, 2.0, 5.0):
        frequency, mean = make_protocol("privkv-a", eps).expected(0.4, 0.5)
        yield near("Theorem 2", f"limit of the frequency, PrivKV-A, ε {eps:g}", 0.4, frequency, absolute=1e-9)
        yield near("Theorem 2", f"limit of the mean, PrivKV-A, ε {eps:g}", 0.5, mean, absolute=1e-9)
        _, mean = make_protocol("privkvm", eps).expected(0.4, 0.5)
        yield near("Section VI-A", f"limit of the mean, PrivKVM, ε {eps:g}", 0.5, mean, absolute=1e-9)
    others = [key for key in PROTOCOLS if abs(make_protocol(key, 1.0).expected(0.4, 0.5)[1] - 0.5) < 1e-9 and key != "privkvm"]
    yield near("Section VI-A", "protocols besides PrivKVM with an unbiased limit of the mean", 0, len(others))


def _draw_states(keys: tuple[Floats, Floats], rng: np.random.Generator) -> Integers:
    """Draw the counts of states, shape (d, 3), if every user of an infinite population picks one key."""
    frequency, mean = keys
    shares = np.stack([frequency * (1 - mean) / 2, 1 - frequency, frequency * (1 + mean) / 2], axis=1) / len(mean)
    return np.asarray(rng.multinomial(_USERS, shares.ravel() / shares.sum()).reshape(shares.shape), dtype=np.int64)


def _errors(run: Run, keys: tuple[Floats, Floats], protocol: str, eps: float, repeats: int, default: float = 1.0) -> Floats:
    """Return the median errors of frequency and mean over repeated collections."""
    made = make_protocol(protocol, eps, default=default)
    found = repeat_errors(made, keys, partial(_draw_states, keys, run.rng), repeats, rng=run.rng)
    return np.array([found.band(kind)[1] for kind in _KINDS])


def _lowest(place: str, errors: dict[str, Floats], what: str) -> Check:
    """Check that no protocol has a smaller error than KVUE anywhere."""
    others = np.array([values for key, values in errors.items() if key != "kvue"]).min(axis=0)
    return at_most(place, f"error of KVUE / best other protocol, {what}", (errors["kvue"] / others).max(), 1)


def figure_1(run: Run) -> Iterator[Check]:
    """Check errors by ε for 100 keys."""
    keys = invented_keys(100, frequency=0.5, mean=0.2, spread=0.5, rng=run.rng)
    errors = {key: np.array([_errors(run, keys, key, eps, run.times(10)) for eps in _LEVELS]).T for key in PROTOCOLS}
    for i, kind in enumerate(_KINDS):
        yield _lowest("Figure 1", {key: values[i] for key, values in errors.items()}, kind)
        for key in ("privkv", "privkv-a", "kvue", "kvoh"):
            for eps, error in zip(_LEVELS[2:], errors[key][i][2:], strict=True):
                yield at_most("Figure 1", f"error of the {kind}, {_NAMES[key]}, ε {eps:g}", error, 0.05, printed=0.05)
    for key in ("kvue", "kvoh"):
        ratio = (errors[key][1] / errors["privkvm"][1]).max()
        yield at_most("Figure 1", f"error of the mean, {_NAMES[key]} / PrivKVM", ratio, 0.5)
    harder = min((means / frequencies).min() for frequencies, means in errors.values())
    yield at_least("Figure 1", "error of the mean / frequency, smallest", harder, 1)


def figures_2_to_4(run: Run) -> Iterator[Check]:
    """Check errors of ten keys with ε = 1 by their frequency and mean."""
    errors: dict[tuple[str, str], Floats] = {}
    for shape, means in (("gaussian", _MEANS), ("uniform", (0.0,))):
        made = partial(invented_keys, 10, shape=shape, spread=0.1, rng=run.rng)
        sets = [[made(frequency=f, mean=mean) for f in _FREQUENCIES] for mean in means]
        for key in PROTOCOLS:
            found = [[_errors(run, keys, key, 1.0, run.times(20)) for keys in row] for row in sets]
            # kinds x means x frequencies
            errors[shape, key] = np.moveaxis(np.array(found), -1, 0)
    for place, shape in (("Figure 2", "gaussian"), ("Figure 4", "uniform")):
        for key in ("privkv", "f2m", "kvue", "kvoh"):
            spread = max(flatness(row) for row in errors[shape, key][0].tolist())
            yield at_most(place, f"error of the frequency, {_NAMES[key]}, largest / smallest over frequencies", spread, 1.5)
    yield _lowest("Figure 2", {key: errors["gaussian", key][0] for key in PROTOCOLS}, "frequency")
    yield _lowest("Figure 3", {key: errors["gaussian", key][1] for key in PROTOCOLS}, "mean")
    for key in ("privkv", "privkv-a", "privkvm"):
        low, middle, high = errors["gaussian", key][1]
        falling = int(((low > middle) & (middle > high)).sum())
        yield at_least("Figure 3", f"frequencies of 4 at which the error of {_NAMES[key]} falls as the mean rises", falling, 3)
    for place, shape in (("Figure 3", "gaussian"), ("Figure 4", "uniform")):
        for key in ("privkv-a", "f2m", "kvue", "kvoh"):
            rise = max(steepest(row) for row in errors[shape, key][1].tolist())
            yield at_most(place, f"error of the mean, {_NAMES[key]}, largest ratio to the previous frequency", rise, 1.1)


def figure_5(run: Run) -> Iterator[Check]:
    """Check errors of F2M's mean by its default value."""
    keys = invented_keys(10, frequency=0.5, mean=0.2, spread=0.1, rng=run.rng)
    for eps in (0.5, 1.0):
        errors = [_errors(run, keys, "f2m", eps, run.times(300), default)[1] for default in (-1.0, -0.5, 0.0, 0.5, 1.0)]
        yield at_most("Figure 5", f"error of the mean, largest / smallest over default values, ε {eps:g}", flatness(errors), 1.1)


def ioh_errors(run: Run, d: int, users: int, eps: float) -> tuple[float, float]:
    """Return the median errors of IOH for a key's frequency and mean.

    The errors refer to users who have another key.

    Users have each of ``d`` keys independently with probability 0.8, and all values are -0.8. The frequency is compared with that
    of the same users without randomization.
    """
    protocol = IOH(eps, d)
    group, have, values = ConditionalQuestion(0, {1: True}).masks
    population = np.ones(1)
    for _ in range(d):
        population = np.multiply.outer(population, _STATES).ravel()
    misses = []
    for _ in range(run.times(20)):
        counted = run.rng.multinomial(users, population)
        sums = protocol.report(counted, rng=run.rng)
        table, real = protocol.table(sums, users), counted.reshape((3,) * d) / users
        variance = protocol.variance(sums, users)
        for axes in ((i, (i + 1) % d) for i in range(d)):
            shares, true = (protocol.marginal(each, variance, axes)[0] for each in (table, real))
            present = float((have * shares).sum())
            frequency = present / float((group * shares).sum()) - float((have * true).sum() / (group * true).sum())
            misses.append((frequency, float((values * shares).sum()) / present - _MEAN))
    first, second = np.median(np.abs(np.array(misses)), axis=0)
    return float(first), float(second)


def figures_6_and_7(run: Run) -> Iterator[Check]:
    """Check conditional frequencies and means by IOH.

    The checks cover 2, 4 and 8 keys, 10^5 and 10^6 users, and ε = 1 and 4.
    """
    found = np.array(
        [[[ioh_errors(run, d, users, eps) for d in (2, 4, 8)] for eps in (1.0, 4.0)] for users in (100_000, 1_000_000)]
    )
    for i, (place, what) in enumerate((("Figure 6", "frequency"), ("Figure 7", "mean"))):
        rows: Sequence[Sequence[float]] = found[..., i].reshape(-1, 3).tolist()
        rise = max(steepest(row[::-1]) for row in rows)
        yield at_most(place, f"error of the {what}, largest ratio to the next number of keys", rise, 1)
        fewer = (found[0, ..., i] / found[1, ..., i]).min()
        yield at_least(place, f"error of the {what}, 10^5 / 10^6 users, smallest", fewer, 1)
    yield at_least("Figure 7", "error of the mean / frequency, smallest", (found[..., 1] / found[..., 0]).min(), 1)


CHECKS = (section_ii_c, table_iv, equation_5, sections_iii_and_vi_a, figure_1, figures_2_to_4, figure_5, figures_6_and_7)
