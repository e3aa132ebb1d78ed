"""The question before names of categories leave that were read off somebody's table: who reads them learns what occurs in it."""

from collections.abc import Iterable, Sequence

import streamlit as st

from pages.shared import widgets
from pages.shared.state import Learned, Work
from rrcore.limits import FEW_PEOPLE
from rrcore.table import MISSING, OTHER, Schema
from rrcore.wording import count_text, counted

_SHOWN, _MOST = 4, 12
SEEN = "They may be seen"
"""The answer by which they may leave."""


def settled(work: Work, schemas: Iterable[Schema], what: str, *, rules: bool = False) -> bool:
    """Whether the names of categories in ``schemas`` may leave; asks where they were read off an upload and nobody said so yet.

    ``what`` is to leave, such as "the form"; with ``rules`` the values that were renamed leave too, as they do in a project.
    """
    found = work.unsettled(schemas, rules=rules)
    if not found:
        return True
    with st.container(border=True, key=f"names_{'_'.join(what.split())}"):
        st.markdown(
            f"**Before {what}: may others read these names?** They were read off your table, so they tell which answers occur in it."
        )
        st.markdown("\n".join(f"- {_line(work, each, note)}" for each, note in list(found.items())[:_MOST]))
        if len(found) > _MOST:
            st.caption(f"and {counted(len(found) - _MOST, 'other attribute', 'other attributes')}.")
        st.caption(
            "Randomising hides who gave which answer, not which answers there are. Say yes if everybody was offered this list of answers; "
            "else declare the list, merge rare ones or round the edges on the page Data."
        )
        here = set() if work.schema is None else {(each.name, each.categories) for each in work.schema.attributes}
        if elsewhere := [name for name, categories in found if (name, categories) not in here]:
            are = "is" if len(elsewhere) == 1 else "are"
            widgets.caption(
                f"{_some(elsewhere)} {are} not of the table in play: to change names there, put that table into play again and pin its plan "
                "anew, or remove the plan."
            )
        with st.container(horizontal=True, vertical_alignment="center"):
            _button(work, found, what)
            if len(elsewhere) < len(found):
                st.page_link("pages/data/page.py", label="Change them on Data", icon=":material/arrow_back:")
    return False


def beside_columns(work: Work) -> None:
    """Ask beside the columns of a table, where it keeps nobody from going on, whether the names of categories may leave."""
    found = {} if work.schema is None else work.unsettled([work.schema])
    if not found:
        return
    listed = _some([name for name, _ in found])
    with st.container(horizontal=True, vertical_alignment="center", key="names_columns"):
        st.markdown(
            f"**May others read the names of the categories of {widgets.plain(listed)}?** They were read off the table and stand in every "
            "form, file, plan and report about it. If not, declare or merge them below.",
            width="content",
        )
        _button(work, found, "columns")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _button(work: Work, found: dict[Learned, str], what: str) -> None:
    st.button(
        SEEN, on_click=work.may_leave.update, args=(tuple(found),), key=f"seen_{'_'.join(what.split())}", icon=":material/check:"
    )


def _line(work: Work, each: Learned, note: str) -> str:
    """An attribute, its first names, what else they tell, and which of them few people have, as Markdown."""
    name, categories = each
    shown = ", ".join(f"'{one[:40]}'" for one in categories[:_SHOWN])
    more = f" and {len(categories) - _SHOWN} more" if len(categories) > _SHOWN else ""
    line = f"**{widgets.plain(name)}**: {widgets.plain(shown)}{more}."
    if note:
        line += f" {note[:1].upper()}{note[1:]}."
    if few := _few(work, each):
        line += f" **Fewer than {FEW_PEOPLE} people:** {widgets.plain(few)}."
    return line


def _few(work: Work, each: Learned) -> str:
    """The categories that few people are in, as far as the table in play is the one that they come from."""
    name, categories = each
    table = work.dataset
    if table is None or name not in table.schema.names:
        return ""
    (attribute,) = table.schema.select([name]).attributes
    if attribute.categories != categories:
        return ""
    people = table.counts([name]).tolist()
    few = [
        f"'{one[:40]}' ({count_text(count)})"
        for one, count in zip(categories, people, strict=True)
        if count < FEW_PEOPLE and one not in (OTHER, MISSING)
    ]
    return ", ".join(few[:_SHOWN]) + (f" and {len(few) - _SHOWN} more" if len(few) > _SHOWN else "")
