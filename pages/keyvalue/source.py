"""Where the ratings come from: a generated set, or a file."""

from dataclasses import dataclass

import streamlit as st

from pages.shared import jobs, state, uploads, widgets
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES, MAX_KEYS
from rrcore.research.keyvalue import SHAPES, KeyValueData, invented, read_long, read_wide
from rrcore.table import TextTable, read_file
from rrcore.wording import count_text, counted, legible

_SOURCES = {"make": "Invent a set", "file": "Upload ratings"}
_LAYOUTS = {"long": "one row per rating", "wide": "one row per user"}


@dataclass
class Ratings:
    """The ratings that were uploaded last."""

    table: TextTable | None = None


@widgets.complaining
def choose(work: state.Work) -> KeyValueData | None:
    """The data in play; None until there are some."""
    source = widgets.radio("Data", _SOURCES, "keyvalue_source")
    data = _generated(work) if source == "make" else _uploaded(work)
    if data is not None:
        st.caption(f"{counted(data.n, 'user', 'users')}, {counted(data.d, 'key', 'keys')}")
        for note in data.notes:
            widgets.caption(note)
    return data


def _generated(work: state.Work) -> KeyValueData:
    users = widgets.number("Users", "keyvalue_users", 100_000, (100, 2_000_000), step=10_000)
    keys = widgets.number("Keys", "keyvalue_keys", 10, (1, MAX_KEYS))
    with st.expander("More", icon=":material/tune:"):
        shape = widgets.select("Frequencies of the keys", SHAPES, "keyvalue_shape")
        frequency = widgets.slider("Middle frequency", "keyvalue_frequency", 0.5, (0.05, 0.95), step=0.05, format="percent")
        mean = widgets.slider("Middle mean", "keyvalue_mean", 0.2, (-0.9, 0.9), step=0.1)
    asked = (users, keys, shape, frequency, mean, work.wishes.seed)
    return work.remember(
        "keyvalue_made",
        asked,
        lambda: invented(users, keys, shape=shape, frequency=frequency, mean=mean, rng=work.rng("invented ratings")),
    )


def _uploaded(work: state.Work) -> KeyValueData | None:
    chosen = uploads.choose_file(
        "Ratings",
        key="keyvalue_file",
        max_upload_size=MAX_FILE_BYTES // 2**20,
        help="CSV, XLSX or Parquet. Either one row per rating (user, key, value) or one row per user with a column for each key.",
    )
    ratings = state.of_page(Ratings)
    if chosen is not None:
        about = (chosen.file_id, read_file, chosen.getvalue(), chosen.name)
        found = jobs.read("keyvalue_table", *about, what="Reading the ratings")
        if found is None:
            return None
        ratings.table = found[0]
    if ratings.table is None:
        st.info("Choose a file of ratings.", icon=":material/upload_file:")
        return None
    return _read(work, ratings.table)


def _read(work: state.Work, table: TextTable) -> KeyValueData | None:
    names = list(table.names)
    layout = widgets.radio("Layout", _LAYOUTS, "keyvalue_layout")
    low = st.number_input("Lowest value of the scale", value=-1.0, key="keyvalue_low", persist_state="session")
    high = st.number_input("Highest value of the scale", value=1.0, key="keyvalue_high", persist_state="session")
    stamp = hash(table.names)
    if layout == "wide":
        keys = st.multiselect("Columns that hold values", names, format_func=legible, key=f"keyvalue_wide_{stamp}")
        if not keys:
            st.info("Choose the columns that hold values, one per key.", icon=":material/info:")
            return None
        return work.remember(
            "keyvalue_read", (id(table), tuple(keys), low, high), lambda: read_wide(table, keys, low=low, high=high)
        )
    if len(names) < 3:
        raise InputError(
            f"The file has {len(names)} columns: one for the user, one for the key and one for the value are needed."
        )
    user, key, value = (
        st.selectbox(title, names, index=i, format_func=legible, key=f"keyvalue_{title}_{stamp}")
        for i, title in enumerate(("User", "Key", "Value"))
    )
    typed = st.text_area(
        "Declared keys, one per line",
        value="",
        key="keyvalue_declared",
        persist_state="session",
        help="The keys that are asked about. Left empty, the most frequent ones are taken from the data, which looks at private data.",
    )
    declared = [line for line in typed.split("\n") if line.strip()] or None
    if declared is None:
        widgets.warn(
            f"No key is declared, so up to {count_text(100)} are taken from the data: fine for trying, not for a real collection."
        )
    return work.remember(
        "keyvalue_read",
        (id(table), user, key, value, low, high, tuple(declared or ())),
        lambda: read_long(table, user=user, key=key, value=value, low=low, high=high, keys=declared),
    )
