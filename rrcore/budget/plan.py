"""Plans: which attributes are randomized, and how.

A plan contains the epsilons, the sample size and the mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from os import PathLike
from statistics import NormalDist
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from msgspec import Meta

from rrcore.budget.pair_errors import expected_pair_errors
from rrcore.budget.recipes import offered_recipes, preserved_width, preserving_key, recipe, recommended_recipe
from rrcore.budget.total import check_total_weights, epsilon_for_total
from rrcore.budget.workload import Questions
from rrcore.channel.epsilon import check_epsilon
from rrcore.documents import Document, Fields, encode
from rrcore.errors import InputError, check_number
from rrcore.limits import MAX_COLUMNS, MAX_EPSILON, MAX_PEOPLE, MAX_QUESTIONS, MIN_EPSILON
from rrcore.mechanisms import Mechanism, Safeguards
from rrcore.progress import Report, quiet
from rrcore.promise.rounding import Group, integer_groups
from rrcore.table import Attribute, Dataset, Schema, given_table
from rrcore.table.reading.arrow import ArrowStream
from rrcore.table.schema import Kind
from rrcore.wording import MOST_ROWS, counted, epsilon_text, factor_text, html_table
from rrcore.wording.short import Short, some

if TYPE_CHECKING:
    import pandas as pd

Marginals = Annotated[tuple[tuple[str, ...], ...], Meta(max_length=MAX_QUESTIONS)]
"""Joint distributions, by the names of their attributes."""


class PlannedFields(Fields, frozen=True, kw_only=True):
    """One attribute with its epsilons. Readers recompute the results of the plan."""

    name: str
    kind: Kind = "nominal"
    categories: tuple[str, ...]
    epsilon: float
    epsilon_achieved: float | None = None
    epsilon_informed: float | None = None


class SafeguardFields(Fields, frozen=True):
    """Accuracy floors and caps on epsilon_informed.

    Joint distributions are named by their attributes.
    """

    floor: float | None = None
    marginals: Marginals = ()
    slacks: tuple[float | None, ...] | None = None


class PlanFields(Fields, frozen=True, kw_only=True):
    """The questions, sample size, epsilons and mechanism of a plan.

    The document contains no answers.
    """

    format: Literal["rr-workbench plan"]
    version: Literal[1]
    unit_of_levels: Literal["nats"]
    mechanism: str
    preserve: Annotated[int, Meta(ge=2, le=MAX_COLUMNS)] | None = None
    n: int
    budget: float | None = None
    workload: Marginals = ()
    epsilon_total: float | None = None
    lower_bound: float | None = None
    attributes: tuple[PlannedFields, ...]
    safeguards: SafeguardFields | None = None


@dataclass(frozen=True, init=False)
class Plan(Short, Document):
    """A plan for randomizing attributes.

    It contains the attributes, their epsilons, the sample size and the mechanism.

    Parameters
    ----------
    schema : Dataset, path, data frame, or Schema
        The attributes. A table also sets the default sample size.
    epsilon : float, list of k floats, or dict of str to float
        Epsilon of each attribute, or a common one, from 0.001 to 30.
    n : int
        Sample size. By default, the size of the table. Required with a Schema.
    mechanism : str
        By default, the one that matches the other arguments, or else "preserving" with ``preserve=2``.

        - "independent": randomizes each answer independently.
        - "preserving": has the lowest epsilon of the whole record that keeps joint distributions of up to ``preserve`` attributes at
          least as accurate as "independent" does. "preserving-3" also sets ``preserve=3``.
        - "optimal": has the lowest epsilon of the whole record. Pairs of attributes can become unusable.
        - "closed-form": changes at most one answer, or replaces the record by a uniform one.
        - "joint": keeps the whole record or replaces all of it.
        - "heuristic": the published algorithm as printed. It can exceed the epsilon asked.
        - "constrained": has the lowest epsilon of the whole record that keeps ``safeguards``.
        - "workload": spends ``budget`` so that the joint distributions of ``workload`` are as accurate as possible.
    safeguards : Safeguards
        Accuracy floors and caps for the mechanism "constrained".
    preserve : int
        Largest number of attributes whose joint distributions are at least as accurate as with independent randomization. 1 is
        "optimal".
    budget : float
        Epsilon of the whole record, instead of ``epsilon``. It is distributed over the attributes in proportion to ``weights``.
    weights : float, list of k floats, or dict of str to float
        Relative sizes of the epsilons that share the budget.
    workload : list of str, or list of lists of str
        The joint distributions that you care about. Requires ``budget``.

    Raises
    ------
    InputError
        If a number is missing or out of range, or two arguments are mutually exclusive.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> plan = rr.Plan(table, {"Class": 2, "Sex": 1, "Age": 1, "Survived": 2})
    >>> plan.mechanism, plan.preserve, round(plan.build().epsilon_total, 2)
    ('preserving', 2, 3.91)
    >>> plan = rr.Plan(table, budget=4, weights={"Class": 2, "Sex": 1, "Age": 1, "Survived": 2})
    >>> [round(eps, 2) for eps in plan.epsilon]
    [2.06, 1.03, 1.03, 2.06]
    >>> rr.Plan(table, budget=4, workload=[("Sex", "Survived")]).mechanism
    'workload'
    """

    schema: Schema
    epsilon: tuple[float, ...]
    n: int
    mechanism: str
    safeguards: Safeguards
    preserve: int | None
    budget: float | None
    workload: tuple[tuple[str, ...], ...]
    _found: Mechanism | None = field(init=False, repr=False, compare=False)  # what the search for the epsilons made

    _file = PlanFields
    _called = "plan file"
    _advice = "choose a file saved by 'Download plan'"
    _how = "rr.Plan(table, epsilon=1.0)"

    def __init__(
        self,
        schema: Dataset | Schema | ArrowStream | str | PathLike[str],
        epsilon: Any = None,
        n: int | None = None,
        mechanism: str = "",
        safeguards: Safeguards | None = None,
        *,
        preserve: int | None = None,
        budget: float | None = None,
        weights: Any = None,
        workload: Sequence[str | Sequence[str]] | str = (),
    ) -> None:
        if not isinstance(schema, Schema):
            table = given_table(schema)
            n, schema = table.n if n is None else n, table.schema
        if n is None:
            raise InputError("A schema contains no sample size. Pass n, for example n=1000.")
        if isinstance(n, bool) or not isinstance(n, Integral) or not 1 <= n <= MAX_PEOPLE:
            raise InputError(f"n is {n!r}. Choose a whole number from 1 to {MAX_PEOPLE:,}.")
        names = [workload] if isinstance(workload, str) else workload
        wanted = tuple((each,) if isinstance(each, str) else tuple(each) for each in names)
        kept = safeguards or Safeguards()
        kept.check(schema.names)
        if wanted or mechanism == "workload":
            if budget is None or not wanted:
                raise InputError(
                    "The mechanism 'workload' needs a budget and a workload. Pass budget=, and workload= with at least one set of attributes."
                )
            Questions(budget, tuple(map(schema.axes, wanted)), int(n)).check(len(schema.names))
            mechanism = mechanism or ("" if preserve else "workload")
            epsilon = budget / len(schema.names)
        elif (epsilon is None) == (budget is None):
            raise InputError(f"Expected either epsilon or budget, got {'neither' if budget is None else 'both'}.")
        elif weights is not None and budget is None:
            raise InputError(
                "The argument 'weights' applies only to a budget. Pass budget= instead of epsilon=, or leave out weights=."
            )
        key = _key(mechanism or ("" if kept == Safeguards() else "constrained"), preserve, len(schema.names))
        made, found = recipe(key), None
        if budget is not None and not wanted:
            ratios = check_total_weights(_in_order(1.0 if weights is None else weights, schema, "weight"), schema.names)
            check_number("The budget", budget, 0)
            shared = epsilon_for_total(
                schema.sizes,
                budget,
                ratios,
                mechanism=lambda sizes, eps: made.build(tuple(sizes), eps, kept, None),
            )
            epsilon, found, budget = shared.epsilon, shared.mechanism, None
        eps = check_epsilon(_in_order(epsilon, schema, "epsilon"), schema.names)
        preserving = key.startswith("preserving")
        for name, value in {
            "schema": schema,
            "epsilon": tuple(float(each) for each in eps),
            "n": int(n),
            "mechanism": "preserving" if preserving else key,
            "safeguards": kept,
            "preserve": preserved_width(key) if preserving else None,
            "budget": budget,
            "workload": wanted,
            "_found": found,
        }.items():
            object.__setattr__(self, name, value)

    def _summary(self) -> str:
        epsilon = [f"{name} {epsilon_text(eps)}" for name, eps in zip(self.schema.names, self.epsilon, strict=True)]
        return f"{self.title}, {counted(self.n, 'person', 'people')}, epsilon {some(epsilon)}"

    @property
    def key(self) -> str:
        """Key of the mechanism for ``rrcore.budget.build``, such as "preserving-2"."""
        return f"preserving-{self.preserve}" if self.preserve else self.mechanism

    @property
    def title(self) -> str:
        """Display name of the mechanism."""
        return recipe(self.key).title

    @property
    def questions(self) -> Questions | None:
        """The workload as positions with its budget. None without a workload."""
        return Questions(self.budget, tuple(map(self.schema.axes, self.workload)), self.n) if self.budget is not None else None

    def with_(self, **changes: Any) -> Plan:
        """Return the plan with different values of its arguments.

        Parameters
        ----------
        **changes
            Arguments of ``Plan`` with their new values. A change of the mechanism resets ``preserve``.

        Returns
        -------
        Plan
            The changed plan.

        Raises
        ------
        InputError
            If the arguments are mutually exclusive.

        Examples
        --------
        >>> import rrcore as rr
        >>> plan = rr.Plan(rr.load_demo("titanic"), 2.0).with_(mechanism="independent")
        >>> plan.mechanism, plan.preserve
        ('independent', None)
        """
        if changes == {"mechanism": self.key}:
            return self
        if changes.keys() & {"mechanism", "preserve"}:
            changes = {"mechanism": "", "preserve": None} | changes
        return replace(self, **changes)

    def compare(self, mechanisms: Sequence[str] | str = ()) -> pd.DataFrame:
        """Compare mechanisms at the epsilons of this plan.

        Parameters
        ----------
        mechanisms : str or list of str
            Names of mechanisms. By default, the mechanism of this plan, if it is preserving, and all others that need only
            epsilons.

        Returns
        -------
        DataFrame
            One row for each mechanism. NaN if it does not support these epsilons. The columns are:

            - mechanism: its name, as ``Plan`` takes it.
            - epsilon_total: epsilon of the whole record.
            - epsilon_informed: epsilon of one answer for an attacker who knows the other answers, the largest of all attributes.
            - margin_of_error: half a 95% confidence interval of a cell, as a share. It is the largest of all pairs of attributes, if all
              answers are equally common. Above 1, the estimate is useless.

        Raises
        ------
        InputError
            If there is no mechanism with this name.

        Examples
        --------
        >>> import rrcore as rr
        >>> plan = rr.Plan(rr.load_demo("titanic"), 1.0)
        >>> plan.compare(["independent", "preserving"]).round(2)
              mechanism  epsilon_total  epsilon_informed  margin_of_error
        0   independent           4.00              1.00             0.07
        1  preserving-2           2.55              2.06             0.07

        The same at several epsilons:

        >>> import pandas as pd
        >>> found = pd.concat(plan.with_(epsilon=e).compare("independent").assign(epsilon=e) for e in (1, 2))
        >>> found[["epsilon", "epsilon_total", "margin_of_error"]].round(2).values.tolist()
        [[1.0, 4.0, 0.07], [2.0, 8.0, 0.02]]
        """
        import pandas as pd  # heavy

        keys = [mechanisms] if isinstance(mechanisms, str) else mechanisms or offered_recipes(len(self.epsilon), self.key)
        rows = []
        for plan in (self.with_(mechanism=key) for key in keys):
            try:
                made = plan.build()
            except InputError:
                rows.append((plan.key, math.nan, math.nan, math.nan))
                continue
            margin = NormalDist().inv_cdf(0.975) * widest_error(made, self.n)
            rows.append((plan.key, made.epsilon_total, float(made.epsilon_informed.max()), margin))
        return pd.DataFrame(rows, columns=["mechanism", "epsilon_total", "epsilon_informed", "margin_of_error"])

    def scaled(self, factor: float) -> Plan:
        """Return the plan with all epsilons multiplied by a factor.

        With a workload, its budget is multiplied instead.

        Parameters
        ----------
        factor : float
            A positive number. The epsilons remain within 0.001 and 30.

        Returns
        -------
        Plan
            The changed plan.

        Raises
        ------
        InputError
            If the factor is not positive.

        Examples
        --------
        >>> import rrcore as rr
        >>> rr.Plan(rr.load_demo("titanic"), 2.0).scaled(0.5).epsilon
        (1.0, 1.0, 1.0, 1.0)
        """
        if not 0 < factor < math.inf:
            raise InputError(f"factor is {factor:g}. Choose a positive number, for example 0.5.")
        if self.budget is not None:
            return replace(self, budget=factor * self.budget)
        return replace(self, epsilon=tuple(min(MAX_EPSILON, max(MIN_EPSILON, factor * eps)) for eps in self.epsilon))

    def build(self, *, report: Report = quiet) -> Mechanism:
        """Compute the mechanism of this plan.

        Parameters
        ----------
        report : callable
            Called with the fraction done and a description of the next step.

        Returns
        -------
        Mechanism
            The mechanism in floating point.

        Raises
        ------
        InputError
            If no mechanism of this kind supports these epsilons.

        Examples
        --------
        >>> import rrcore as rr
        >>> mechanism = rr.Plan(rr.load_demo("titanic"), epsilon=1.0).build()
        >>> round(mechanism.epsilon_total, 2), mechanism.epsilon.round(2).tolist()
        (2.55, [1.0, 1.0, 1.0, 1.0])
        """
        epsilon = np.asarray(self.epsilon, dtype=np.float64)
        made = recipe(self.key).build
        mechanism = self._found or made(self.schema.sizes, epsilon, self.safeguards, self.questions, report)
        object.__setattr__(mechanism, "_called", f"{self.key} ({self.title})")
        return mechanism

    def integer_groups(self, *, report: Report = quiet) -> tuple[Group, ...]:
        """Return the integer weights that a mechanism file stores.

        Parameters
        ----------
        report : callable
            Called with the fraction done and a description of the next step.

        Returns
        -------
        tuple
            Positions and weights of every group of attributes.

        Raises
        ------
        InputError
            If the mechanism cannot be written in integers.
        """
        return integer_groups(self.build(report=report))

    def _repr_html_(self) -> str:
        """Return the attributes with their epsilons, and the factor by which an answer can shift the odds, for a notebook."""
        columns = list(zip(self.schema.attributes, self.epsilon, strict=True))[:MOST_ROWS]
        rows = [[a.name, str(a.size), epsilon_text(eps), factor_text(eps)] for a, eps in columns]
        title = f"{self.title}, {counted(self.n, 'person', 'people')}"
        heads = ("attribute", "categories", "epsilon", "odds up to")
        return html_table(heads, rows, numbers=3, title=title, more=len(self.epsilon) - len(rows))

    def to_json(self, mechanism: Mechanism | None = None) -> str:
        """Return the plan as a JSON document, including its privacy loss and accuracy.

        The document contains no answers.

        Parameters
        ----------
        mechanism : Mechanism, optional
            The result of ``build``, if available.

        Returns
        -------
        str
            JSON text with one field per line.
        """
        return encode(self.fields(mechanism or self.build()))

    def _fields(self) -> PlanFields:
        return self.fields(self.build())

    def fields(self, built: Mechanism | None = None) -> PlanFields:
        """Return the fields of the document.

        Parameters
        ----------
        built : Mechanism, optional
            The mechanism whose epsilons are included.

        Returns
        -------
        PlanFields
            The fields.
        """
        names, slacks = self.schema.names, self.safeguards.slacks
        reached = zip(built.epsilon, built.epsilon_informed, strict=True) if built else [(None, None)] * len(names)
        attributes = zip(self.schema.attributes, self.epsilon, reached, strict=True)
        kept = SafeguardFields(
            self.safeguards.floor,
            _named(self.safeguards.marginals, names),
            None if slacks is None else tuple(None if math.isinf(slack) else slack for slack in slacks),
        )
        return PlanFields(
            format="rr-workbench plan",
            version=1,
            unit_of_levels="nats",
            mechanism=self.mechanism,
            preserve=self.preserve,
            n=self.n,
            budget=self.budget,
            workload=self.workload,
            epsilon_total=built.epsilon_total if built else None,
            lower_bound=built.lower_bound if built else None,
            attributes=tuple(
                PlannedFields(
                    name=each.name,
                    kind=each.kind,
                    categories=each.categories,
                    epsilon=level,
                    epsilon_achieved=achieved,
                    epsilon_informed=epsilon_informed,
                )
                for each, level, (achieved, epsilon_informed) in attributes
            ),
            safeguards=None if self.safeguards == Safeguards() else kept,
        )

    @classmethod
    def _of(cls, found: PlanFields) -> Plan:
        schema = Schema(tuple(Attribute(each.name, each.categories, each.kind) for each in found.attributes))
        kept = Safeguards()
        if given := found.safeguards:
            slacks = given.slacks
            widths = None if slacks is None else tuple(math.inf if slack is None else slack for slack in slacks)
            kept = Safeguards(given.floor, _axes(given.marginals, schema), widths)
        if not found.mechanism:
            raise InputError("The name of the mechanism is missing. Add it, for example 'preserving'.")
        return cls(
            schema,
            None if found.workload else [each.epsilon for each in found.attributes],
            found.n,
            found.mechanism,
            kept,
            preserve=found.preserve,
            budget=found.budget,
            workload=found.workload,
        )


def widest_error(mechanism: Mechanism, n: int, *, population: bool = False) -> float:
    """Return the largest expected error over all pairs.

    A single attribute counts as a pair. The result is NaN if a pair is erased.
    """
    errors = expected_pair_errors(mechanism, n, population=population)
    return float(errors[np.triu_indices(mechanism.k, 1)].max() if mechanism.k > 1 else errors[0, 0])


def _key(mechanism: str, preserve: int | None, k: int) -> str:
    """Return the mechanism in one word. Raises InputError if there is none of this name, or ``preserve`` does not belong to it."""
    if preserve is None:
        key = mechanism if mechanism not in ("", "preserving") else recommended_recipe(k)
    elif mechanism in ("", "preserving", f"preserving-{preserve}"):
        if isinstance(preserve, bool) or not isinstance(preserve, Integral) or not 1 <= preserve <= MAX_COLUMNS:
            raise InputError(f"preserve is {preserve!r}. Choose a whole number from 1 to {MAX_COLUMNS:,}.")
        key = preserving_key(int(preserve))
    else:
        raise InputError(
            f"preserve applies only to the mechanism 'preserving', got '{str(mechanism)[:40]}'. Leave one of them out."
        )
    recipe(key)
    return key


def _axes(marginals: tuple[tuple[str, ...], ...], schema: Schema) -> tuple[tuple[int, ...], ...]:
    """Positions instead of names."""
    return tuple(schema.axes(names) for names in marginals)


def _in_order(given: Any, schema: Schema, what: str) -> Sequence[Any]:
    """A number for every attribute of ``schema``, in its order, from one for all, a sequence or name -> number."""
    if not isinstance(given, Mapping):
        return [given] * len(schema.names) if np.ndim(given) == 0 else list(given)
    schema.axes(given)
    if missing := [name for name in schema.names if name not in given]:
        raise InputError(f"There is no {what} for '{missing[0]}'. Add one, or leave this attribute out of the table.")
    return [given[name] for name in schema.names]


def _named(marginals: Iterable[Iterable[int]], names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(names[i] for i in axes) for axes in marginals)
