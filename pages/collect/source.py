"""How the answers are randomised. By the plan, by designs already in the field, or as a mechanism file says."""

from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from pages.collect import designs
from pages.shared import mechanisms, state, surveys, widgets
from rrcore.designs import DESIGNS, read_question
from rrcore.errors import InputError
from rrcore.limits import MAX_COLUMNS, MAX_TEXT
from rrcore.promise import MechanismFile
from rrcore.table import Attribute, Schema
from rrcore.wording import meaning

SOURCES = {
    "plan": "The plan in play",
    "field": "Designs already in the field",
    "file": "A mechanism file I have",
}

_EXAMPLE: list[dict[str, Any]] = [
    {"attribute": "took drugs", "answers": "no, yes", "design": "Forced response", "numbers": "2/3, 1/6, 1/6"},
    {"attribute": "region", "answers": "north, south, east, west", "design": "k-ary randomized response", "numbers": "3/5"},
]
_KEYS = {design.title: key for key, design in DESIGNS.items()}


@dataclass
class Typed:
    """The designs as they were typed last, by the attributes in play; those of a demo table are nobody's own, and stand under ``None``."""

    rows: dict[Schema | None, list[dict[str, Any]]] = field(default_factory=lambda: {None: _EXAMPLE})


@widgets.complaining
def choose(work: state.Work) -> MechanismFile | None:
    """The mechanism file that is being made or was chosen: None until there is one."""
    source = widgets.radio("Answers are randomised by", SOURCES, surveys.SOURCE, horizontal=True)
    if source == "file":
        file = mechanisms.uploaded(work, "collect_file")
        if file is None:
            st.info(
                "Choose a mechanism file. It says how the answers are randomised, in integers.", icon=":material/upload_file:"
            )
        return file
    return mechanisms.planned(work) if source == "plan" else from_designs(work)


def _own(work: state.Work) -> list[Attribute]:
    """The attributes in play, unless they are those of a demo table; what has a comma in an answer cannot be typed here."""
    if work.source == "demo" or work.schema is None:
        return []
    chosen = work.schema.select(work.wishes.chosen).attributes
    return [attribute for attribute in chosen if not any("," in answer for answer in attribute.categories)]


def _first_row(attribute: Attribute) -> dict[str, Any]:
    """An attribute with a usual design."""
    design, numbers = (_EXAMPLE[0 if attribute.size == 2 else 1][part] for part in ("design", "numbers"))
    return {"attribute": attribute.name, "answers": ", ".join(attribute.categories), "design": design, "numbers": numbers}


def signed(made: MechanismFile) -> MechanismFile:
    """``made`` with who made it and a note; a file that was made already stays as it is."""
    if st.session_state[surveys.SOURCE] == "file":
        return made
    left, right = st.columns(2)
    made_by = widgets.text(
        "Made by", "made_by", max_chars=MAX_TEXT, help="A name or office, for people who read the file.", where=left
    )
    note = widgets.text(
        "Note", "made_note", max_chars=MAX_TEXT, help="What the survey is about, or which version this is.", where=right
    )
    try:
        return replace(made, made_by=made_by, note=note or made.note)
    except InputError as error:
        widgets.complain(error)
        return made


@widgets.complaining
def from_designs(work: state.Work) -> MechanismFile | None:
    """The attributes and designs typed in a table, at first those in play."""
    typed = state.of_page(Typed)
    own = _own(work)
    about = Schema(tuple(own)) if own else None
    if about not in typed.rows:
        typed.rows[about] = [_first_row(attribute) for attribute in own]
    key = "collect_designs" if about is None else f"collect_designs_{hash(about)}"
    edited = st.data_editor(
        state.editor_start(key, typed.rows[about]),
        key=key,
        num_rows="dynamic",
        hide_index=True,
        column_config={
            "attribute": st.column_config.TextColumn(
                "Attribute", required=True, help=f"{meaning('attribute')} Called as in the collected answers."
            ),
            "answers": st.column_config.TextColumn(
                "Possible answers",
                required=True,
                help="Separated by commas, written as in the collected answers; for yes/no: no first.",
            ),
            "design": st.column_config.SelectboxColumn("Design", options=list(_KEYS), required=True),
            "numbers": st.column_config.TextColumn("Its probabilities", required=True, help="Fractions, decimals or percent."),
        },
    )
    typed.rows[about] = edited.to_dict("records")
    if own and (others := [name for name in work.wishes.chosen if name not in {each.name for each in own}]):
        widgets.caption(
            f"{', '.join(others)} cannot stand here: commas separate answers, and there are some within those of "
            f"{'this attribute' if len(others) == 1 else 'these attributes'}. Rename them on Data to ask about "
            f"{'it' if len(others) == 1 else 'them'} by such a design."
        )
    st.caption("Each attribute is randomised on its own.")
    widgets.details("Which design to take, and what its probabilities are", "collect_catalogue", designs.look_up, icon="help")
    return designed(typed.rows[about])


def designed(rows: list[dict[str, Any]]) -> MechanismFile:
    """The mechanism file of typed rows. Raises InputError with the sentence to show."""
    filled = [row for row in rows if any(_text(row.get(key)) for key in ("attribute", "answers", "numbers"))]
    if not filled:
        raise InputError("No attribute is given: fill in a row.")
    if len(filled) > MAX_COLUMNS:
        raise InputError(f"There are {len(filled):,} attributes: at most {MAX_COLUMNS:,} are allowed.")
    attributes, reports, weights = [], [], []
    for position, row in enumerate(filled):
        answers = tuple(part.strip() for part in _text(row.get("answers")).split(",") if part.strip())
        attributes.append(Attribute(_text(row.get("attribute")), answers))
        key = _KEYS.get(_text(row.get("design")), "")
        if not key:
            raise InputError(f"'{attributes[-1].name}' has no design: choose one in its row.")
        own, reported = read_question(attributes[-1], key, _text(row.get("numbers")))
        weights.append(((position,), own))
        reports.append(reported)
    return MechanismFile(Schema(tuple(attributes)), tuple(weights), reports=Schema(tuple(reports)))


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
