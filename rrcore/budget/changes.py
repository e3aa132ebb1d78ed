"""Descriptions of the differences between two plans."""

from rrcore.budget.plan import Plan
from rrcore.budget.recipes import recipe
from rrcore.wording import and_text, count_text, epsilon_text

_NAMED = 4  # attributes or changes that are listed one by one


def plan_changes(before: Plan, after: Plan) -> tuple[str, ...]:
    """Return the differences between two plans, each as a short sentence.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> for line in plan_changes(rr.Plan(table, 1.0), rr.Plan(table.select(["Sex", "Age"]), 2.0)):
    ...     print(line)
    Removed: Class and Survived.
    ε of Sex and Age changed from 1.00 to 2.00.
    """
    old, new = ({each.name: each.categories for each in plan.schema.attributes} for plan in (before, after))
    both = [name for name in new if name in old]
    listed = {
        "Added": [name for name in new if name not in old],
        "Removed": [name for name in old if name not in new],
        "Changed categories": [name for name in both if old[name] != new[name]],
    }
    found = [f"{what}: {and_text(names)}." for what, names in listed.items() if names]
    earlier, later = (dict(zip(plan.schema.names, plan.epsilon, strict=True)) for plan in (before, after))
    if (before.budget, before.workload) != (after.budget, after.workload):
        found.append("The total budget or the workload changed.")
    else:
        moved: dict[str, list[str]] = {}
        for name in both:
            if earlier[name] != later[name]:
                moved.setdefault(f"{epsilon_text(earlier[name])} to {epsilon_text(later[name])}", []).append(name)
        every = [f"ε of {_listed(names)} changed from {values}." for values, names in moved.items()]
        found += every if len(every) <= _NAMED else [f"ε of {sum(map(len, moved.values()))} attributes changed."]
    if before.key != after.key:
        found.append(f"The mechanism changed from {recipe(before.key).title} to {recipe(after.key).title}.")
    if before.safeguards != after.safeguards:
        found.append("Accuracy floors or leakage caps changed.")
    if before.n != after.n:
        found.append(f"The sample size changed from {count_text(before.n)} to {count_text(after.n)}.")
    return tuple(found)


def _listed(names: list[str]) -> str:
    return and_text(names) if len(names) <= _NAMED else f"{len(names)} attributes"
