"""Totals of ln M or more: the share of untouched records against the channel of RR-Joint written out."""

import math

import numpy as np
import pytest

from rrcore.budget import untouched_share, untouched_warning
from rrcore.errors import InputError
from rrcore.mechanisms import Joint, build
from tests.oracles import dense_mechanism

ADULT = (9, 16, 7, 15, 6, 5, 2, 2)


@pytest.mark.parametrize("sizes", [(2, 2), (3, 2, 4), (5,)])
@pytest.mark.parametrize("total", [0.1, 1.0, 2.5, 6.0])
def test_the_share_is_the_diagonal_of_rr_joints_channel(sizes, total):
    diagonal = np.diag(dense_mechanism(Joint.from_total(sizes, total)))
    np.testing.assert_allclose(diagonal, untouched_share(sizes, total), rtol=1e-12)


@pytest.mark.parametrize("name", ["kronecker", "pair-safe", "optimal"])
def test_no_mechanism_of_the_same_total_leaves_more_records_untouched(name):
    mechanism = build(name, (3, 2, 4), (1.0, 1.5, 0.8))
    kept = np.diag(dense_mechanism(mechanism)).max()
    assert kept <= untouched_share(mechanism.sizes, mechanism.total_level) + 1e-12


def test_adult_at_16_nats_keeps_83_percent_and_ln_m_more_than_half():
    assert untouched_share(ADULT, 16.0) == pytest.approx(math.exp(16) / (math.exp(16) + math.prod(ADULT) - 1), rel=1e-12)
    assert round(untouched_share(ADULT, 16.0), 2) == 0.83
    log_records = math.log(math.prod(ADULT))
    assert 0.5 < untouched_share(ADULT, log_records) < 0.5001
    assert untouched_share(ADULT, 0.0) == pytest.approx(1 / math.prod(ADULT))


def test_very_many_records_and_very_large_totals_do_not_overflow():
    assert untouched_share([10] * 1000, 5.0) == pytest.approx(0, abs=1e-300)
    assert untouched_share([10] * 1000, 1e5) == 1.0
    assert "the 10^1000 possible records" in untouched_warning([10] * 1000, 1e5)


def test_the_warning_starts_at_ln_m_and_names_total_records_and_share():
    assert untouched_warning(ADULT, 14.41) == ""
    assert untouched_warning((2, 2), math.log(4))
    assert untouched_warning(ADULT, 16.0) == (
        "A total of 16.00 nats is not below 14.41, the logarithm of the 1,814,400 possible records, so that it protects little: RR-Joint "
        "would leave 83.0 % of records untouched."
    )


@pytest.mark.parametrize("total", [-1.0, math.nan])
def test_a_total_that_is_none_is_refused(total):
    with pytest.raises(InputError, match="give 0 or more nats"):
        untouched_share((2, 2), total)
