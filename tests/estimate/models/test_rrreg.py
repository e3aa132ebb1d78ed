"""Random intercepts and correlations, against R's RRreg: its documented examples, and numbers that its authors printed.

What RRreg found stands in ``rrreg/results.csv``, which ``rrreg/rrreg.R`` writes.
"""

import csv
from pathlib import Path

import numpy as np
import pytest

import rrcore as rr
from rrcore.estimate.models import correlations, fit
from rrcore.promise.weights import MatrixWeights

HERE = Path(__file__).with_name("rrreg")
SCALE = 10**6


def rows(name):
    return list(csv.DictReader((HERE / name).open(encoding="utf-8")))


RRREG = {row["what"]: float(row["value"]) for row in rows("results.csv")}


def released(designs, columns):
    """Answers to yes/no questions, of which ``designs`` says how often 1 is reported by those whose answer is 0 and 1."""
    schema = rr.Schema(tuple(rr.Attribute(name, ("0", "1")) for name in designs))
    weights = [MatrixWeights(tuple((SCALE - round(p * SCALE), round(p * SCALE)) for p in pair)) for pair in designs.values()]
    mechanism = rr.MechanismFile(schema, tuple(((i,), one) for i, one in enumerate(weights)))
    return rr.Release(rr.Dataset(schema, np.column_stack(columns).astype(np.int32)), mechanism)


def design(model):
    return RRREG[f"{model} from 0"], RRREG[f"{model} from 1"]


def test_random_intercepts_are_those_of_rrmixed():
    """The example of ?RRmixed, with the integral by quadrature (nAGQ = 25); Laplace's approximation, its default, is .03 off."""
    people = rows("mixed.csv")
    release = released({"resp": design("FR")}, [[int(row["resp"]) for row in people]])
    covariates = {"cov": [float(row["cov"]) for row in people], "group": [row["group"] for row in people]}
    found = fit(release, "resp", ["cov"], covariates=covariates, random="group")
    wanted = [RRREG[f"quadrature {name}"] for name in ("intercept", "cov", "deviation")]
    np.testing.assert_allclose([*found.coefficients[0], found.deviation[0]], wanted, atol=1e-3)
    errors = [RRREG[f"quadrature {name} error"] for name in ("intercept", "cov")]
    np.testing.assert_allclose(found.standard_errors[0], errors, rtol=0.02)  # lme4 takes differences of its own
    laplace = [RRREG[f"laplace {name}"] for name in ("intercept", "cov", "deviation")]
    assert 0.01 < np.abs(np.subtract(laplace, wanted)).max() < 0.05


def test_correlations_are_those_of_rrcor():
    """The example of ?RRcor: Kuk's cards, an unrelated question and a number that was not randomised."""
    people = rows("correlation.csv")
    columns = [[int(row[name]) for row in people] for name in ("response", "uqt")]
    release = released({"response": design("Kuk"), "uqt": design("UQTknown")}, columns)
    found = correlations(release, ["response", "cov", "uqt"], covariates={"cov": np.array([float(row["cov"]) for row in people])})
    assert {" and ".join(one.names) for one in found} == {"response and cov", "response and uqt", "cov and uqt"}
    for one in found:
        assert one.value == pytest.approx(RRREG[" and ".join(one.names)], abs=1e-3)


def with_moments(name, column):
    """As many numbers as people gave one report, with the mean and the deviation of ``column`` among them."""
    people, mean, deviation = int(RRREG[f"{name} people"]), RRREG[f"{name} {column} mean"], RRREG[f"{name} {column} deviation"]
    signs = np.tile([1.0, -1.0], people // 2) * np.sqrt(people / (people - people % 2))
    return mean + deviation * np.append(signs, np.zeros(people % 2))


@pytest.mark.parametrize(("column", "printed"), [("age", -0.054478), ("leftRight", 0.593345)])
def test_correlations_of_the_survey_on_minarets_are_those_printed(column, printed):
    """Heck and Moshagen (2018), J. Stat. Software 85(2), section 4.2: the stochastic lie detector, two conditions.

    The correlation asks of people no more than how many gave each report, and the moments of the column among them; these are the
    survey's. RRcor averages the conditions, each weighted by its people times what the design leaves of the answer's variance.
    """
    share, truthful = RRREG["minarets share"], RRREG["minarets truthful"]
    values, weights = [], []
    for condition, p in ((1, 2 / 12), (2, 10 / 12)):
        numbers = [with_moments(f"minarets {condition} {said}", column) for said in (0, 1)]
        codes = np.repeat([0, 1], [len(part) for part in numbers])
        release = released({"rrt": (1 - p, truthful)}, [codes])
        (found,) = correlations(release, ["rrt", column], covariates={column: np.concatenate(numbers)})
        values.append(found.value)
        left = (truthful - 1 + p) ** 2 * share * (1 - share) / (codes.mean() * (1 - codes.mean()))
        weights.append(len(codes) * left)
    assert np.average(values, weights=weights) == pytest.approx(printed, abs=1e-3)
    assert RRREG[f"rrt and {column}"] == pytest.approx(printed, abs=1e-6)
