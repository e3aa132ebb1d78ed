"""Who can be guessed because of a plan: of the people of the table in play, or of those who will be asked."""

from pages.shared import guards
from pages.shared.state import Work
from rrcore.budget import Knows, People, Plan, Risk, risk_of
from rrcore.mechanisms import Mechanism


def people(work: Work, plan: Plan) -> People:
    """Those whom the plan is about; what they are known by is worked out once."""
    if work.dataset is None:
        return work.remember("people", (plan.schema, plan.respondents), lambda: People(plan.schema, plan.respondents))
    return work.remember("people", (work.answers, work.wishes.chosen), lambda: People(guards.need_chosen(work)))


def told(work: Work, plan: Plan, mechanism: Mechanism) -> str:
    """By whom how many can be guessed, in one or two sentences: who knows the other answers, and who sees one answer only."""
    most, least = (risk(work, plan, mechanism, knows) for knows in ("others", "answer"))
    return f"{most.sentence()} {least.short()}" if least.most and most.most and least.knows != most.knows else most.sentence()


def risk(work: Work, plan: Plan, mechanism: Mechanism, knows: Knows = "others") -> Risk:
    """The attribute of which most of them can be guessed under the plan."""
    asked = people(work, plan)
    return work.remember(f"risk_{knows}", (plan, id(mechanism), id(asked)), lambda: risk_of(mechanism, asked, knows))
