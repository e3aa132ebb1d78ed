"""Mechanisms by their names on the command line and in files.

Each mechanism is built from sizes and requested epsilons.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.budget.workload import Questions
from rrcore.channel.epsilon import check_epsilon
from rrcore.errors import InputError, unknown
from rrcore.limits import MAX_COLUMNS
from rrcore.mechanisms.base import Mechanism, check_sizes
from rrcore.mechanisms.closed_form import ClosedForm, Joint, Kronecker
from rrcore.mechanisms.heuristic import Heuristic
from rrcore.mechanisms.lowest_total import least_total, safe
from rrcore.mechanisms.safeguards import Safeguards, safeguarded
from rrcore.progress import Report, quiet
from rrcore.wording import total_text

_NONE = Safeguards()


@dataclass(frozen=True)
class Recipe:
    """One mechanism with its display name, its description and its constructor.

    ``make(sizes, levels, report=...)`` returns the mechanism or raises InputError. ``needs`` names an additional keyword, if any.
    """

    title: str
    summary: str
    make: Callable[..., Mechanism]
    needs: Literal["", "safeguards", "questions"] = ""

    def build(
        self,
        sizes: tuple[int, ...],
        epsilon: Floats,
        safeguards: Safeguards,
        questions: Questions | None,
        report: Report = quiet,
    ) -> Mechanism:
        """Return the mechanism for valid ``sizes`` and ``epsilon``.

        The remaining arguments supply what the mechanism ``needs``.
        """
        given = {"safeguards": safeguards, "questions": questions}
        return self.make(sizes, epsilon, report=report, **{name: each for name, each in given.items() if name == self.needs})


def _instant(from_epsilon: Callable[[Sequence[int], Floats], Mechanism]) -> Callable[..., Mechanism]:
    """A builder that needs no time, so has nothing to report."""
    return lambda sizes, epsilon, report: from_epsilon(sizes, epsilon)


def _closed_form(sizes: Sequence[int], epsilon: Floats) -> Mechanism:
    mechanism = ClosedForm.from_epsilon(sizes, epsilon)
    if mechanism.epsilon_total > epsilon.sum() + 1e-9:
        raise InputError(
            f"The closed form would have a whole-record ε of {total_text(mechanism.epsilon_total)}, above the {total_text(epsilon.sum())} of "
            "independent randomization. Choose another mechanism."
        )
    return mechanism


RECIPES: dict[str, Recipe] = {
    "independent": Recipe("Independent (Kronecker)", "Randomizes each answer independently.", _instant(Kronecker.from_epsilon)),
    "preserving-2": Recipe(
        "Pairwise-preserving",
        "Has the lowest whole-record ε that keeps every pair of attributes at least as accurate as independent randomization.",
        partial(safe, width=2),
    ),
    "optimal": Recipe("Lowest total ε", "Has the lowest whole-record ε. Pairs of attributes can become unusable.", least_total),
    "closed-form": Recipe(
        "Closed form", "Changes at most one answer, or replaces the record by a uniform one.", _instant(_closed_form)
    ),
    "joint": Recipe("RR-Joint", "Keeps the whole record or replaces all of it.", _instant(Joint.from_epsilon)),
    "heuristic": Recipe(
        "Published heuristic",
        "The published algorithm as printed. It can exceed the ε asked.",
        _instant(Heuristic.from_epsilon),
    ),
    "constrained": Recipe(
        "Lowest total ε with constraints",
        "Has the lowest whole-record ε that keeps the accuracy floors and leakage caps asked for.",
        safeguarded,
        "safeguards",
    ),
    "workload": Recipe(
        "Designed for a workload",
        "Spends a budget so that the joint distributions of the workload are as accurate as possible.",
        lambda sizes, epsilon, report, questions: questions.build(sizes, report=report),
        "questions",
    ),
}
"""Recipe of every mechanism, by its name on the command line and in files."""

MECHANISMS = {key: recipe for key, recipe in RECIPES.items() if not recipe.needs}
"""Mechanisms that need only epsilons."""


RECOMMENDED_WIDTH = 2
"""Number of attributes whose joint distributions the recommended mechanism preserves by default."""

_WIDTH = re.compile(r"preserving-([2-9]|[1-9][0-9]{1,3})")


def preserving_key(width: int) -> str:
    """Return the name of the mechanism that preserves up to ``width`` attributes.

    It preserves their joint distributions.

    Examples
    --------
    >>> [preserving_key(width) for width in (1, 2, 3)]
    ['optimal', 'preserving-2', 'preserving-3']
    """
    return "optimal" if width == 1 else f"preserving-{width}"


def preserved_width(name: str) -> int | None:
    """Return the width of a preserving mechanism from its name.

    This is the inverse of ``preserving_key``. The result is None for other mechanisms.

    Examples
    --------
    >>> preserved_width("optimal"), preserved_width("preserving-4"), preserved_width("independent")
    (1, 4, None)
    """
    if name in ("optimal", "preserving"):
        return 1 if name == "optimal" else RECOMMENDED_WIDTH
    found = _WIDTH.fullmatch(str(name))
    return None if found is None or int(found[1]) > MAX_COLUMNS else int(found[1])


def recommended_recipe(k: int) -> str:
    """Return the name of the recommended mechanism for k attributes.

    It preserves pairs.

    At the same epsilon of the record, preserving only pairs gives the smallest errors for pairs and for triples. This is so if
    answers are estimated with shrinkage and the strength of dependence between attributes is unknown (theory.md section 25).

    Examples
    --------
    >>> recommended_recipe(6), recommended_recipe(1)
    ('preserving-2', 'optimal')
    """
    return preserving_key(max(1, min(RECOMMENDED_WIDTH, k)))


def offered_recipes(k: int, name: str = "") -> tuple[str, ...]:
    """Return the names of the mechanisms to compare for k attributes.

    They are one preserving mechanism and all the others.

    Parameters
    ----------
    name : the current mechanism. If it is not preserving, the comparison includes the recommended one
    """
    dial = preserving_key(min(preserved_width(name) or RECOMMENDED_WIDTH, k)) if k else "optimal"
    return tuple(dict.fromkeys(dial if key == "preserving-2" else key for key in MECHANISMS))


def recipe(name: str) -> Recipe:
    """Return the recipe called ``name``.

    It is a key of ``RECIPES``, or "preserving-3" and so on. Raises InputError if the name is unknown.
    """
    if (known := RECIPES.get("preserving-2" if name == "preserving" else name)) is not None:
        return known
    if (width := preserved_width(name)) is not None:
        summary = (
            f"Has the lowest whole-record ε that keeps joint distributions of up to {width} attributes at least as accurate as independent "
            "randomization."
        )
        return Recipe(f"Preserving up to {width} attributes", summary, partial(safe, width=width))
    raise unknown("mechanism", name, ["preserving", *RECIPES, "preserving-3"])


def build(
    name: str,
    sizes: Sequence[int],
    epsilon: Sequence[object] | ArrayLike,
    *,
    safeguards: Safeguards = _NONE,
    questions: Questions | None = None,
    names: Sequence[str] = (),
    report: Report = quiet,
) -> Mechanism:
    """Return the mechanism called ``name`` for the requested epsilons.

    Parameters
    ----------
    name : a key of ``RECIPES``, or "preserving-3" and so on (see ``recipe``)
    sizes : k ints >= 2
    epsilon : k numbers in nats
    safeguards : floors and caps of "constrained"
    questions : the workload of "workload". The epsilons are then those of Kronecker with the same total
    names : k attribute names for messages, by default "attribute 1" and so on
    report : called with the progress by mechanisms that take time

    Raises
    ------
    InputError
        If the name is unknown, an epsilon is invalid, or the mechanism cannot meet the epsilons.

    Examples
    --------
    >>> from rrcore.budget import build
    >>> mechanism = build("optimal", (5, 5, 5, 5), [1, 2, 3, 4])
    >>> round(mechanism.epsilon_total, 2), mechanism.is_optimal
    (6.66, True)
    """
    chosen = recipe(name)
    check_sizes(sizes)
    called = list(names) or [f"attribute {i}" for i in range(1, len(sizes) + 1)]
    checked = check_epsilon(epsilon, called)
    if chosen.needs == "safeguards":
        safeguards.check(called)
    if chosen.needs == "questions":
        if questions is None:
            raise InputError("A plan for a workload needs a total ε and at least one joint distribution. Specify both.")
        questions.check(len(sizes))
    return chosen.build(tuple(int(a) for a in sizes), checked, safeguards, questions, report)
