"""The commonest ways in which a regression fails, and what each ends in: a fit, or a sentence that says what to do."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

import rrcore as rr
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate.models import NoHighestPointError, TooManyCombinationsError, fit, propose, rare_categories
from rrcore.estimate.models.model import PRIOR

_spec = importlib.util.spec_from_file_location("surveys", Path(__file__).with_name("surveys.py"))
surveys = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(surveys)


def randomised(demo, level, seed=0, mechanism="pair-safe"):
    table = rr.load_demo(demo)
    built = rr.build(mechanism, table.schema.sizes, [level] * len(table.schema.names))
    return rr.perturb(table, built, rng=np.random.default_rng(seed))


def test_too_many_combinations_fit_with_rare_categories_taken_as_one():
    release = randomised("census", 2.0, mechanism="kronecker")
    names = ["income", "education", "occupation"]
    with pytest.raises(
        TooManyCombinationsError, match=r"480 combinations of answers, the limit is 256: .* merge their rare categories"
    ):
        fit(release, names[0], names[1:])
    merge = rare_categories(release, {}, names)
    sizes = [release.schema.select([name]).sizes[0] - max(len(merge.get(name, ())) - 1, 0) for name in names]
    assert np.prod(sizes) <= 32
    found = fit(release, names[0], names[1:], merge=merge)
    assert any(term.endswith(": other") for term in found.terms)
    assert found.naive is not None
    assert np.isfinite(found.standard_errors).all()


def test_merging_before_and_after_randomising_is_one_in_expectation():
    """k-ary response on merged categories: fitted to expected counts, the model finds the table's own log odds."""
    levels = np.array([1.0, 1.0])
    schema = rr.Schema((rr.Attribute("t", ("a", "b", "c", "d")), rr.Attribute("y", ("no", "yes"))))
    truth = np.array([[300, 100], [200, 200], [20, 60], [10, 30]], dtype=float)
    channel = rr.build("kronecker", (4, 2), levels).marginal_channel((0, 1))
    expected = channel.push(truth / truth.sum()).ravel() * 1e6
    codes = np.stack(np.unravel_index(np.repeat(np.arange(8), np.rint(expected).astype(int)), (4, 2)), axis=1)
    release = rr.Release(rr.Dataset(schema, codes.astype(np.int32)), rr.build("kronecker", (4, 2), levels))
    found = fit(release, "y", ["t"], merge={"t": ("c", "d")})
    assert found.terms == ("intercept", "t: b", "t: other")
    base = np.log(100 / 300)
    np.testing.assert_allclose(found.coefficients[0], [base, -base, np.log(90 / 30) - base], atol=2e-3)


def test_categories_that_a_design_reports_in_different_ways_are_not_merged():
    from rrcore.promise import MechanismFile
    from rrcore.promise.weights import MatrixWeights

    schema = rr.Schema((rr.Attribute("t", ("a", "b", "c")), rr.Attribute("y", surveys.YES)))
    groups = (((0,), MatrixWeights(((6, 2, 2), (1, 8, 1), (2, 2, 6)))), ((1,), MatrixWeights(((8, 2), (2, 8)))))
    codes = np.random.default_rng(0).integers(0, (3, 2), (500, 2)).astype(np.int32)
    with pytest.raises(InputError, match="reports the categories of 't' that are to be merged in different ways"):
        fit(rr.Release(rr.Dataset(schema, codes), MechanismFile(schema, groups)), "y", ["t"], merge={"t": ("a", "b")})


@pytest.fixture(scope="module")
def separated():
    """A die, 40 people: nobody of the last group has the trait, as far as reports say."""
    group = np.repeat([0.0, 1.0], 20)
    said = np.concatenate([np.tile([0, 1], 10), np.zeros(20)]).astype(np.int64)
    release = surveys.released(np.random.default_rng(0), {"y": surveys.YES}, [said])
    codes = release.dataset.codes.copy()
    codes[:, 0] = said
    return rr.Release(rr.Dataset(release.schema, codes), release.mechanism), {"group": group}


def test_separation_ends_in_a_sentence_and_with_a_penalty_in_the_highest_posterior(separated):
    release, covariates = separated
    with pytest.raises(NoHighestPointError, match="fit with a penalty"):
        fit(release, "y", ["group"], covariates=covariates)
    found = fit(release, "y", ["group"], covariates=covariates, penalty="ridge")
    assert any(note.startswith("Penalised: every log odds is drawn weakly towards 0") for note in found.notes)
    matrix = release.mechanism.marginal_channel((0,)).push(np.eye(2))
    group, said = covariates["group"], release.dataset.codes[:, 0]

    def posterior(theta):
        yes = 1 / (1 + np.exp(-theta[0] - theta[1] * group))
        chance = matrix[said, 1] * yes + matrix[said, 0] * (1 - yes)
        return -np.log(chance).sum() + ((theta[0] + theta[1] / 2) ** 2 + theta[1] ** 2) / (
            2 * PRIOR**2
        )  # the group's mean is 1/2

    best = minimize(posterior, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10})
    np.testing.assert_allclose(found.coefficients[0], best.x, atol=1e-4)
    assert found.test("group").kind == "Wald"
    with pytest.raises(InputError, match="without a penalty"):
        found.compare(found)


def test_a_category_too_rare_is_named_and_fits_once_merged():
    rng = np.random.default_rng(3)
    region = np.array(["north"] * 600 + ["south"] * 500 + ["isle"] * 3 + ["lighthouse"] * 2)
    release = surveys.released(rng, {"y": surveys.YES}, [surveys.drawn(rng, np.where(region == "north", 0.5, -0.5))])
    codes = release.dataset.codes.copy()
    codes[-5:, 0] = 1
    release = rr.Release(rr.Dataset(release.schema, codes), release.mechanism)
    with pytest.raises(
        NoHighestPointError, match=r"The coefficient of 'region: (lighthouse|north|south)' has no finite .* merge its categories"
    ):
        fit(release, "y", ["region"], covariates={"region": region})
    from rrcore.estimate.models import read_covariates

    merge = rare_categories(release, read_covariates({"region": region}, len(region)), ["region"])
    assert merge == {"region": ("isle", "lighthouse", "south")}  # the first two together are still rare: 5 of 1,105
    offered = fit(release, "y", ["region"], covariates={"region": region}, merge=merge)
    assert offered.terms == ("intercept", "region: other")


def test_what_the_mechanism_erases_is_named_and_not_proposed():
    table = rr.load_demo("titanic").select(["Sex", "Age", "Survived"])
    release = rr.Release(table, rr.build("optimal", (2, 2, 2), [0.5, 0.5, 0.5]))
    with pytest.raises(
        NotIdentifiableError, match="erases how 'Sex' and 'Survived' go together, so no model can use both: leave one"
    ):
        fit(release, "Survived", ["Sex"])
    made = propose(release, list(release.schema.names))
    assert made.outcome == "Survived"
    assert "Sex" not in made.predictors


@pytest.mark.parametrize(
    ("demo", "level"), [("titanic", 1.0), ("berkeley", 1.0), ("haireye", 2.0), ("census", 1.0), ("census", 2.0)]
)
def test_what_is_proposed_can_be_fitted(demo, level):
    release = randomised(demo, level)
    made = propose(release, list(release.schema.names))
    assert made.predictors
    assert {made.outcome, *made.predictors, *made.left_out} == set(release.schema.names)
    assert release.schema.select([made.outcome]).sizes == (2,)
    assert np.isfinite(fit(release, made.outcome, made.predictors).standard_errors).all()


def test_what_is_left_out_is_said():
    release = randomised("census", 2.0)
    made = propose(release, list(release.schema.names), outcome="income")
    assert made.outcome == "income"
    assert made.sentence.endswith("left out: add them under Predictors.")
    assert made.left_out[0] in made.sentence


@pytest.mark.parametrize("reported", [1, 2])
def test_a_category_of_a_predictor_that_nobody_reported_ends_in_a_sentence_or_a_penalised_fit(reported):
    schema = rr.Schema((rr.Attribute("y", ("no", "yes")), rr.Attribute("t", ("a", "b", "c"))))
    rng = np.random.default_rng(1)
    codes = np.stack([rng.integers(0, 2, 500), rng.integers(0, reported, 500)], axis=1).astype(np.int32)
    release = rr.Release(rr.Dataset(schema, codes), rr.build("kronecker", (2, 3), [2.0, 2.0]))
    with pytest.raises(InputError, match="has no finite estimate"):
        fit(release, "y", ["t"])
    found = fit(release, "y", ["t"], penalty="ridge")
    assert np.isfinite(found.coefficients).all()
    assert np.isfinite(found.standard_errors).all()
    assert found.naive is None  # of the released answers alone the category has no coefficient
