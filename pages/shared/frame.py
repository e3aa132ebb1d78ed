"""What stands around every page: the mark of the product, and a slim strip that says what is in play, at which price."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.shared import address, history, mechanisms, pins
from pages.shared.components import ASSETS, component, ready_to_draw
from pages.shared.state import Work
from pages.shared.widgets import against_population, plain
from rrcore.budget import Assumption, Option, Plan, precision_of
from rrcore.errors import InputError
from rrcore.mechanisms import Mechanism
from rrcore.wording import count_text, counted, meaning, points

_aside = component("aside", isolate_styles=False)


def look() -> None:
    """What all pages look like, that for logging in among them."""
    st.html(ASSETS / "page.css")


def side(sections: Mapping[str, Sequence[StreamlitPage]], shown: StreamlitPage) -> None:
    """Name and mark of the product, and a link to every page in its section.

    On a phone the links lie over the page, so they step aside once one of them was followed.
    """
    st.logo(
        ASSETS / ("logo-dark.svg" if st.context.theme.type == "dark" else "logo.svg"),
        size="large",
        icon_image=ASSETS / "icon.svg",
    )
    with st.sidebar.container(key="sections", gap="xxsmall"):  # Streamlit's own list of sections is no list to a screen reader
        for title, pages in sections.items():
            if title:
                st.caption(title)
            for page in pages:
                st.page_link(page)
    _aside(key="aside", data={"page": shown.url_path}, on_theme_change=lambda: None)  # that it is run again is enough
    ready_to_draw()


def strip(work: Work, *, told: bool) -> Callable[[], None]:
    """What is in play, on top of the page where that is to be ``told``, with Pin. Returns what writes it anew, and the link to it, for when
    the page has run and changed the work: until then there stands what stood there before, so that nothing moves.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="strip"):
        text = in_play(work) if told else ""
        place = st.caption(text, help=_EXPLAINED, width="content") if text else st.empty()
        pins.pin_button(work)
        history.undo_button()
        with st.popover("Save", icon=":material/save:", type="tertiary", help="As a file, or as a link to send."):
            history.save_button()
            link = st.container()

    def write() -> None:
        now = in_play(work) if told else ""
        if now != text:
            place.caption(now, help=_EXPLAINED, width="content")
        with link:
            address.show_link(work)

    return write


def in_play(work: Work) -> str:
    """Table, people, attributes and mechanism, with what these give away and how well pairs can be read, as Markdown."""
    people = work.wishes.respondents if work.dataset is None else work.dataset.n
    parts = [
        f"**{plain(work.title)}**",
        counted(people, "person", "people"),
        counted(len(work.wishes.chosen), "attribute", "attributes"),
    ]
    if work.wishes.respondents != people:
        parts[1] += f", planned for {count_text(work.wishes.respondents)}"
    try:
        plan = work.plan()
    except InputError:
        return _side_by_side(parts)  # the page says what is wrong with the plan
    option = mechanisms.known(work, plan)
    if option is None or option.mechanism is None:
        return _side_by_side([*parts, plan.title])
    price = _price(work, option, plan, population=against_population(work.dataset is None))
    return _side_by_side([*parts, option.title, *price])


def _side_by_side(parts: Sequence[str]) -> str:
    """The parts in one line; where it is too narrow, each but a title, which may be long, stays whole, and none begins with the dot."""
    title, *others = parts
    return "\N{NO-BREAK SPACE}· ".join([title, *(part.replace(" ", "\N{NO-BREAK SPACE}") for part in others)])


def _price(work: Work, option: Option, plan: Plan, *, population: bool) -> list[str]:
    assert option.mechanism is not None
    texts = list(option.price.parts)
    if option.lost_pairs:
        texts.append(f"{counted(option.lost_pairs, 'pair', 'pairs')} lost")
    elif option.mechanism.k > 1:
        widest = work.remember(
            "widest_pair", (plan, id(option.mechanism), population), partial(_widest, plan, option.mechanism, population)
        )
        texts.append(f"pairs within {points(widest)}" if widest < 1 else "pairs cannot be read")
    return texts


def _widest(plan: Plan, mechanism: Mechanism, population: bool) -> float:
    """How precisely any share of any two attributes is read, as Budget and Collect say it."""
    pairs = list(combinations(range(mechanism.k), 2))
    return precision_of(plan, pairs, assumption=Assumption(population=population), mechanism=mechanism).margin


_EXPLAINED = (
    f"One answer: {meaning('one answer')}\n\nOthers known: {meaning('others known')}\n\nWhole record: {meaning('whole record')}\n\n"
    f"Pairs within: {meaning('pairs within')}\n\nPairs lost: {meaning('lost pair')}"
)
