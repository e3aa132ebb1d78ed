"""The question before names of categories are published that were read from somebody's table: they reveal which answers occur in it."""

from collections.abc import Iterable, Sequence

import streamlit as st

from pages.shared import widgets
from pages.shared.state import Learned, Work
from rrcore.limits import FEW_PEOPLE
from rrcore.table import MISSING, OTHER, Schema
from rrcore.wording import count_text, counted

_SHOWN, _MOST = 4, 12
SEEN = "Allow these names"
"""The answer that lets them be published."""


def settled(work: Work, schemas: Iterable[Schema], what: str, *, rules: bool = False) -> bool:
    """Return whether the names of categories in ``schemas`` may be published. Ask if nobody has decided that yet.

    ``what`` is the beginning of a sentence such as "the form leaves". With ``rules`` values that were renamed count too, as in a project.
    """
    found = work.unsettled(schemas, rules=rules)
    if not found:
        return True
    with st.container(border=True, key=f"names_{'_'.join(what.split())}"):
        st.markdown(
            f"**Before {what}, decide whether others may read these category names.** They show which answers occur in your table."
        )
        st.markdown("\n".join(f"- {_line(work, each, note)}" for each, note in list(found.items())[:_MOST]))
        if len(found) > _MOST:
            st.caption(f"and {counted(len(found) - _MOST, 'other attribute', 'other attributes')}.")
        st.caption(
            "Allow them if everybody could choose from this list of answers. Otherwise, declare the list or merge rare categories on Data."
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            _button(work, found, what)
            st.page_link("pages/data/page.py", label="Change them on Data", icon=":material/arrow_back:")
    return False


def beside_columns(work: Work) -> None:
    """Ask on Data whether the names of categories may be published. Nobody has to answer there."""
    found = {} if work.schema is None else work.unsettled([work.schema])
    if found:
        listed = widgets.plain(_some([name for name, _ in found]))
        st.markdown(
            f"May others read the category names of {listed}? They appear in every form, file and report.", width="content"
        )
        _button(work, found, "columns")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _button(work: Work, found: dict[Learned, str], what: str) -> None:
    key = f"seen_{'_'.join(what.split())}"
    st.button(SEEN, on_click=work.may_leave.update, args=(tuple(found),), key=key, icon=":material/check:")


def _line(work: Work, each: Learned, note: str) -> str:
    """An attribute, its first categories, what they reveal, and which of them few people have, as Markdown."""
    name, categories = each
    shown = _some([f"'{one[:40]}'" for one in categories])
    line = f"**{widgets.plain(name)}**: {widgets.plain(shown)}."
    if note:
        line += f" {note[:1].upper()}{note[1:]}."
    if few := _few(work, each):
        line += f" **Fewer than {FEW_PEOPLE} people:** {widgets.plain(_some(few))}."
    return line


def _few(work: Work, each: Learned) -> list[str]:
    """The categories that few people are in, if the table in use is the one that they come from."""
    name, categories = each
    table = work.dataset
    if table is None or (name, categories) not in {(a.name, a.categories) for a in table.schema.attributes}:
        return []
    people = zip(categories, table.counts([name]).tolist(), strict=True)
    return [f"'{one[:40]}' ({count_text(count)})" for one, count in people if count < FEW_PEOPLE and one not in (OTHER, MISSING)]
