"""The frame of every page: navigation, and a header with the title, what is loaded, Save, Undo and Tutorial."""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.shared import mechanisms, save_menu, undo, widgets
from pages.shared.components import ASSETS, component, ready_to_draw
from pages.shared.state import Work
from rrcore.errors import InputError
from rrcore.wording import counted, eps_text
from rrcore.wording.short import shortened

ABOUT_PLAN = ("simulate", "release", "survey")
"""Pages that use the plan, so that their header shows its ε. Budget shows it itself."""
ABOUT_TABLE = ("data", "budget", *ABOUT_PLAN)
"""Pages whose header names the table."""

_aside = component("aside", isolate_styles=False)


def look() -> None:
    """Load the style sheet of all pages."""
    st.html(ASSETS / "page.css")


def side(pages: Sequence[StreamlitPage], shown: StreamlitPage) -> None:
    """Draw the logo and a link to every page, with a thin line before the Lab.

    On a phone the links cover the page, so they close when a link is followed.
    """
    st.logo(
        ASSETS / ("logo-dark.svg" if st.context.theme.type == "dark" else "logo.svg"),
        size="large",
        icon_image=ASSETS / "icon.svg",
    )
    with st.sidebar.container(key="sections", gap="xxsmall"):  # a screen reader does not read Streamlit's own list as a list
        for page in pages:
            if page.url_path == "lab":
                st.divider()
            st.page_link(page)
    _aside(key="aside", data={"page": shown.url_path}, on_theme_change=lambda: None)  # a change runs the page again, nothing more
    ready_to_draw()


def header(work: Work, page: StreamlitPage) -> Callable[[], None]:
    """Draw the title, what is loaded, Save, Undo and Tutorial in one row.

    The function that it returns is called after the page. It updates the row if the page changed the work.
    """
    save_menu.begin()
    st.session_state.setdefault("tutorial", widgets.tutorial())
    with st.container(horizontal=True, vertical_alignment="center", key="header"):
        if page.url_path:  # Start has a sentence as its title
            st.title(page.title, anchor=False, width="content")
        text = about(work, page.url_path)
        place = st.caption(text, width="content") if text else st.empty()
        menu = st.popover("Save", key="save", on_change="rerun", icon=":material/save:", type="tertiary")
        undo.undo_button()
        st.toggle("Tutorial", key="tutorial", persist_state="session")

    add_offered = None
    if menu.open:
        with menu:
            add_offered = save_menu.menu(work)

    def finish() -> None:
        if (now := about(work, page.url_path)) != text:
            place.caption(now, width="content")
        if add_offered is not None:
            add_offered()

    return finish


def about(work: Work, page: str) -> str:
    """The table, its people and its attributes, on pages about the plan also its ε. Markdown, empty on other pages."""
    if page not in ABOUT_TABLE or work.schema is None:
        return ""
    people = work.draft.n if work.dataset is None else work.dataset.n
    names = counted(len(work.draft.chosen), "attribute", "attributes")
    parts = [widgets.plain(shortened(work.title)), counted(people, "person", "people"), names]
    if page in ABOUT_PLAN:
        parts += _epsilon(work)
    return "\N{NO-BREAK SPACE}· ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts)


def _epsilon(work: Work) -> list[str]:
    """The plan's ε per answer and for the whole record, if they are known without waiting."""
    try:
        option = mechanisms.known(work, work.plan())
    except InputError:  # the page shows what is wrong with the plan
        return []
    if option is None or option.mechanism is None:
        return []
    low, high = (eps_text(float(value)) for value in (min(option.mechanism.epsilon), max(option.mechanism.epsilon)))
    each = low if low == high else f"{low} to {high}"
    return [f"ε = {each} per answer, {eps_text(option.mechanism.epsilon_total)} for the whole record"]
