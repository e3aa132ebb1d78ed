"""The mechanisms, by the names the command line and the files use. Each is built from sizes and requested levels."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.channel.levels import check_levels
from rrcore.errors import InputError
from rrcore.limits import MAX_COLUMNS
from rrcore.mechanisms.base import Mechanism, check_sizes
from rrcore.mechanisms.closed_form import ClosedForm, Joint, Kronecker
from rrcore.mechanisms.least import Closeness, check_closeness, least_total, safe
from rrcore.mechanisms.published import Published
from rrcore.mechanisms.questions import Questions
from rrcore.mechanisms.safeguards import Safeguards, safeguarded
from rrcore.progress import Report, quiet
from rrcore.wording import total_text

_NONE = Safeguards()


@dataclass(frozen=True)
class Recipe:
    """One mechanism: its name on a page, the same everywhere, one line on what it does, and how it is made.

    ``make(sizes, levels, report=...)`` returns the mechanism or raises InputError; ``needs`` names a further keyword that it takes, if any,
    and ``rough`` says whether it takes a ``closeness``, too.
    """

    title: str
    summary: str
    make: Callable[..., Mechanism]
    needs: Literal["", "safeguards", "questions"] = ""
    rough: bool = False

    def build(
        self,
        sizes: tuple[int, ...],
        levels: Floats,
        safeguards: Safeguards,
        questions: Questions | None,
        report: Report = quiet,
        closeness: Closeness = "full",
    ) -> Mechanism:
        """The mechanism for ``sizes`` and ``levels`` that were checked, with what it ``needs`` of the rest."""
        rest = {"safeguards": safeguards, "questions": questions, "closeness": closeness}
        needed = {name: given for name, given in rest.items() if name == self.needs or (name == "closeness" and self.rough)}
        return self.make(sizes, levels, report=report, **needed)


def _instant(from_levels: Callable[[Sequence[int], Floats], Mechanism]) -> Callable[..., Mechanism]:
    """A builder that needs no time, so has nothing to report."""
    return lambda sizes, levels, report: from_levels(sizes, levels)


def _closed_form(sizes: Sequence[int], levels: Floats) -> Mechanism:
    mechanism = ClosedForm.from_levels(sizes, levels)
    if mechanism.total_level > levels.sum() + 1e-9:
        raise InputError(
            f"The closed form would cost {total_text(mechanism.total_level)} nats here, more than Kronecker's {total_text(levels.sum())}: "
            "choose the optimum or Kronecker."
        )
    return mechanism


RECIPES: dict[str, Recipe] = {
    "kronecker": Recipe("Kronecker", "Every answer is randomised on its own.", _instant(Kronecker.from_levels)),
    "pair-safe": Recipe(
        "Pair-safe",
        "The least total that keeps every pair of attributes at least as accurate as Kronecker does.",
        partial(safe, width=2),
        rough=True,
    ),
    "optimal": Recipe("Optimum", "The least total for these levels; what attributes have in common may be lost.", least_total),
    "closed-form": Recipe(
        "Closed form", "At most one lie on purpose, else a uniform record; for strong budgets.", _instant(_closed_form)
    ),
    "joint": Recipe("RR-Joint", "The whole record is kept, or all of it replaced.", _instant(Joint.from_levels)),
    "published": Recipe(
        "Published heuristic",
        "Algorithm 3 of Yamamoto and Shibuya's paper as printed; it may exceed the levels asked.",
        _instant(Published.from_levels),
    ),
    "safeguarded": Recipe(
        "Optimum with safeguards",
        "The least total that keeps the accuracy floors and leakage caps asked for.",
        safeguarded,
        "safeguards",
        rough=True,
    ),
    "design": Recipe(
        "Designed for joint distributions",
        "A total in, levels out: the marginals asked for survive as well as they can.",
        lambda sizes, levels, report, questions: questions.build(sizes, report=report),
        "questions",
    ),
}
"""Name on the command line and in files -> recipe, of everything that a plan can be carried out by."""

MECHANISMS = {key: recipe for key, recipe in RECIPES.items() if not recipe.needs}
"""Those that are made from levels alone."""


RECOMMENDED_WIDTH = 2
"""Attributes of the joint distributions that the recommended mechanism is safe for, where no wider one is asked for."""

_NAMED_WIDTHS = {"optimal": 1, "pair-safe": 2}
_WIDTH = re.compile(r"([3-9]|[1-9][0-9]{1,3})-safe")


def safe_recipe_name(width: int) -> str:
    """The name of the mechanism that is safe for joint distributions of up to ``width`` attributes.

    Examples
    --------
    >>> [safe_recipe_name(width) for width in (1, 2, 3)]
    ['optimal', 'pair-safe', '3-safe']
    """
    return next((name for name, known in _NAMED_WIDTHS.items() if known == width), f"{width}-safe")


def safe_recipe_width(name: str) -> int | None:
    """The width of a mechanism by its name: ``safe_recipe_name`` read backwards; None for one of another kind.

    Examples
    --------
    >>> safe_recipe_width("optimal"), safe_recipe_width("4-safe"), safe_recipe_width("kronecker")
    (1, 4, None)
    """
    if name in _NAMED_WIDTHS:
        return _NAMED_WIDTHS[name]
    found = _WIDTH.fullmatch(str(name))
    return None if found is None or int(found[1]) > MAX_COLUMNS else int(found[1])


def recommended_recipe(k: int, widest: int = 0) -> str:
    """The name of the mechanism to start from: safe for the widest marginal that is asked for, at least pairs.

    At an equal total what is safe for pairs alone comes closest, on pairs and on triples, where answers are read with the whole table, as
    long as nobody knows how strongly attributes depend on each other (theory.md section 25).

    Parameters
    ----------
    k : number of attributes: with two of them the recommended mechanism is pair-safe, with one the optimum
    widest : attributes of the widest marginal that is asked for, as far as it is known

    Examples
    --------
    >>> recommended_recipe(6), recommended_recipe(6, widest=5), recommended_recipe(2, widest=4)
    ('pair-safe', '5-safe', 'pair-safe')
    """
    return safe_recipe_name(max(1, min(max(RECOMMENDED_WIDTH, widest), k)))


def offered_recipes(k: int, name: str = "") -> tuple[str, ...]:
    """What is put side by side for k attributes, by name: one mechanism that is safe for joint distributions, among all the others.

    Parameters
    ----------
    name : the mechanism in play; where it is not safe for some width, the recommended one is offered
    """
    dial = safe_recipe_name(min(safe_recipe_width(name) or RECOMMENDED_WIDTH, k)) if k else "optimal"
    return tuple(dict.fromkeys(dial if key == "pair-safe" else key for key in MECHANISMS))


def recipe(name: str) -> Recipe:
    """The recipe called ``name``: a key of ``RECIPES``, or "3-safe", "4-safe" and so on. Raises InputError for an unknown name."""
    if name in RECIPES:
        return RECIPES[name]
    if (width := safe_recipe_width(name)) is not None:
        summary = (
            f"The least total that keeps joint distributions of up to {width} attributes at least as accurate as Kronecker does."
        )
        return Recipe(f"{width}-safe", summary, partial(safe, width=width), rough=True)
    raise InputError(f"There is no mechanism '{str(name)[:40]}': choose among {', '.join(RECIPES)}, or 3-safe, 4-safe and so on.")


def build(
    name: str,
    sizes: Sequence[int],
    levels: Sequence[object] | ArrayLike,
    *,
    safeguards: Safeguards = _NONE,
    questions: Questions | None = None,
    names: Sequence[str] = (),
    closeness: Closeness = "full",
    report: Report = quiet,
) -> Mechanism:
    """The mechanism called ``name`` for the requested levels.

    Parameters
    ----------
    name : a key of ``RECIPES``, or "3-safe" and so on (``recipe``)
    sizes : k ints >= 2
    levels : k numbers in nats
    safeguards : floors and caps of "safeguarded"
    questions : what "design" serves; the levels are then those of Kronecker with the same total
    names : k attribute names for the messages; "attribute 1", ... if left out
    closeness : "full", or "first": within 0.01 nats of the least total for mechanisms that keep floors, in a part of the time
    report : called now and then by the mechanisms that take time

    Raises
    ------
    InputError
        For an unknown name, a bad level, or levels that the mechanism cannot meet.

    Examples
    --------
    >>> import rrcore as rr
    >>> mechanism = rr.build("optimal", (5, 5, 5, 5), [1, 2, 3, 4])
    >>> round(mechanism.total_level, 2), mechanism.is_optimal
    (6.66, True)
    """
    chosen = recipe(name)
    check_sizes(sizes)
    called = list(names) or [f"attribute {i}" for i in range(1, len(sizes) + 1)]
    checked = check_levels(levels, called)
    check_closeness(closeness)
    if chosen.needs == "safeguards":
        safeguards.check(called)
    if chosen.needs == "questions":
        if questions is None:
            raise InputError("A plan designed for joint distributions needs them: give a total and at least one marginal.")
        questions.check(len(sizes))
    return chosen.build(tuple(int(a) for a in sizes), checked, safeguards, questions, report, closeness)
