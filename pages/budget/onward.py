"""What follows a plan: its file, the page that comes next, and a trial on invented answers where there are no others."""

from functools import partial

import streamlit as st

from pages.shared import names, state, widgets
from pages.shared.mode import demo
from rrcore.budget import Plan
from rrcore.limits import MAX_INVENTED_TRIAL
from rrcore.mechanisms import Mechanism
from rrcore.schemes import invented_answers
from rrcore.table import INVENTED, as_table
from rrcore.wording import counted, meaning


def show(work: state.Work, plan: Plan, mechanism: Mechanism) -> None:
    """Links and buttons at the end of the page."""
    st.divider()
    leaves = names.settled(work, [plan.schema], "the plan or a report leaves")
    with st.container(horizontal=True, vertical_alignment="center"):
        if leaves:
            widgets.download(
                "Download plan",
                partial(plan.to_json, mechanism),
                "plan.json",
                help="Attributes, levels and mechanism as a JSON file. It contains no answers.",
            )
        if work.dataset is None:
            people = min(plan.respondents, MAX_INVENTED_TRIAL)
            if st.button(
                "Try it on invented answers",
                icon=":material/casino:",
                help=f"{meaning('invented answers')} {counted(people, 'person answers', 'people answer')}, and your plan randomises that.",
            ):
                _invent(work, people)
            if not demo():
                st.page_link("pages/collect/page.py", label="Next: collect answers", icon=":material/arrow_forward:")
            return
        if work.title == INVENTED:
            st.button("Drop the invented answers", on_click=work.drop_answers, icon=":material/undo:", help="Your plan stays.")
        st.page_link("pages/perturb/page.py", label="Next: perturb and estimate", icon=":material/arrow_forward:")
    if work.title == INVENTED:
        st.caption(f"These answers are invented. {meaning('invented answers')}")


def _invent(work: state.Work, people: int) -> None:
    """Put invented answers to the declared questions in play, with the plan as it is, and go to where they are randomised."""
    assert work.schema is not None
    planned = work.wishes.respondents
    made = invented_answers(work.schema, people, rng=work.rng("invented answers"))
    work.adopt_table(*as_table(made), source="synthetic")
    work.wish(respondents=planned)
    st.toast(
        f"{counted(people, 'invented person answers', 'invented people answer')} what is asked. They stand for nobody: only the errors "
        "say something about your plan.",
        icon=":material/casino:",
        duration="long",
    )
    st.switch_page("pages/perturb/page.py")
