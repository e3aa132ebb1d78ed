"""The card with the two verdicts on a plan: protection and accuracy."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import publishing
from pages.shared.state import current
from rrcore.budget import Accuracy, Plan, accuracy, preserved_width, protection, recipe, surety
from rrcore.mechanisms import Mechanism
from rrcore.promise import MechanismFile
from rrcore.wording import eps_text

_SIGNS = {"Strong": "verified_user", "Moderate": "shield", "Weak": "gpp_bad"}
_BARS = {"Good": "signal_cellular_alt", "Limited": "signal_cellular_alt_2_bar", "Poor": "signal_cellular_alt_1_bar"}


def show(plan: Plan, mechanism: Mechanism) -> DeltaGenerator:
    """Show how well ``mechanism`` protects a record, and how many pairs of attributes are usable.

    Return the row of the second sentence, to which a page can add buttons.
    """
    draft = current().draft
    total, rows = draft.epsilon_of_person(mechanism.epsilon_total), draft.rows_per_person
    person = "" if rows == 1 else f" A person can have {rows} rows, so ε of a person is {eps_text(total)}."
    card = st.container(border=True, key="verdict_card", gap=None)
    card.container(key=f"protection_{protection(total).lower()}").markdown(
        f":material/{_SIGNS[protection(total)]}: **{protection(total)} protection.** {protection_sentence(plan, mechanism)}{person}",
        help=f"Someone who is undecided (50:50) about a yes/no fact in a record becomes at most {sure_text(total)} sure by seeing the "
        "randomized record. Strong means up to 75%, moderate up to 95%. These limits are our convention. A pair of attributes is usable if "
        "its 95% margin of error is at most the average share of its combinations of answers.",
    )
    found = accuracy(plan, mechanism, population=draft.population)
    row = card.container(horizontal=True, vertical_alignment="center", gap="small")
    row.markdown(f":material/{_BARS[found.verdict]}: **{found.verdict} accuracy.** {accuracy_sentence(found)}", width="content")
    return row


def show_file(file: MechanismFile) -> None:
    """Show the protection of a mechanism file that comes without a plan."""
    verdict = protection(file.epsilon_total)
    with st.container(border=True, key="verdict_card"), st.container(key=f"protection_{verdict.lower()}"):
        st.markdown(f"**{verdict} protection.** The whole record has {publishing.epsilon_text(file)}.")


def sure_text(epsilon_total: float) -> str:
    """How sure someone can become who was undecided."""
    sure = 100 * surety(epsilon_total)
    return f"{sure:.1f}%" if sure < 99.95 else "above 99.9%"


def protection_sentence(plan: Plan, mechanism: Mechanism) -> str:
    """What the whole record costs, with the saving of an optimized mechanism."""
    total, independent = eps_text(mechanism.epsilon_total), eps_text(sum(plan.epsilon))
    if plan.mechanism in ("independent", "workload") or float(total.replace(",", "")) >= float(independent.replace(",", "")):
        return f"The whole-record ε is {total}."
    pairs = (preserved_width(plan.key) or 1) > 1
    which, same = (recipe(plan.key).title, " No pair loses accuracy.") if pairs else ("The optimized mechanism", "")
    return f"{which} lowers the whole-record ε from {independent} (independent) to {total}.{same}"


def accuracy_sentence(found: Accuracy) -> str:
    """How many pairs are usable; whether the attribute is if there is only one."""
    if len(found.margins) < 2:
        return f"At this sample size, the attribute is {'' if found.number else 'not '}usable."
    return f"At this sample size, {found.number} of {found.pairs} pairs {'is' if found.number == 1 else 'are'} usable."
