"""Compared with an earlier wave of the same survey. The column that tells people apart is compared in this session and kept nowhere."""

from functools import partial

import pandas as pd
import streamlit as st

from pages.shared import intake, marked, mechanisms, state, widgets
from rrcore import plots
from rrcore.answers import Answers, Waves, compare_waves, read_answers, with_sample
from rrcore.errors import InputError
from rrcore.estimate import written_cells
from rrcore.limits import MAX_FILE_BYTES
from rrcore.promise import WAYS
from rrcore.wording import Quantity, percent

_COLUMNS = {"Earlier": "first", "Now": "second", "Change in points (95 %)": "change"}
_APART = "They cannot be told apart, or are other people"


@widgets.complaining
def show(work: state.Work, answers: Answers, names: list[str]) -> None:
    """The earlier answers, how they go with the present ones, and what changed."""
    earlier = _earlier(work, answers)
    if earlier is None:
        st.info(
            "Choose the answers of an earlier wave to see what has changed since. If people were asked by another mechanism file then, "
            "choose that one too.",
            icon=":material/history:",
        )
        return
    marked.tell(earlier.mark)
    known = {column.name for column in earlier.groupings}
    common = [name for name in answers.beside if name in known] if answers.held else []
    left, right = st.columns(2)
    with left:
        column = widgets.select(
            "The same people are found by",
            [_APART, *common],
            f"read_waves_id_{hash(tuple(common))}",
            help="A column that is not randomised and the same for the same person in both waves. It stays in this session.",
        )
    with right:
        way = widgets.select("Chance was drawn", WAYS, "read_waves_way", help="Matters for the table of who moved where only.")
    if column == _APART:  # linked people have the weights of the later wave
        earlier = _sampled(earlier, answers)
    found = compare_waves(earlier, answers, names, identifier="" if column == _APART else column, way=way)
    _tell(found)


@widgets.complaining
def _earlier(work: state.Work, answers: Answers) -> Answers | None:
    left, right = st.columns(2)
    with left:
        chosen = st.file_uploader(
            "Answers of the earlier wave",
            key="read_waves_answers",
            max_upload_size=MAX_FILE_BYTES // 2**20,
            help="A table with one column per attribute, or JSON lines from the form. It stays in this session's memory.",
        )
    with right:
        mechanism = mechanisms.uploaded(work, "read_waves_mechanism", answers.mechanism)
    if chosen is None or mechanism is None:
        return None
    key = (mechanism.sha256, chosen.file_id)
    files = [(chosen.getvalue(), chosen.name)]
    return intake.read("earlier wave", key, partial(read_answers, files, mechanism), what="Reading the earlier answers")


def _sampled(earlier: Answers, answers: Answers) -> Answers:
    """The earlier answers, drawn as the present ones are said to be: shares of a weighted and of an unweighted sample cannot be compared."""
    try:
        return with_sample(earlier, answers.columns)
    except InputError as error:
        widgets.complain(f"Of the earlier answers: {error} They are read as if everybody had been as likely to be asked.")
        return earlier


def _tell(found: Waves) -> None:
    change = found.change
    widgets.say(found.sentence(), bold=True)
    widgets.figure(
        plots.change_intervals_figure(change, widgets.palette()), "read-change", alt="Change of every share between the waves"
    )
    widgets.table(written_cells(change.schema, change.table(), _COLUMNS))
    if found.moves is not None:
        moves, nearest = found.moves, found.moves.simplex()
        low, high = moves.interval(population=True)
        cells = sorted(moves.cells(moves.shares.size))
        table = pd.DataFrame([names for _, names in cells], columns=list(moves.schema.names))
        table["Share of people"] = [percent(float(nearest.shares[i])) for i, _ in cells]
        table["Unbiased (95 %)"] = [
            Quantity("share", "moves").estimated(float(moves.shares[i]), low[i], high[i]) for i, _ in cells
        ]
        st.markdown("**Who moved where**")
        widgets.table(table)
    widgets.warn(found.note)
