"""Channels over waves, against draws of a permanent and an instant stage."""

import numpy as np
import pytest

from rrcore.channel import MatrixChannel, ProductChannel, Stages
from rrcore.errors import InputError

RNG = np.random.default_rng(19)
DIE = np.array([[5 / 6, 1 / 6], [1 / 6, 5 / 6]])
UNEVEN = np.array([[0.7, 0.2, 0.1], [0.1, 0.5, 0.4], [0.3, 0.3, 0.4]])
SECOND = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
STAGES = {"fresh": Stages.fresh(UNEVEN), "memoised": Stages.memoised(UNEVEN), "two-stage": Stages(UNEVEN, SECOND)}


def drawn(stages, history, people, rng):
    """Reports of so many people with one history, stage by stage; shape (people, waves)."""
    a, c = stages.permanent.shape
    turned = np.stack([rng.choice(c, size=people, p=stages.permanent[x]) for x in range(a)])
    return np.stack(
        [np.array([rng.random(people)]).T.__gt__(stages.instant[turned[x]].cumsum(axis=1)[:, :-1]).sum(axis=1) for x in history],
        axis=1,
    )


@pytest.mark.parametrize("way", STAGES)
@pytest.mark.parametrize("history", [(0, 0), (1, 2), (2, 0, 2), (1, 1, 1)])
def test_the_joint_law_is_what_draws_show(way, history):
    """False alarms: 27 cells at most, each off by less than 5.5 standard errors; below 1e-5 for all of them."""
    stages, people = STAGES[way], 20_000
    seen = drawn(stages, history, people, np.random.default_rng(4))
    waves = len(history)
    place = np.ravel_multi_index(history, (3,) * waves)
    law = stages.joint(waves)[place]
    found = np.bincount(np.ravel_multi_index(seen.T, (3,) * waves), minlength=3**waves) / people
    assert (np.abs(found - law) <= 5.5 * np.sqrt(law * (1 - law) / people) + 1e-12).all()


@pytest.mark.parametrize("way", STAGES)
def test_a_joint_law_sums_to_one_and_every_wave_alone_is_the_single_channel(way):
    stages = STAGES[way]
    law = stages.joint(3).reshape((3,) * 6)
    assert np.allclose(law.sum(axis=(3, 4, 5)), 1)
    assert np.allclose(law.sum(axis=(3, 5))[1, 2, 0], stages.single[2])


@pytest.mark.parametrize("way", STAGES)
def test_the_table_of_two_waves_comes_back(way):
    channel = STAGES[way].two_waves()
    assert isinstance(channel, ProductChannel) == (way == "fresh")
    table = RNG.dirichlet(np.ones(9)).reshape(3, 3)
    assert channel.sizes == (3, 3)
    assert np.allclose(channel.invert(channel.push(table)), table)
    assert np.allclose(channel.push(table).ravel(), table.ravel() @ STAGES[way].joint(2))
    weights = RNG.normal(size=(3, 3))
    assert np.isclose((channel.pull(weights) * table).sum(), (weights * channel.push(table)).sum())
    assert np.isclose((channel.invert_back(weights) * channel.push(table)).sum(), (weights * table).sum())
    assert np.allclose(channel.marginal([1]).push(table.sum(axis=0)), channel.push(table).sum(axis=0))
    assert channel.lost() == ()
    assert np.allclose(channel.relative_factors, 1)
    repeated = np.stack([table, table.T], axis=-1)
    assert np.allclose(channel.squared_inverse(repeated)[..., 1], channel.squared_inverse(table.T))
    moment = np.array([[channel.inverse_moment(channel.push(e), 2)[i, j] for j, e in row] for i, row in enumerate(_units())])
    assert np.allclose(channel.own_moment(2), moment)


def _units():
    for i in range(3):
        row = []
        for j in range(3):
            unit = np.zeros((3, 3))
            unit[i, j] = 1
            row.append((j, unit))
        yield row


def test_a_wave_that_erases_everything_is_lost():
    flat = np.full((2, 2), 0.5)
    assert Stages.memoised(flat).two_waves().lost() == ((0,), (1,))


def test_how_often_a_change_shows():
    p, q = 5 / 6, 1 / 6
    assert Stages.memoised(DIE).seen() == pytest.approx((p * p + q * q,) * 2)
    assert Stages.memoised(DIE).unseen() == pytest.approx((0, 0))
    assert Stages.fresh(DIE).unseen() == pytest.approx((2 * p * q,) * 2)
    least, most = Stages.memoised(UNEVEN).seen()
    assert least == pytest.approx(1 - 0.1 * 0.3 - 0.5 * 0.3 - 0.4 * 0.4)
    assert most == pytest.approx(1 - 0.7 * 0.1 - 0.2 * 0.5 - 0.1 * 0.4)


def test_more_reports_than_can_be_written_out_are_refused():
    with pytest.raises(InputError, match="Ask for fewer waves"):
        Stages.fresh(UNEVEN).joint(7)
    with pytest.raises(ValueError, match="permanent stage"):
        Stages(DIE, UNEVEN)


def test_two_waves_of_one_answer_of_a_memoised_channel_are_one_report():
    channel = Stages.memoised(DIE).two_waves()
    table = np.diag([0.3, 0.7])
    assert channel.push(table)[0, 1] == channel.push(table)[1, 0] == 0
    assert np.allclose(channel.push(table).diagonal(), MatrixChannel(DIE).push(np.array([0.3, 0.7])))
