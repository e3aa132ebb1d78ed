"""Budget, tab What-if: the same plan asked several times, or of another number of people. The plan stays as it is."""

from dataclasses import replace

import streamlit as st

from pages.budget import mechanism as mechanism_card
from pages.shared import guards, mechanisms, state, verdict, widgets
from rrcore.budget import PrivacyLoss, accuracy
from rrcore.limits import MAX_PEOPLE, MAX_ROUNDS
from rrcore.wording import amount_text, eps_text


def show() -> None:
    """Show the privacy loss of one round and of several, and the margin of error at another sample size."""
    work = state.current()
    plan = guards.need_plan(work)
    _, mechanism = mechanisms.in_play(work, mechanisms.options(work, plan))
    answer = widgets.headline()
    left, right = st.columns([2, 3])
    hint = (
        "Each time with fresh randomness adds to ε. ε stays the same if a person's first randomized answer is stored and reused."
    )
    with left, widgets.card("Assumptions", hint=hint, key="assumptions"):
        rounds = widgets.number(
            "Times asked",
            "whatif_rounds",
            4,
            (1, MAX_ROUNDS),
            help="How often the same people are asked, each time with fresh randomness.",
        )
        n = widgets.number("Sample size", "whatif_n", plan.n, (1, MAX_PEOPLE))
        axes = mechanism_card.choose_pair(work, plan)
    here, there = (accuracy(each, mechanism, population=work.draft.population) for each in (plan, plan.with_(n=n)))
    whole, rows = (("a record", "Whole record, ε"), ("a person", "All rows of a person, ε"))[work.draft.rows_per_person > 1]
    one, several = (
        replace(loss, total=work.draft.epsilon_of_person(loss.total))
        for loss in (PrivacyLoss.of(mechanism), PrivacyLoss.of(mechanism, rounds))
    )
    times = "asked once" if rounds == 1 else f"asked {rounds} times"
    answer(
        f"If people are {times}, {whole} has ε = {eps_text(several.total)} and **{several.protection.lower()} protection**. "
        f"With {n:,} people, accuracy is **{there.verdict.lower()}**."
    )
    with right:
        with widgets.card("Privacy"):
            numbers = {
                "Answer seen alone, ε": (eps_text(one.alone), eps_text(several.alone)),
                "Attacker who knows the other answers, ε": (eps_text(one.informed), eps_text(several.informed)),
                rows: (eps_text(one.total), eps_text(several.total)),
                "A 50:50 guess becomes at most": (verdict.sure_text(one.total), verdict.sure_text(several.total)),
                "Protection": (one.protection, several.protection),
            }
            widgets.prose_table([{"": row, "Asked once": now, times.capitalize(): then} for row, (now, then) in numbers.items()])
        with widgets.card("Accuracy if asked once"):
            what = " × ".join(plan.schema.names[i] for i in dict.fromkeys(axes))
            margins = [amount_text(100 * float(each.margins[axes]), 2) for each in (here, there)]
            widgets.prose_table(
                [
                    {
                        "n": f"{size:,}",
                        f"95% margin of error, {what}": f"±{margin} points",
                        "Usable pairs": f"{found.number} of {found.pairs}",
                        "Accuracy": found.verdict,
                    }
                    for size, (margin, found) in dict(
                        zip((plan.n, n), zip(margins, (here, there), strict=True), strict=True)
                    ).items()
                ]
            )
