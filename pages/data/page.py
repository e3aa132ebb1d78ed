"""Data: choose, upload, invent or declare a table; decide what each column becomes."""

import streamlit as st

from pages.data import box, columns, making, source
from pages.shared import projects, state
from pages.shared.asked import Asked
from pages.shared.widgets import header, plain, warn
from rrcore.mark import marks_in
from rrcore.wording import amount_text, count_text, counted

work = state.current()
asked = state.of_page(Asked)
answer = header("Data", "Which questions are asked, and what can be answered to each?")

links = st.container(horizontal=True, key="data_next")
left, right = st.columns([1, 3], gap="large")
with left:
    chosen = source.choose(work, asked)
    if chosen == "demo":
        source.choose_demo(work, asked)
    elif chosen == "upload":
        source.upload(work, asked)
    elif chosen == "synthetic":
        making.invent(work, asked)
asking = chosen == "upload" and asked.reading.asks
with right:
    if asking:
        box.ask(work, asked.reading)
    elif chosen == "declare":
        making.declare(work, asked)
    elif work.table is not None:
        if mark := marks_in([work.title]):
            warn(
                f"This table is marked '{mark}', so its answers are randomised already and nobody's true ones: it is not released, and the "
                "shares that pages call true are those of the simulation. To estimate from it, go to Read."
            )
        if work.dropped:
            warn(f"{work.dropped} Undo brings it back.")
        columns.editor(work)
    elif work.schema is None:
        st.info("Choose a table first: say on the left where it comes from.", icon=":material/table:")
    else:
        without = "No table is loaded: the declared plan is in use. Upload a file to replace it."
        st.info(plain(projects.missing_upload(work)) or without, icon=":material/upload_file:")

if asking:
    kept = "" if work.schema is None else f", and '{plain(work.title)}' stays in use"
    answer(f"Check how the new file is read: it is not in use yet{kept}.")
elif work.schema is not None:
    people = work.wishes.respondents if work.dataset is None else work.dataset.n
    k, cells = len(work.wishes.chosen), work.schema.select(work.wishes.chosen).cells
    combinations = count_text(cells) if cells < 10**12 else f"10^{len(str(cells)) - 1} or more"
    planned = " planned" if work.dataset is None else ""
    answer(
        f"**{counted(k, 'attribute', 'attributes')}, {combinations} combinations, {counted(people, 'person', 'people')}{planned}**: "
        f"on average {f'{amount_text(people / cells)} people' if people > cells else 'at most one person'} in each combination."
    )
    with links:
        st.page_link("pages/budget/page.py", label="Next: set the budget", icon=":material/arrow_forward:")
        if work.dataset is not None:
            st.page_link("pages/perturb/page.py", label="See truth and estimate", icon=":material/bar_chart:")
