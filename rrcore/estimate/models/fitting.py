"""Fitting a regression to randomised answers."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from rrcore.errors import InputError
from rrcore.estimate.models.building import build_problem, naive_problem
from rrcore.estimate.models.covariates import Columns, read_covariates, together
from rrcore.estimate.models.merging import merged, merged_note
from rrcore.estimate.models.model import Association, Family, Model, Penalty, Refusing
from rrcore.estimate.models.result import Fit
from rrcore.estimate.models.terms import Term, read_terms
from rrcore.estimate.models.weighting import sample_of
from rrcore.estimate.release import Release


def fit(
    release: Release | Sequence[Release],
    outcome: str,
    predictors: Sequence[str | Term],
    *,
    family: Family = "logistic",
    reference: str = "",
    association: Association = "pairs",
    always: str = "",
    refusing: Refusing = "anyone",
    penalty: Penalty = "",
    random: str = "",
    merge: Mapping[str, Sequence[str]] | None = None,
    covariates: Columns | Sequence[Columns] | None = None,
    weights: Any = None,
    clusters: Any = None,
    strata: Any = None,
) -> Fit:
    """Regress one outcome on predictors; each may be a randomised attribute or a column that was not randomised.

    The likelihood of what was released is maximised, with the true answers summed out and the mechanism's joint channel of all randomised
    attributes of the model known (theory.md section 21); ``family="linear"`` solves unbiased normal equations instead.

    Parameters
    ----------
    release : Release, or one for each group that was asked by a design of its own
    outcome, predictors, family, reference, association, always, refusing, penalty, random : as in ``Model``
        Predictors are written as ``read_terms`` reads them.
    merge : by name of an attribute or column, the categories that are taken as one, called "other"; ``rare_categories`` proposes them
    covariates : Columns
        What was not randomised, for every answer; for several releases a list of them. Collected answers bring their own.
    weights, clusters, strata : ndarray of shape (n,) each, or None
        Sampling weights; people drawn together; strata. Errors are then by linearisation.

    Raises
    ------
    NotIdentifiableError
        If the mechanism erases an attribute of the model, or how two of them go together.
    InputError
        If the model does not fit the answers, or its likelihood has no highest point.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> from rrcore.estimate.models import fit
    >>> found = fit(nigeria(), "connected to an armed group", ["education"])
    >>> found.terms, found.coefficients.round(2).tolist()
    (('intercept', 'education'), [[-1.19, 0.03]])
    """
    releases = [release] if isinstance(release, Release) else list(release)
    if not releases:
        raise InputError("No answers are given: give at least one release.")
    if any(each.times is not None for each in releases):
        raise InputError(
            "A regression goes through single records, and these answers are only counted: read them with their records."
        )
    each = zip(_columns(releases, covariates), releases, strict=True)
    columns = together([read_covariates(own, release.n) for own, release in each])
    releases, columns = merged(releases, columns, merge or {})
    known = {**dict.fromkeys(releases[0].schema.names), **dict.fromkeys(columns)}
    if outcome not in known:
        raise InputError(f"There is no outcome '{outcome[:80]}': choose among {', '.join(list(known)[:20])}.")
    if random and random not in columns:
        raise InputError(
            f"There is no column '{random[:80]}' for random intercepts: choose among {', '.join(list(columns)[:20]) or 'none'}."
        )
    terms: list[Term] = []
    for text in predictors:
        own_terms = read_terms(text, list(known))
        terms += [term for term in own_terms if len(own_terms) == 1 or term not in terms]
    model = Model(outcome, tuple(terms), family, reference, association, always, refusing, penalty, random)
    problem = build_problem(releases, model, columns, sample_of(releases, weights, clusters, strata))
    problem = replace(problem, notes=problem.notes + merged_note(merge or {}))
    naive, without_correction = naive_problem(releases, problem), None
    if naive is not None:
        with suppress(InputError):  # even that may have no highest point, or a category that nobody reported
            naive.check_spread()
            without_correction = Fit.of(naive)
    return Fit.of(problem, without_correction)


def _columns(releases: Sequence[Release], covariates: Columns | Sequence[Columns] | None) -> list[Columns]:
    if covariates is None:
        return [getattr(release, "groupings", ()) for release in releases]
    if len(releases) == 1:
        return [covariates]  # type: ignore[list-item]
    found = list(covariates)
    if len(found) != len(releases):
        raise InputError(
            f"There are {len(releases)} groups of answers and {len(found)} tables of covariates: give one for each group."
        )
    return found  # type: ignore[return-value]
