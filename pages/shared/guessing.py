"""Who can be guessed because of a plan: of the people of the current table."""

from pages.shared import guards
from pages.shared.state import Work
from rrcore.budget import Plan, Risk, beliefs_of, risk_of
from rrcore.mechanisms import Mechanism


def risk(work: Work, plan: Plan, mechanism: Mechanism) -> Risk | None:
    """Return the attribute of which most of them can be guessed under the plan; None if too many attributes are coupled."""
    table = guards.need_chosen(work)
    beliefs = work.remember("beliefs", (work.answers, work.draft.chosen), lambda: beliefs_of(table))
    return work.remember("risk", (plan, id(mechanism), id(beliefs)), lambda: risk_of(mechanism, table, beliefs))
