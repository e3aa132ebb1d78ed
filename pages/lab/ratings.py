"""The ratings that key-value protocols randomize: an invented set, or a file with one row per rating."""

from dataclasses import dataclass

import streamlit as st

from pages.shared import jobs, state, uploads, widgets
from pages.shared.mode import limit
from rrcore.errors import InputError
from rrcore.limits import DEMO_ROWS, MAX_FILE_BYTES, MAX_ROWS
from rrcore.papers.keyvalue import KeyValueData, invented, read_long
from rrcore.table import TextTable, read_file
from rrcore.wording import count_text

_SOURCES = ("Invented", "Uploaded")
_USERS = (1_000, 10_000, 100_000, 1_000_000)


@dataclass
class Uploaded:
    """The ratings that were uploaded last."""

    table: TextTable | None = None


@widgets.complaining
def choose(work: state.Work) -> KeyValueData | None:
    """Return the ratings; None until there are some."""
    source = widgets.radio("Ratings", _SOURCES, "keyvalue_source", horizontal=True)
    data = _invented(work) if source == "Invented" else _uploaded(work)
    for note in data.notes if data else ():
        widgets.caption(note)
    return data


def _invented(work: state.Work) -> KeyValueData:
    users = widgets.select(
        "Users", {n: count_text(n) for n in _USERS if n <= limit(MAX_ROWS, DEMO_ROWS)}, "keyvalue_users", at=100_000
    )
    keys = int(widgets.slider("Keys", "keyvalue_keys", 8, (1, 50)))
    about = (users, keys, work.draft.seed)
    return work.remember("keyvalue_made", about, lambda: invented(users, keys, mean=0.2, rng=work.rng("invented ratings")))


def _uploaded(work: state.Work) -> KeyValueData | None:
    chosen = uploads.choose_file(
        "Ratings",
        key="keyvalue_file",
        max_upload_size=MAX_FILE_BYTES // 2**20,
        help="CSV, XLSX or Parquet with one row per rating: user, key, value.",
    )
    held = state.of_page(Uploaded)
    if chosen is not None:
        file = (chosen.file_id, read_file, chosen.getvalue(), chosen.name)
        found = jobs.read("keyvalue_table", *file, what="Reading the ratings")
        if found is None:
            return None
        held.table = found[0]
    table = held.table
    if table is None:
        return None
    if len(table.names) < 3:
        raise InputError(
            f"The file has {len(table.names)} columns. Choose one column for the user, one for the key, and one for the value."
        )
    stamp = hash(table.names)
    user, key, value = (
        widgets.select(title, table.names, f"keyvalue_{title}_{stamp}", at=table.names[i])
        for i, title in enumerate(("User", "Key", "Value"))
    )
    low = st.number_input("Lowest rating", value=-1.0, key="keyvalue_low", persist_state="session")
    high = st.number_input("Highest rating", value=1.0, key="keyvalue_high", persist_state="session")
    about = (id(table), user, key, value, low, high)
    return work.remember("keyvalue_read", about, lambda: read_long(table, user=user, key=key, value=value, low=low, high=high))
