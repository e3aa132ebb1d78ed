"""Combinations that cannot occur are 0 in what every scheme estimates, whether or not it knows of them."""

import numpy as np
import pytest

from rrcore.schemes import SCHEMES
from rrcore.schemes.study import Study
from rrcore.schemes.summary import close_up
from tests.estimate.test_impossible import RULED
from tests.estimate.test_impossible import people as asked


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_has_zeros_there(scheme):
    study = Study((scheme,), ways=(2,), repeats=1, seed=1)
    found = close_up(study, asked(), np.full(4, 1.5), scheme, (1, 0))
    impossible = RULED.impossible_cells(["state", "age"])
    assert (np.abs(found.shares[impossible]) < 1e-15).all()  # rounding differs between processors
    assert (found.shares[~impossible] != 0).any()
    assert found.total == pytest.approx(1, abs=1e-6) or scheme == "truncated"  # whose shares need not sum to 1
