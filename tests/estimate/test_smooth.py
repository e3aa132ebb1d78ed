"""Ordered attributes: smooth ones come out closer, rough ones lose next to nothing, and what has no order is as it was."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

import rrcore as rr
from rrcore.budget import build
from rrcore.estimate.shrinkage_prior import FEWEST, STRENGTHS, kept_by_wave, ordered_axes, usual_law
from rrcore.table.schema import Attribute, Schema


def table(shares, n, kind, *, seed=0):
    """People of one attribute and of one that is answered yes more often the further along the first."""
    rng, size = np.random.default_rng(seed), len(shares)
    first = rng.choice(size, n, p=shares)
    second = (rng.random(n) < 0.2 + 0.6 * first / (size - 1)).astype(np.int64)
    schema = Schema((Attribute("age", tuple(f"{i:02}" for i in range(size)), kind), Attribute("yes", ("no", "yes"))))
    return rr.Dataset(schema, np.stack([first, second], axis=1))


BELL = norm.pdf(np.arange(14), 6, 3) / norm.pdf(np.arange(14), 6, 3).sum()
SPIKES = np.random.default_rng(4).dirichlet(np.full(14, 0.4))


def half_l1(people, level, axes, releases=12):
    """Mean over releases."""
    built, names = build("preserving-2", people.schema.sizes, [level] * 2), [people.schema.names[i] for i in axes]
    truth = people.shares(names)
    found = (rr.simulate(people, built, rng=np.random.default_rng(seed)).shrinkage.shares(axes) for seed in range(releases))
    return float(np.mean([np.abs(each - truth).sum() / 2 for each in found]))


@pytest.mark.parametrize(("level", "axes", "least"), [(0.5, (0,), 1.05), (1.0, (0, 1), 1.1)])
def test_what_is_smooth_along_its_order_comes_out_closer(level, axes, least):
    ordinal, nominal = (half_l1(table(BELL, 3_000, kind), level, axes) for kind in ("ordinal", "nominal"))
    assert nominal / ordinal > least


@pytest.mark.parametrize(("level", "axes"), [(0.5, (0, 1)), (2.0, (0,)), (4.0, (0, 1))])
def test_what_is_spiky_loses_no_more_than_three_in_a_hundred(level, axes):
    ordinal, nominal = (half_l1(table(SPIKES, 3_000, kind), level, axes) for kind in ("ordinal", "nominal"))
    assert ordinal / nominal < 1.03


def test_only_ordered_attributes_of_enough_categories_count():
    def attribute(size, kind):
        return Attribute(f"{kind}{size}", tuple(map(str, range(size))), kind)

    assert ordered_axes([attribute(FEWEST, "ordinal"), attribute(9, "nominal"), attribute(FEWEST - 1, "ordinal")]) == (0,)
    people = rr.load_demo("titanic")  # its classes are ordered, and are four
    plain = rr.Dataset(Schema(tuple(replace(each, kind="nominal") for each in people.schema.attributes)), people.codes)
    built = build("independent", people.schema.sizes, [0.5] * 4)
    one, other = (rr.simulate(each, built, rng=np.random.default_rng(3)).shrinkage for each in (people, plain))
    for axes in combinations(range(4), 2):
        assert (one.shares(axes) == other.shares(axes)).all()


def test_pairs_of_ordered_attributes_keep_their_single_shares():
    people = table(BELL, 2_000, "ordinal")
    shrinkage = rr.simulate(people, build("independent", (14, 2), [0.5, 0.5]), rng=np.random.default_rng(1)).shrinkage
    pair = shrinkage.shares((0, 1))
    assert pair.sum(axis=1) == pytest.approx(shrinkage.shares((0,)), abs=1e-9)
    assert pair.sum(axis=0) == pytest.approx(shrinkage.shares((1,)), abs=1e-9)


def test_one_wave_by_hand():
    """Two ordered categories have one wave, which is all there is: smooth and rough are the same, whatever the weights."""
    law, piece = usual_law(2), np.array([0.11, -0.11])
    noise, room, directions = 0.004, 0.8, 1.0
    means = STRENGTHS * room + noise
    likely = law * np.exp(-directions / 2 * (np.log(means) + (piece**2).sum() / means))
    part = float((likely * STRENGTHS * room / means).sum() / likely.sum())
    rough = math.log(likely.sum()), part * piece
    found = kept_by_wave(piece, [0], rough, noise=noise, room=room, directions=directions, law=law)
    assert found == pytest.approx(part * piece, rel=1e-12)


def test_rough_waves_are_not_taken_for_smooth_ones_and_the_other_way_round():
    law, noise, directions = np.full(len(STRENGTHS), 1 / len(STRENGTHS)), 0.05, 11.0
    line, jagged = np.linspace(-0.4, 0.4, 12), np.tile([0.2, -0.2], 6)

    def kept(piece, rough_part):
        means = STRENGTHS + noise
        log = float(np.log((law * np.exp(-directions / 2 * (np.log(means) + (piece**2).sum() / means))).sum()))
        return kept_by_wave(piece, [0], (log, rough_part * piece), noise=noise, room=1.0, directions=directions, law=law)

    # nothing of rough is kept, so what remains comes from smooth
    assert (kept(line, 0.0) ** 2).sum() > 0.5 * (line**2).sum()
    assert (kept(jagged, 0.0) ** 2).sum() < 0.01 * (jagged**2).sum()
    assert abs(kept(line, 1.0).sum()) < 1e-12
