"""How long does a regression on randomised answers take beside one on the released answers as they stand, and what does that one get wrong?

Run ``python benchmarks/bench_models.py``. 20,000 people, outcome and two predictors randomised together by pair-safe at level 2 each, six
covariates: seconds of ``fit`` (with the naive fit beside it), of the fit alone, and of statsmodels' Logit on released answers, each the
least of five; then true, estimated and naive coefficients. Exits 1 if ``fit`` takes ``LIMIT`` seconds or more, or an estimate is four of its
standard errors off.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time

import numpy as np

import rrcore as rr
from benchmarks.sizes import size
from rrcore.arrays import Floats
from rrcore.estimate.models import fit

PEOPLE, LEVEL, LIMIT = size(20_000, 3_000), 2.0, 2.0
TRUE = np.array([-0.5, 0.4, -0.3, 0.2, 0.3, -0.2, 0.1, 0.6, -0.5])
"""Intercept, six covariates, two randomised predictors."""
COVARIATES = [f"x{i}" for i in range(1, 7)]


def survey(rng: np.random.Generator) -> tuple[rr.Release, Floats]:
    """Released answers and covariates: three numbers and three yes/no columns."""
    x = rng.normal(size=(PEOPLE, 6))
    x[:, 3:] = x[:, 3:] > 0.3
    first = rng.random(PEOPLE) < 1 / (1 + np.exp(0.4 - x @ [0.5, -0.3, 0, 0.4, 0, 0.2]))
    second = rng.random(PEOPLE) < 1 / (1 + np.exp(0.2 - x @ [0, 0.4, 0.3, 0, -0.5, 0.2] - 0.7 * first))
    linear = np.column_stack([np.ones(PEOPLE), x, first, second]) @ TRUE
    outcome = rng.random(PEOPLE) < 1 / (1 + np.exp(-linear))
    schema = rr.Schema(tuple(rr.Attribute(name, ("no", "yes")) for name in ("first", "second", "outcome")))
    truth = rr.Dataset(schema, np.column_stack([first, second, outcome]).astype(np.int32))
    return rr.perturb(truth, rr.build("pair-safe", (2, 2, 2), [LEVEL] * 3), rng=rng), x


def seconds(run: Callable[[], object]) -> float:
    """The least of five runs."""
    found = []
    for _ in range(5):
        start = process_time()
        run()
        found.append(process_time() - start)
    return min(found)


def main() -> int:
    import statsmodels.api as sm

    release, x = survey(np.random.default_rng(0))
    covariates = dict(zip(COVARIATES, x.T, strict=True))
    predictors = [*COVARIATES, "first", "second"]
    found = fit(release, "outcome", predictors, covariates=covariates)
    assert found.naive is not None
    whole = seconds(lambda: fit(release, "outcome", predictors, covariates=covariates))
    codes = release.dataset.codes
    design = np.column_stack([np.ones(PEOPLE), x, codes[:, :2]])
    peer = seconds(lambda: sm.Logit(codes[:, 2], design).fit(disp=False))
    print(f"{PEOPLE:,} people, 3 randomised attributes, 6 covariates, {found.parameters} coefficients")
    print(
        f"fit, with the naive fit beside it: {whole:.2f} s (limit {LIMIT:g}), {whole / peer:.0f} times statsmodels' Logit ({peer:.3f} s)"
    )
    off = (found.coefficients[0] - TRUE) / found.standard_errors[0]
    lost = (found.naive.coefficients[0] - TRUE) / found.naive.standard_errors[0]
    for i, term in enumerate(found.terms):
        print(
            f"{term:12s} true {TRUE[i]:6.2f}   estimate {found.coefficients[0, i]:6.3f} ({off[i]:+5.1f} errors)   "
            f"released answers {found.naive.coefficients[0, i]:6.3f} ({lost[i]:+6.1f} errors)"
        )
    return int(whole >= LIMIT or np.abs(off).max() > 4)


if __name__ == "__main__":
    sys.exit(main())
