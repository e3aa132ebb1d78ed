"""Comparison of all mechanisms for one plan."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rrcore.budget.plan import Plan
from rrcore.budget.recipes import offered_recipes, recipe
from rrcore.errors import InputError
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, part, quiet
from rrcore.wording import eps_text
from rrcore.wording.short import Short


@dataclass(frozen=True)
class Option(Short):
    """One mechanism for a plan, or the reason why there is none.

    Parameters
    ----------
    key : a key of ``RECIPES``
    title : its display name
    mechanism : Mechanism or None
    refusal : the reason why there is no mechanism, empty if there is one
    """

    key: str
    title: str
    mechanism: Mechanism | None
    refusal: str = ""

    def _summary(self) -> str:
        found = self.refusal if self.mechanism is None else f"whole record ε {eps_text(self.mechanism.epsilon_total)}"
        return f"{self.title}, {found}"


def compare(plan: Plan, keys: Sequence[str] = (), *, report: Report = quiet) -> tuple[Option, ...]:
    """Return every mechanism named in ``keys`` at the plan's epsilons, in order.

    By default, these are the mechanisms of ``offered_recipes``.

    ``keys`` can contain any of ``RECIPES`` as well as "preserving-3" and so on. The last two of ``RECIPES`` require that the plan
    has safeguards and a workload.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.budget import compare
    >>> plan = rr.Plan(rr.load_demo("titanic"), 1.0)
    >>> for option in compare(plan, ["independent", "preserving-3", "preserving-2", "optimal"]):
    ...     print(f"{option.title}: {option.mechanism.epsilon_total:.2f}")
    Independent (Kronecker): 4.00
    Preserving up to 3 attributes: 2.76
    Pairwise-preserving: 2.55
    Lowest total ε: 2.31
    """
    keys = keys or offered_recipes(len(plan.epsilon), plan.key)
    return tuple(_option(plan, key, part(report, done, len(keys), recipe(key).title)) for done, key in enumerate(keys))


def compare_plans(plans: Mapping[Hashable, Plan], *, report: Report = quiet) -> Iterator[tuple[Hashable, Option]]:
    """Yield the mechanism of each plan, with the key of the plan."""
    for done, (key, plan) in enumerate(plans.items()):
        portion = part(report, done, len(plans), f"Plan {done + 1} of {len(plans)}")
        yield key, compare(plan, (plan.key,), report=portion)[0]


def _option(plan: Plan, key: str, report: Report) -> Option:
    report(0.0, "")
    plan = plan.with_(mechanism=key)
    try:
        return Option(plan.key, plan.title, plan.build(report=report))
    except InputError as error:
        return Option(plan.key, plan.title, None, str(error))
