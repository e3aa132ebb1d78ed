"""What is randomised, and by which mechanism file."""

from dataclasses import dataclass

import streamlit as st

from pages.shared import mechanisms, state, widgets
from rrcore.promise import MechanismFile
from rrcore.table import Dataset
from rrcore.wording import counted

_SOURCES = {"plan": "The plan in play", "file": "A mechanism file I have"}


@dataclass
class Own:
    """Which mechanism file is wanted, and the one of one's own that was read last."""

    wanted: str = "plan"
    file: MechanismFile | None = None

    def choose(self) -> None:
        """Want what the radio buttons say."""
        self.wanted = st.session_state["release_source"]


def change() -> None:
    """Another mechanism file than the plan's, such as the one that an ethics board has seen."""
    own = state.of_page(Own)
    st.session_state["release_source"] = own.wanted
    st.radio(
        "Randomised by",
        list(_SOURCES),
        format_func=_SOURCES.__getitem__,
        key="release_source",
        horizontal=True,
        on_change=own.choose,
    )


def choose(work: state.Work) -> MechanismFile | None:
    """The mechanism file that is released by; None until there is one."""
    own = state.of_page(Own)
    if own.wanted == "file":
        own.file = mechanisms.uploaded(work, "release_file", own.file)
        if own.file is None:
            st.info("Choose the mechanism file that the answers are to be randomised by.", icon=":material/upload_file:")
        return own.file
    planned, made = mechanisms.planned(work), work.made_file
    if planned is not None and made is not None and (planned.schema, planned.groups) == (made.schema, made.groups):
        return made  # with the name and the note that were typed on Collect, so that its fingerprint is the same
    return planned


def fitting(work: state.Work, table: Dataset, file: MechanismFile) -> Dataset | None:
    """The answers of ``table`` that ``file`` is for; None where it has none such, which is then said."""
    names = file.schema.names
    missing = [name for name in names if name not in table.schema.names]
    answers = None if missing else work.remember("release_answers", (work.version, names), lambda: table.select(names))
    if answers is None or answers.schema != file.schema:
        what = f"no attribute '{missing[0]}'" if missing else "other categories"
        widgets.complain(
            f"The table in play has {what}, so this mechanism file is not for it: open the table it was made for on the Data page, or "
            "release by the plan in play."
        )
        return None
    return answers


def kept(work: state.Work, table: Dataset, file: MechanismFile) -> Dataset | None:
    """What of the columns that ``file`` does not randomise leaves as it is; None where nothing does."""
    others = [name for name in table.schema.names if name not in file.schema.names]
    if not others:
        return None
    with st.expander("Columns that leave as they are", icon=":material/lock_open:"):
        chosen = tuple(
            widgets.several(
                "Known about everybody anyway",
                others,
                f"release_kept_{work.version}_{file.sha256[:8]}",
                help="Such as a region: answers are randomised within it, and read by it. Nothing of such a column is protected.",
            )
        )
    return work.remember("release_kept", (work.version, chosen), lambda: table.select(chosen)) if chosen else None


def note_rows(work: state.Work, answers: Dataset) -> None:
    """Whose answers are left out."""
    if work.table is not None and work.table.n > answers.n:
        widgets.caption(
            f"{counted(work.table.n - answers.n, 'row', 'rows')} of the table are left out, as chosen on the Data page."
        )
