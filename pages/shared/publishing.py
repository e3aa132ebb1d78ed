"""What Release and Survey share: the plan as a mechanism file, the verdict, what is published, and what changed since Budget."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from pages.shared import guards, mechanisms, widgets
from pages.shared.state import Work
from rrcore.budget import Plan
from rrcore.budget.changes import plan_changes
from rrcore.ledger import epsilon_of_releases
from rrcore.mechanisms import Mechanism
from rrcore.promise import MechanismFile, certified_nats
from rrcore.promise.certificate_files import certificate_files
from rrcore.wording import eps_text, written_total_text

_NAMED = 8  # attributes that are listed by name


@widgets.complaining
def planned_with_file(work: Work) -> tuple[Plan, Mechanism, MechanismFile] | None:
    """The plan, its mechanism, and both as a mechanism file; None if there is none, which is then shown."""
    plan = guards.need_plan(work)
    option = next(each for each in mechanisms.options(work, plan) if each.key == plan.key)
    if option.mechanism is None:
        widgets.complain(option.refusal)
        st.page_link("pages/budget/page.py", label="Choose another mechanism on Budget", icon=":material/arrow_back:")
        return None
    return plan, option.mechanism, mechanisms.in_integers(work, plan, option.mechanism)


def epsilon_text(*files: MechanismFile, rows: int = 1) -> str:
    """The epsilon of a person with this many ``rows`` if all of these ``files`` publish them, such as "ε = 2.6"."""
    spent = epsilon_of_releases(files * rows)
    return "no bound on ε" if spent is None else f"ε = {eps_text(float(spent))}"


def changes(work: Work) -> None:
    """Show what differs from the plan that Budget showed last."""
    with widgets.card(
        "Changes since Budget", hint="The plan will be published as it is now, with all changes that this card lists."
    ):
        if work.seen_plan is None:
            widgets.warn("You have not viewed this plan on Budget yet.")
            st.page_link("pages/budget/page.py", label="Open Budget", icon=":material/arrow_back:")
            return
        for line in plan_changes(work.seen_plan, work.plan()) or ["The plan has not changed since you last looked at Budget."]:
            widgets.say(line)


def checklist(work: Work, file: MechanismFile, rows: Mapping[str, str]) -> None:
    """Show what is published, and what is not. The ``rows`` of the page come first."""
    attributes = file.schema.attributes
    names = [f"{each.name} ({each.size})" for each in attributes[:_NAMED]]
    more = f" and {len(attributes) - _NAMED} more" if len(attributes) > _NAMED else ""
    learned = [each.name for each in attributes if (each.name, each.categories) in work.learned]
    found = {
        **rows,
        "Attributes (categories)": ", ".join(names) + more,
        "Uploaded category names": ", ".join(learned) or "none",
        "Mechanism file": f"mechanism.json, fingerprint {file.sha256[:12]}",
        "Certificate": f"{epsilon_text(file)} for the whole record, checked in exact arithmetic",
        "Not published": "true values of these attributes",
    }
    hint = "Check the names of attributes and categories. Everybody who opens a published file can read them."
    with widgets.card("What is published", hint=hint, key="published"):
        widgets.prose_table([{"Item": name, "Content": text} for name, text in found.items()])


def certificate(file: MechanismFile) -> None:
    """Every number of the certificate, and its files."""
    found, names = file.certificate, file.schema.names
    widgets.table(
        {
            "Attribute": list(names),
            "Categories": [attribute.size for attribute in file.schema.attributes],
            "ε, answer seen alone": [certified_nats(ratio) for ratio in found.epsilon],
            "ε, attacker who knows the other answers": [certified_nats(ratio) for ratio in found.epsilon_informed],
        }
    )
    widgets.caption(
        f"Whole record: ε = {written_total_text(certified_nats(found.epsilon_total))}. Fingerprint (SHA-256): {file.sha256}"
    )
    with st.container(horizontal=True):
        for label, name in (
            ("Certificate", "certificate.txt"),
            ("Machine-readable certificate (JSON)", "certificate.json"),
            ("Checking script", "check.py"),
        ):
            widgets.download(label, partial(_one_of, file, name), name, type="tertiary")


def _one_of(file: MechanismFile, name: str) -> str:
    return certificate_files(file)[name]
