"""Two stages as mechanism files: composed and undone exactly, against channels written out, and what they promise over waves."""

from fractions import Fraction

import numpy as np
import pytest

from rrcore.channel import Stages
from rrcore.errors import InputError
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, ever_sentence, given_away_in_waves, in_two_stages, integer_groups, remembered
from rrcore.promise.stages import every_wave
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights
from tests.asking.test_memory import ALL, COUNTS, file_of
from tests.promise.designs_zoo import ZOO
from tests.promise.designs_zoo import file_of as zoo_file

SHARES = [Fraction(1, 4), Fraction(2, 7), Fraction(9, 10)]


def written_out(file, axes):
    """The channel over some attributes as a matrix: rows true, columns reported."""
    channel = file.marginal_channel(axes)
    cells = int(np.prod(channel.sizes))
    return np.array([channel.push(row.reshape(channel.sizes)).ravel() for row in np.eye(cells)])


@pytest.mark.parametrize("redrawn", SHARES)
def test_one_report_is_what_is_remembered_and_then_redrawn(redrawn):
    """Against matrix products of both stages, and for a matrix against ``Stages``, which shares no code with it."""
    report, second = in_two_stages(ALL, redrawn), every_wave(ALL, redrawn)
    for axes in ([0], [0, 1], [2], [3, 4, 5], [1, 2, 4]):
        both = written_out(ALL, axes) @ written_out(second, axes)
        np.testing.assert_allclose(written_out(report, axes), both, atol=1e-14)
    stages = Stages.two_stage(written_out(ALL, [2]), float(redrawn))
    np.testing.assert_allclose(written_out(report, [2]), stages.permanent @ stages.instant, atol=1e-14)


@pytest.mark.parametrize("name", ZOO)
def test_what_is_remembered_comes_back_exactly_and_one_wave_gives_away_what_the_file_says(name):
    file = zoo_file(ZOO[name])
    for redrawn in SHARES:
        report = in_two_stages(file, redrawn)
        assert remembered(report, redrawn).certificate == file.certificate, redrawn
        assert report.certificate.total == given_away_in_waves(file, 1, "two-stage", redrawn=redrawn).held, redrawn
        assert report.reports == file.reports, redrawn
        assert MechanismFile.from_json(report.to_json()) == report, redrawn


def test_weights_that_go_back_are_those_there_were():
    file = file_of(LieWeights((2, 3), 0, (("00", 20), ("01", 3), ("10", 4), ("11", 7))), MatrixWeights(((7, 3), (1, 9))))
    assert remembered(in_two_stages(file, Fraction(1, 3)), Fraction(1, 3)).groups == file.groups


def test_what_cannot_be_is_refused():
    pair = file_of(MatrixWeights(((9, 1), (1, 9))))
    for bad in (Fraction(0), Fraction(1), Fraction(5, 4)):
        with pytest.raises(InputError, match="not between 0 and 1"):
            in_two_stages(pair, bad)
    with pytest.raises(InputError, match="it keeps too little"):
        remembered(pair, Fraction(1, 2))  # a report that is redrawn every other time is false a quarter of the time at least
    many = file_of(CountWeights((2,) * 13, (13,), (40, *[1] * 13)))
    with pytest.raises(InputError, match="13 attributes are randomised together"):
        in_two_stages(many, Fraction(1, 4))


def test_a_plan_of_many_unlike_attributes_is_written_or_refused_in_a_sentence():
    sizes = (2, 3, 4, 5, 6)
    file = file_of(*(weights for _, weights in integer_groups(build("pair-safe", sizes, [1.5] * 5))))
    assert in_two_stages(file, Fraction(1, 4)).certificate.total < file.certificate.total
    assert COUNTS.sizes == (2, 2, 2)


def test_reports_of_two_waves_can_give_away_more_than_the_sum_of_both():
    """Why a ledger counts what is remembered: for a rare report the sum of what each wave gives away is below what both do."""
    file = file_of(MatrixWeights(((98, 2), (90, 10))))
    report = in_two_stages(file, Fraction(1, 2))
    both = given_away_in_waves(file, 2, "two-stage", redrawn=Fraction(1, 2)).held
    assert both > report.certificate.total**2
    assert given_away_in_waves(file, 20, "two-stage", redrawn=Fraction(1, 2)).held <= file.certificate.total
    assert ever_sentence(report, Fraction(1, 2)).endswith("at most 5.00 times.")
