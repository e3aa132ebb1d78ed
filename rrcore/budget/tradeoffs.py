"""What plans cost and what they buy: one in a sentence, or several that are pinned, and which of them no other one beats."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rrcore.budget.comparison import Option
from rrcore.budget.pinned import Pin
from rrcore.estimate import margin
from rrcore.mechanisms import Price
from rrcore.wording import Quantity, counted, points

_SAME = 1e-6  # totals (nats) and errors (relative) that differ by less count as equal


@dataclass(frozen=True)
class Tradeoff:
    """A pinned plan with what it costs and buys.

    Parameters
    ----------
    pin : Pin
    option : Option, the plan's mechanism beside Kronecker at the same levels, or why there is none
    error : float, expected error of a share of the marginal in question (0.01 = one point); NaN where it cannot be estimated
    """

    pin: Pin
    option: Option
    error: float = math.nan

    @property
    def total(self) -> float:
        """Record-level budget in nats; infinite where there is no mechanism."""
        return math.inf if self.option.mechanism is None else self.option.mechanism.total_level


def tradeoff(pin: Pin, option: Option, names: Sequence[str] = (), *, population: bool = False) -> Tradeoff:
    """``pin`` with its expected error for the marginal over ``names``, for a uniform guess of the shares (theory.md section 7).

    Parameters
    ----------
    names : attributes of the plan; empty for no marginal
    population : whether the error is meant against the population that the people come from

    Raises
    ------
    InputError
        If the plan lacks one of the attributes.
    """
    if option.mechanism is None or not names:
        return Tradeoff(pin, option)
    return Tradeoff(pin, option, option.error(pin.plan.schema.axes(names), pin.plan.respondents, population=population))


def efficient_tradeoffs(tradeoffs: Sequence[Tradeoff]) -> tuple[Tradeoff, ...]:
    """Those whose error is known and than which no other one has at most the total and at most the error, and one of them less."""
    known = [candidate for candidate in tradeoffs if math.isfinite(candidate.error)]
    return tuple(candidate for candidate in known if not any(_beats(other, candidate) for other in known))


def tradeoff_verdict(tradeoffs: Sequence[Tradeoff], question: str = "") -> str:
    """Which plan is the best bargain for a ``question``, and its price, in one sentence; empty where no plan can be carried out.

    Where no single plan is at least as good as all others, the sentence names the cheapest and the closest of those that are not beaten.
    Without a question that all plans share, or without an error that is known, only what the plans cost can be said.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.budget import Pinned, tradeoff, tradeoff_verdict
    >>> plan = rr.Plan.for_levels(rr.load_demo("titanic"), 1.0, mechanism="kronecker")
    >>> pins = Pinned().pin(plan).pin(plan.with_mechanism("pair-safe")).pins
    >>> found = [tradeoff(pin, rr.compare(pin.plan, [pin.plan.mechanism])[0], ["Sex", "Survived"]) for pin in pins]
    >>> print(tradeoff_verdict(found, "Sex with Survived"))  # doctest: +NORMALIZE_WHITESPACE
    For Sex with Survived, if all answers are equally common, the best bargain is 'Pair-safe': ± 4.4 points at one answer × 2.72, others known
    × 7.88, whole record × 12.9.
    """
    possible = [one for one in tradeoffs if one.option.mechanism is not None]
    best = sorted(efficient_tradeoffs(possible), key=lambda one: (one.total, one.error))
    if not possible:
        return ""
    if not question or not best:
        one = min(possible, key=lambda one: one.total)
        costs = "costs" if len(possible) == 1 else "costs least:"
        return f"'{one.pin.name}' {costs} {one.option.price.text}."
    one, last, about = best[0], best[-1], f"For {question}, if all answers are equally common,"
    if len(possible) == 1:
        return f"{about} '{one.pin.name}' gives {_tradeoff_text(one)}."
    if len(best) == 1:
        return f"{about} the best bargain is '{one.pin.name}': {_tradeoff_text(one)}."
    return (
        f"{about} '{one.pin.name}' costs least, {_tradeoff_text(one)}; '{last.pin.name}' comes closest, {_tradeoff_text(last)}"
        + (f"; {len(best) - 2} more lie between them." if len(best) > 2 else ".")
    )


def _tradeoff_text(one: Tradeoff) -> str:
    """Error and price."""
    return f"{Quantity('share', one.pin.name).within(float(margin(one.error)))} at {one.option.price.text}"


def _beats(one: Tradeoff, other: Tradeoff) -> bool:
    cheaper, dearer = one.total < other.total - _SAME, one.total > other.total + _SAME
    closer, farther = one.error < other.error * (1 - _SAME), one.error > other.error * (1 + _SAME)
    return not dearer and not farther and (cheaper or closer)


def tradeoff_sentence(option: Option, people: int, *, population: bool = False) -> str:
    """What the record, one answer and the pairs come to, in the plan's own numbers.

    Parameters
    ----------
    option : the plan's mechanism beside Kronecker
    people : number of respondents
    population : whether errors are against the population that the people come from

    Examples
    --------
    >>> import rrcore as rr
    >>> plan = rr.Plan.for_levels(rr.load_demo("titanic"), 2.0)
    >>> tradeoff_sentence(rr.compare(plan, ["3-safe"])[0], plan.respondents)[:96]
    "The whole record shifts anyone's odds by at most × 88.5 under 3-safe instead of × 2,990 under Kr"
    """
    if option.mechanism is None:
        return option.refusal
    price, kronecker = option.price.columns, Price.of(option.kronecker, "Kronecker").columns
    record, independent = price["Whole record"], kronecker["Whole record"]
    designed = option.key == "design"
    title = "the design for the joint distributions wanted" if designed else option.title
    parts = [f"The whole record shifts anyone's odds by at most {record} under {title}"]
    if not designed and record != independent and option.meets_levels and not option.violations:
        parts[0] += f" instead of {independent} under Kronecker"
    alone, known = price["One answer"], price["Others known"]
    single = option.mechanism.k == 1
    parts.append(
        f"one answer stays at {alone}{'' if single else ', even for someone who knows the others'}"
        if known == alone
        else f"one answer stays at {alone}, or {known} for someone who knows the others"
    )
    return "; ".join([*parts, _pairs(option, people, population)]) + "."


def _pairs(option: Option, people: int, population: bool) -> str:
    assert option.mechanism is not None
    what = "pairs" if option.mechanism.k > 1 else "its shares"
    widest = float(margin(option.widest_pair_error(people, population=population)))
    if not math.isfinite(widest):
        return f"{counted(option.lost_pairs, 'pair', 'pairs')} cannot be read at all"
    said = (
        f"{what} are within {points(widest)} if all answers are equally common"
        if widest < 1
        else f"{what} cannot be read at these levels"
    )
    if option.key != "design":
        return said
    other = replace(option, mechanism=option.kronecker).widest_pair_error(people, population=population)
    return f"{said}, instead of {points(float(margin(other)))} under Kronecker at the same total"
