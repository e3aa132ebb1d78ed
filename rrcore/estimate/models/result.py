"""What a regression found: coefficients, errors, tests and predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError, need
from rrcore.estimate.models.effects import Averages, Predictions, average_predictions, predictions
from rrcore.estimate.models.hypothesis import Test, likelihood_ratio, rao_scott, wald
from rrcore.estimate.models.model import Model
from rrcore.estimate.models.moments import Moments, solve_moments
from rrcore.estimate.models.problem import Problem
from rrcore.estimate.models.solution import Solution, outer_product_covariance, solve
from rrcore.estimate.uncertainty import margin, two_sided_chance
from rrcore.wording import amount_range_text, amount_text, count_text, counted, csv_text, html_table
from rrcore.wording.short import Short, some


@dataclass(frozen=True, eq=False)
class Fit(Short):
    """A fitted regression.

    Parameters
    ----------
    model : Model
    answers : tuple of str, one for every equation: the categories of the outcome but the one of reference; the outcome where it is an amount
    terms : tuple of str, what the K coefficients of an equation are called, "intercept" first
    coefficients : ndarray of shape (E, K); log odds, or units of the outcome
    covariance : ndarray of shape (E * K, E * K)
    n : int, number of answers used
    log_likelihood : float, nats; NaN for a model fitted by moments
    parameters : int, number of free coefficients, those of the predictors' own distribution included
    naive : Fit to the released answers as if they were true, or None where nothing was randomised or it cannot be fitted
    refusals : (share, standard error) of people who do not follow the instruction, where the model has them
    notes : tuple of str
    deviation : (standard deviation of random intercepts in log odds, its standard error), where the model has them
    """

    model: Model
    answers: tuple[str, ...]
    terms: tuple[str, ...]
    coefficients: Floats
    covariance: Floats
    n: int
    log_likelihood: float
    parameters: int
    naive: Fit | None
    refusals: tuple[float, float] | None
    notes: tuple[str, ...]
    _problem: Problem = field(repr=False)
    _solved: Solution | Moments = field(repr=False)
    deviation: tuple[float, float] | None = None

    def _summary(self) -> str:
        terms = [f"{term} {value:.3g}" for term, value in zip(self.terms, self.coefficients[0], strict=True)]
        return f"{self.model.family} regression of {self.model.outcome}, {counted(self.n, 'answer', 'answers')}: {some(terms)}"

    @classmethod
    def of(cls, problem: Problem, naive: Fit | None = None) -> Fit:
        """The fit that solves ``problem``, by moments or by likelihood; raises InputError where it has no solution."""
        if problem.model.family != "linear":
            return cls._by_likelihood(problem, solve(problem), naive)
        moments = solve_moments(problem)
        return cls(
            problem.model, problem.answers, problem.labels, moments.coefficients[None], moments.covariance, problem.n, float("nan"),
            len(moments.coefficients), naive, None, problem.notes, problem, moments,
        )  # fmt: skip

    @classmethod
    def _by_likelihood(cls, problem: Problem, solution: Solution, naive: Fit | None) -> Fit:
        names = problem.answers[1:] if problem.amount is None else problem.answers
        rows = problem.rows(solution.outcome_rows.start)
        coefficients = np.array([solution.coefficients[place] for place in rows]).reshape(len(names), -1)
        covariance = solution.of(rows, solution.covariance)
        refusals = None
        if problem.refusals:
            row = solution.outcome_rows.start - 1
            share = float(1 / (1 + np.exp(-solution.coefficients[row, 0])))
            refusals = (share, share * (1 - share) * float(np.sqrt(solution.of([(row, 0)], solution.covariance)[0, 0])))
        return cls(
            problem.model, names, problem.labels, coefficients, covariance, problem.n, solution.log_likelihood,
            len(solution.covariance) + (solution.deviation is not None), naive, refusals,
            problem.notes + solution.notes, problem, solution, solution.deviation,
        )  # fmt: skip

    @property
    def kind(self) -> str:
        """What kind of regression it is, in a few words."""
        if self.model.family == "logistic":
            kind = "multinomial logistic regression" if len(self.answers) > 1 else "logistic regression"
            return f"{kind} with random intercepts" if self.model.random else kind
        return "linear regression by moments" if self.model.family == "linear" else "linear regression with normal errors"

    @property
    def standard_errors(self) -> Floats:
        """Standard error of every coefficient, shape (E, K); 0 where it was fixed."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0)).reshape(self.coefficients.shape)

    @property
    def score_errors(self) -> Floats:
        """Standard errors by the outer product of the scores in place of the observed information, shape (E, K).

        The R package rr gives these. They agree with ``standard_errors`` in large samples where the model is right.

        Raises
        ------
        InputError
            For a model fitted by moments, which has no likelihood.
        """
        if not isinstance(self._solved, Solution):
            raise InputError("A model fitted by moments has no likelihood, so no scores: use its standard errors.")
        rows = self._problem.rows(self._solved.outcome_rows.start)
        covariance = self._solved.of(rows, outer_product_covariance(self._problem, self._solved))
        return np.asarray(np.sqrt(np.diag(covariance)).reshape(self.coefficients.shape))

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Confidence interval of every coefficient, normal, or Student's of few clusters: (low, high), each of shape (E, K)."""
        half = margin(self.standard_errors, confidence, self._problem.weighting.freedom)
        return self.coefficients - half, self.coefficients + half

    @property
    def p_values(self) -> Floats:
        """Two-sided p-value of every coefficient being 0 (Wald), shape (E, K); NaN where it was fixed."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return two_sided_chance(self.coefficients / self.standard_errors, self._problem.weighting.freedom)

    @property
    def reference(self) -> str:
        """The category of the outcome that the others are compared with; nothing for an amount."""
        return self._problem.answers[0] if self._problem.amount is None else ""

    def column(self, k: int) -> str:
        """The attribute or covariate that coefficient ``k`` of an equation belongs to; "intercept" for the first."""
        owner = self._problem.owners[k]
        return next((term.column for term in self.model.predictors if term.text == owner), owner)

    def bent(self, k: int) -> bool:
        """Whether coefficient ``k`` is one of several powers of a number, or of an interaction, and so means nothing on its own."""
        return any(term.power > 1 or term.by is not None for term in self.model.predictors if self.column(k) in term.columns)

    def compared_with(self, k: int) -> str:
        """The category that coefficient ``k`` compares its own with; nothing for a number, a limit and the intercept."""
        return self._problem.firsts[k]

    def without(self, *terms: str) -> Fit:
        """A fit of the model to the same answers in which these terms have no effect on the outcome.

        A randomised predictor that is left out of the outcome so stays in what the likelihood is of, which a test needs. Interactions
        go with the terms that they are of.
        """
        self._known(terms)
        if not isinstance(self._solved, Solution):
            raise InputError(
                "A model fitted by moments has no likelihood: test its terms with test(), which needs no second fit."
            )
        return Fit._by_likelihood(self._problem, solve(self._problem, fixed=self._with_interactions(terms)), None)

    def _with_interactions(self, terms: Sequence[str]) -> list[str]:
        """These terms, and the interactions that they are part of, which mean nothing without them."""
        return [
            term.text for term in self.model.predictors if term.text in terms or any(part.text in terms for part in term.parts)
        ]

    def test(self, *terms: str) -> Test:
        """Whether these terms have any effect: the likelihood-ratio test, Rao and Scott's with weights, clusters or strata, or Wald's.

        Wald's is that of a fit by moments or with a penalty, which have no likelihood to compare.

        Examples
        --------
        >>> from rrcore.answers import nigeria
        >>> from rrcore.estimate.models import fit
        >>> fit(nigeria(), "connected to an armed group", ["education"]).test("education").kind
        'likelihood ratio'
        """
        self._known(terms)
        held = self._with_interactions(terms)
        chosen = [i for i, owner in enumerate(self._problem.owners * len(self.answers)) if owner in held]
        if isinstance(self._solved, Solution) and not self.model.penalty:
            return self._against(self.without(*terms), chosen)
        own, drawn = self.covariance[np.ix_(chosen, chosen)], self._problem.weighting.freedom
        return wald(self.coefficients.ravel()[chosen], own, drawn)

    def compare(self, smaller: Fit) -> Test:
        """Likelihood-ratio test against a ``smaller`` fit whose terms are among those of this one; Rao and Scott's with weights.

        Raises
        ------
        InputError
            If the two are not of the same answers, outcome and randomised attributes, or the other is not smaller.
        """
        if not (isinstance(self._solved, Solution) and isinstance(smaller._solved, Solution)) or self.model.penalty:
            raise InputError("A likelihood-ratio test needs a likelihood without a penalty: use test() instead.")
        same = self.n == smaller.n and all(
            getattr(self.model, part) == getattr(smaller.model, part) for part in ("outcome", "always", "random", "penalty")
        )
        if not same or self._problem.cells.schema != smaller._problem.cells.schema:
            raise InputError(
                "The two models are not of the same answers to the same randomised attributes, so their likelihoods do not compare: use "
                "without(), which keeps both."
            )
        if not set(smaller.terms) <= set(self.terms) or smaller.parameters >= self.parameters:
            raise InputError("The other model is not a smaller one: its terms must be among those of this model, and fewer.")
        chosen = [i for i, label in enumerate(self._problem.labels * len(self.answers)) if label not in smaller.terms]
        if self.parameters - smaller.parameters != len(chosen):
            raise InputError(
                "The two models differ in more than the terms of one of them, so their likelihoods do not compare: use without()."
            )
        return self._against(smaller, chosen)

    def _against(self, smaller: Fit, chosen: Sequence[int]) -> Test:
        """The likelihood-ratio test of ``smaller``, where the coefficients ``chosen`` are 0; Rao and Scott's with weights or clusters."""
        test = likelihood_ratio(self.log_likelihood, smaller.log_likelihood, len(chosen))
        if self._problem.weighting.simple:
            return test
        assert isinstance(self._solved, Solution)
        rows = self._problem.rows(self._solved.outcome_rows.start)
        simple = self._solved.of(rows, self._solved.simple_covariance)
        own = np.ix_(chosen, chosen)
        return rao_scott(test, simple[own], self.covariance[own], self._problem.weighting.freedom)

    def _known(self, terms: Sequence[str]) -> None:
        for term in terms:
            if term not in self.model.names:
                raise InputError(f"There is no term '{term[:80]}' in the model: choose among {', '.join(self.model.names)}.")
        if not terms:
            raise InputError("No term is named: name at least one of the model's.")

    def predict(self, people: Mapping[str, Any]) -> Predictions:
        """What the model expects for people with given true values of every predictor.

        Parameters
        ----------
        people : columns by name, of one length; a single value stands for everybody

        Examples
        --------
        >>> from rrcore.answers import nigeria
        >>> from rrcore.estimate.models import fit
        >>> found = fit(nigeria(), "connected to an armed group", ["education"]).predict({"education": [1, 10]})
        >>> found.values[:, 1].round(2).tolist()
        [0.24, 0.3]
        """
        self._one_intercept()
        return predictions(self._problem, self.coefficients, self.covariance, people)

    def average(self, predictor: str = "", at: Sequence[Any] = (), *, by: str = "") -> Averages:
        """Average predictions over the people who answered, with differences from the first.

        Parameters
        ----------
        predictor : str, a column that everybody is given the values ``at`` of, one after the other; all else stays as it is. Without one
            the average of everybody as he is.
        at : values of it; all categories of it if none is given (for a number: its quartiles)
        by : str, a covariate: averages within the groups that it makes instead
        """
        self._one_intercept()
        return average_predictions(self._problem, self._solved, self.coefficients, self.covariance, predictor, at, by)

    def _one_intercept(self) -> None:
        if self.deviation is not None:
            raise InputError("Predictions are of models with one intercept: fit this one without random intercepts for them.")

    def rows(self, confidence: float = 0.95) -> list[dict[str, Any]]:
        """One row for every coefficient: equation, term, estimate, error, interval, p-value, odds ratios, and the naive fit's estimate."""
        low, high = self.interval(confidence)
        errors, p_values, logistic = self.standard_errors, self.p_values, self.model.family == "logistic"
        found = []
        for e, answer in enumerate(self.answers):
            for k, term in enumerate(self.terms):
                row: dict[str, Any] = {
                    "outcome": answer, "term": term, "coefficient": float(self.coefficients[e, k]),
                    "standard error": float(errors[e, k]), "low": float(low[e, k]), "high": float(high[e, k]),
                    "p-value": float(p_values[e, k]),
                }  # fmt: skip
                if logistic:
                    ends = np.exp(np.clip([self.coefficients[e, k], low[e, k], high[e, k]], -700, 700))
                    row |= dict(zip(("odds ratio", "odds low", "odds high"), map(float, ends), strict=True))
                row["naive"] = float(self.naive.coefficients[e, k]) if self.naive else float("nan")
                if logistic:
                    row["naive odds ratio"] = float(np.exp(np.clip(row["naive"], -700, 700)))
                found.append(row)
        return found

    def to_pandas(self, confidence: float = 0.95) -> Any:
        """The rows as a pandas DataFrame."""
        return need("pandas", "to_pandas").DataFrame(self.rows(confidence))

    def to_csv(self, confidence: float = 0.95, *, mark: str = "") -> str:
        """The rows as CSV text, names made safe for a spreadsheet; ``mark`` is the name of a first column that says "yes" in every row."""
        rows = self.rows(confidence)
        return csv_text(rows[0], (row.values() for row in rows), mark=mark)

    def _repr_html_(self) -> str:
        """What a notebook shows: coefficients with intervals and p-values, those of the released answers beside them."""
        head = ["outcome", "term", "coefficient (95 %)", "p-value", "on released answers"]
        rows = [
            [
                row["outcome"], row["term"], amount_range_text(row["coefficient"], row["low"], row["high"]),
                f"{row['p-value']:.3g}", amount_text(row["naive"]) if self.naive else "",
            ]
            for row in self.rows()
        ]  # fmt: skip
        title = f"{self.kind} of {self.model.outcome}, {counted(self.n, 'answer', 'answers')}"
        return html_table(head, rows, numbers=3, title=title)

    def __str__(self) -> str:
        lines = [f"{self.kind} of {self.model.outcome}, {count_text(self.n)} answers"]
        for row in self.rows():
            lines.append(f"{row['outcome']}, {row['term']}: {amount_range_text(row['coefficient'], row['low'], row['high'])}")
        return "\n".join(lines)
