"""A hundred instances with the totals that have once been reached: none may become larger."""

import json
from pathlib import Path

import numpy as np
import pytest

from rrcore.channel.epsilon import retention_from_epsilon
from rrcore.mechanisms.lowest_total import safe
from rrcore.mechanisms.safeguards import Safeguards, safeguarded
from rrcore.promise.certificate import certified_nats, certify
from rrcore.promise.rounding import integer_groups

STORED = json.loads(Path(__file__).with_name("stored_totals.json").read_text(encoding="utf-8"))
CERTIFIED = 10
"""Attributes up to which whole numbers are made of every mechanism here."""


def test_there_are_a_hundred_instances():
    assert len(STORED) == 100


@pytest.mark.parametrize(
    "stored",
    [pytest.param(each, marks=pytest.mark.long if "long" in each or number % 3 else ()) for number, each in enumerate(STORED)],
    ids=range(len(STORED)),
)
def test_no_total_is_larger_than_stored_and_certificates_verify(stored):
    sizes, epsilon = tuple(stored["sizes"]), np.array(stored["epsilon"])
    width, floor, slacks = stored.get("preserve"), stored.get("floor"), stored.get("slacks")
    if width is None:
        marginals = tuple(map(tuple, stored.get("marginals", ())))
        mechanism = safeguarded(sizes, epsilon, Safeguards(floor, marginals, tuple(slacks) if slacks else None))
    else:
        mechanism, marginals = safe(sizes, epsilon, width=width), ()
    assert mechanism.epsilon_total <= stored["total"] + 1e-9
    assert mechanism.lower_bound <= stored["total"] + 1e-9
    assert (mechanism.epsilon <= epsilon + 1e-10).all()
    np.testing.assert_allclose(mechanism.epsilon, epsilon, rtol=0, atol=1e-9)
    kept = retention_from_epsilon(epsilon, sizes)
    for axes in marginals:
        assert mechanism.factor(axes) >= floor * kept[list(axes)].prod() * (1 - 1e-9)
    if not marginals and (width or floor or 1) != 1:
        assert mechanism.min_pair_ratio() >= (floor or 1.0) * (1 - 1e-9)
    if slacks:
        assert (mechanism.epsilon_informed <= epsilon + slacks + 1e-9).all()
    if len(sizes) <= CERTIFIED:
        certificate = certify(integer_groups(mechanism))
        assert all(float(certified_nats(ratio)) <= eps + 1e-9 for ratio, eps in zip(certificate.epsilon, epsilon, strict=True))
        assert float(certified_nats(certificate.epsilon_total)) <= stored["total"] + 1e-6
