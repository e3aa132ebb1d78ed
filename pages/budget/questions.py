"""Design for joint distributions wanted: these and one total in, the mechanism and its levels out."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import streamlit as st

from pages.shared import jobs, state, widgets
from rrcore.budget import Option, Plan, accuracy_gains, pair_safe_for_total
from rrcore.estimate import expected_shrunk_error, margin
from rrcore.limits import MAX_PROGRAMME_ATTRIBUTES
from rrcore.mechanisms import Mechanism
from rrcore.wording import EVEN_WITHIN, Quantity, level_text, meaning, points, total_text

LABEL = " with "
_ALL = "All pairs"
_ABOVE = "The one above"
_CHOSEN = "The ones I tick"


def choose_questions(work: state.Work) -> None:
    """Which joint distributions matter."""
    if len(work.wishes.chosen) > MAX_PROGRAMME_ATTRIBUTES:
        widgets.complain(
            f"A design for joint distributions wanted takes at most {MAX_PROGRAMME_ATTRIBUTES} attributes and there are "
            f"{len(work.wishes.chosen)}: choose fewer, or give each attribute a level."
        )
        st.stop()
    chosen, marginal = work.wishes.chosen, work.wishes.marginal
    pairs: tuple[tuple[str, ...], ...] = tuple(combinations(chosen, 2)) or ((chosen[0],),)
    sets, known = offered(chosen, (1, 2, 3), work.wishes.questions)
    above = (tuple(name for name in chosen if name in marginal),)
    kind = widgets.radio(
        "Joint distributions wanted",
        [_ALL, _ABOVE, _CHOSEN],
        work.key("questions_kind"),
        at=_ALL if known in ((), pairs) else _ABOVE if known == above else _CHOSEN,
        horizontal=True,
        help=f"{meaning('joint distributions wanted')} The parts of each are included.",
    )
    asked = pairs if kind == _ALL else above
    if kind == _CHOSEN:
        asked = tuple(
            widgets.several(
                "One by one",
                sets,
                work.key("questions"),
                at=[names for names in known if known not in (pairs, above)] or above,
            )
        )
    work.wish(questions=asked)


def offered(
    chosen: Sequence[str], widths: Sequence[int], asked: Sequence[Sequence[str]]
) -> tuple[dict[tuple[str, ...], str], tuple[tuple[str, ...], ...]]:
    """Sets of attributes of these ``widths`` and those that were ``asked`` about, with their titles; and the latter alone, in their order."""
    own = (tuple(name for name in chosen if name in names) for names in asked)
    known = tuple(names for names in dict.fromkeys(own) if len(names) >= min(widths))
    sets = (names for width in widths for names in combinations(chosen, width))
    return {names: LABEL.join(names) for names in (*sets, *known)}, known


def show_gains(plan: Plan, option: Option, mechanism: Mechanism, population: bool) -> None:
    """Levels, and what every marginal gains over Kronecker at the same total, also those not ticked."""
    assert plan.questions is not None
    names = plan.schema.names
    st.markdown("**What the total buys**")
    widgets.caption(f"{mechanism.method[:1].upper()}{mechanism.method[1:]}.")
    widgets.table(
        {
            "Attribute": names,
            "Kronecker at equal split": [level_text(eps) for eps in option.kronecker.levels],
            "Designed": [level_text(abs(eps)) + (" (turned round)" if eps < 0 else "") for eps in mechanism.levels],
            "Others known": [
                Quantity("others known", name).both(eps) for name, eps in zip(names, mechanism.leakage, strict=True)
            ],
        }
    )
    turned = (
        " Turned round: a lie is the likelier answer, which says as much as the truth and is turned back by the estimate."
        if any(eps < 0 for eps in mechanism.levels)
        else ""
    )
    st.caption(f"Levels eps in nats: they come out of the design. The total is the same for both.{turned}")
    ticked = {tuple(sorted(axes)) for axes in plan.questions.marginals}
    others = [axes for size in (1, 2) for axes in combinations(range(len(names)), size) if axes not in ticked]
    shown = [*sorted(ticked, key=lambda axes: (len(axes), axes)), *others]
    safe = _pair_safe_at(plan)
    columns = [("Designed", mechanism)] + ([("Pair-safe", safe)] if safe is not None else [])
    found = {title: accuracy_gains(each, option.kronecker, shown) for title, each in columns}
    beside = replace(option, mechanism=option.kronecker)

    def row(number: int, axes: tuple[int, ...]) -> dict[str, str]:
        cells = {
            "Joint distribution": LABEL.join(names[i] for i in axes) + (" alone" if len(axes) == 1 else ""),
            "Ticked": "yes" if axes in ticked else "",
        }
        for title, values in found.items():
            gain = values[number]
            cells[f"{title}: gain"] = f"× {gain.factor_gain:.2f}"
            cells[f"{title}: as many people as"] = (
                f"× {gain.respondents_factor:,.1f}" if gain.identifiable else "not identifiable"
            )
        for title, one in ((EVEN_WITHIN, option), ("Kronecker within", beside)):
            error = float(margin(one.error(axes, plan.respondents, population=population)))
            cells[title] = Quantity("share", f"{one.title}, {cells['Joint distribution']}").within(error)
        shrunk = expected_shrunk_error(mechanism.marginal_channel(axes), plan.respondents, population=population)
        cells["Read with the whole table, typically off by"] = points(shrunk)
        return cells

    widgets.table([row(number, axes) for number, axes in enumerate(shown)])
    st.caption(
        "Gain: by how much better what exactly these attributes have in common survives than under Kronecker with the same total, "
        f"{total_text(plan.questions.total)} nats split equally. As many people as: how many times as many people Kronecker would need for "
        "the same error, from exact variances. Below 1 the design is worse, which may happen to what is not ticked. Pair-safe has equal "
        "levels and the same total. Read with the whole table: what shrinkage is typically off by where attributes depend on each other as "
        "in public tables, which is what mechanisms were compared by."
    )


def _pair_safe_at(plan: Plan) -> Mechanism | None:
    """Pair-safe with equal levels and the same total."""
    assert plan.questions is not None
    about = (plan.schema.sizes, plan.questions.total)
    found: Mechanism | None = jobs.result(
        "pair-safe at total", about, pair_safe_for_total, *about, what="Pair-safe at the same total"
    )
    return found
