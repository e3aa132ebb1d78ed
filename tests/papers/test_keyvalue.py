"""What the key-value paper says about its protocols, where that is quick to measure."""

import numpy as np
import pytest

from rrcore.keyvalue import PROTOCOLS, error_curve, invented, make_protocol


def medians(data, eps, keys=tuple(PROTOCOLS), repeats=12):
    todo = [(key, 0.0, make_protocol(key, eps)) for key in keys]
    found = error_curve(data, todo, repeats, rng=np.random.default_rng(1))
    return {key: (errors.band("frequency")[1], errors.band("mean")[1]) for key, _, errors in found}


@pytest.mark.slow
def test_kvue_has_the_lowest_errors_and_privkvm_the_highest():
    data = invented(100_000, 20, frequency=0.5, mean=0.2, spread=0.5, rng=np.random.default_rng(0))
    for eps in (0.5, 1.0, 2.0):
        found = medians(data, eps)
        for what in (0, 1):
            errors = {key: pair[what] for key, pair in found.items()}
            assert min(errors, key=errors.get) == "kvue"
            assert max(errors, key=errors.get) == "privkvm"


def test_privkv_draws_the_mean_towards_0_on_both_sides():
    errors = []
    for mean in (-0.8, 0.0, 0.8):
        data = invented(100_000, 10, frequency=0.6, mean=mean, spread=0.1, rng=np.random.default_rng(2))
        errors.append(medians(data, 1.0, ("privkv",))["privkv"][1])
    assert errors[0] == pytest.approx(errors[2], rel=0.15)
    assert errors[1] < errors[0] / 3


def test_expected_estimates_and_level_of_privkv():
    assert make_protocol("privkv", 1.0).expected(0.4, 0.5)[1] == pytest.approx(0.262, abs=5e-4)
    assert make_protocol("privkvm", 1.0).expected(0.4, 0.5)[1] == pytest.approx(0.4975, abs=5e-4)
    assert make_protocol("privkv", 1.0).exact_level == pytest.approx(0.719, abs=5e-4)


def test_the_mean_gets_closer_as_keys_get_frequent_and_the_frequency_does_not_care():
    found = []
    for frequency in (0.2, 0.6, 0.8):
        data = invented(100_000, 10, frequency=frequency, mean=0.0, spread=0.1, rng=np.random.default_rng(3))
        found.append(medians(data, 1.0, ("kvue",))["kvue"])
    means = [mean for _, mean in found]
    assert means == sorted(means, reverse=True)
    shares = [share for share, _ in found]
    assert max(shares) < 1.5 * min(shares)
