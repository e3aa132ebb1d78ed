"""The answers and the mechanism file that they were randomised by."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import jobs, marked, mechanisms, state, uploads, widgets
from pages.shared.answers.holding import HeldAnswers
from rrcore.answers import NIGERIA_SOURCE, Answers, nigeria, read_answers, unmatched_sentences
from rrcore.audit import check_answers
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.table import INVENTED
from rrcore.wording import count_text, counted, legible

_GLANCE = 8  # sets of attributes of each width that are looked at


def choose(work: state.Work) -> Answers | None:
    """The mechanism file and the answers, out of the way once they are there; what was read stays in the session. None until then."""
    reading = state.of_page(HeldAnswers)
    complete = reading.complete
    with st.expander("Mechanism file and answers", expanded=not complete, icon=":material/upload_file:"):
        file = reading.file = mechanisms.uploaded(work, f"read_mechanism_{reading.turn}", reading.file)
        if work.made_file is not None and work.made_file != file:
            st.button(
                "Use the one made on Collect",
                icon=":material/move_to_inbox:",
                type="tertiary",
                on_click=reading.start,
                args=(work.made_file,),
            )
        if file is not None:
            st.caption(
                f"Mechanism of {counted(len(file.schema.names), 'attribute', 'attributes')}, fingerprint `{file.sha256[:12]}`"
            )
        chosen = _uploads(reading)
        if st.button("Try a real survey", icon=":material/science:", type="tertiary", help=NIGERIA_SOURCE):
            survey = nigeria()
            reading.start(survey.mechanism, survey)
            st.rerun()
    if file is not None and chosen:
        key = (file.sha256, tuple(each.file_id for each in chosen))
        try:
            files = [(each.getvalue(), each.name) for each in chosen]
            answers = jobs.read("answers", key, read_answers, files, file, what="Reading the answers")
            if answers is not None:
                reading.answers = answers
        except InputError as error:
            widgets.complain(error)
            if reading.complete:
                widgets.warn("What this page shows is from the answers that were read before.")
    if reading.complete != complete:
        st.rerun()  # so that the uploads open or close at once
    return reading.answers if complete else None


def _uploads(reading: HeldAnswers) -> list[uploads.Upload]:
    """Answers that are uploaded."""
    return uploads.choose_files(
        "Collected answers",
        key=f"read_answers_{reading.turn}",
        max_upload_size=MAX_FILE_BYTES // 2**20,
        help="CSV, XLSX or Parquet with one column per attribute and one row per person, or JSON lines from the form; one or many files, "
        f"up to {MAX_FILE_BYTES // 2**20} MB each. They stay in this session's memory.",
    )


def beside(work: state.Work) -> tuple[DeltaGenerator, DeltaGenerator, Answers]:
    """A narrow column in which answers are chosen, a wide one for what they say, and the answers; the page ends where there are none."""
    left, right = st.columns([1, 3], gap="large")
    with left:
        answers = choose(work)
    if answers is None:
        with right:
            _invite()
        st.stop()
    return left, right, answers


def _invite() -> None:
    """What to do while there are no answers."""
    st.info(
        "Choose the mechanism file and the collected answers. No true answers are needed, and none can be recovered from what is "
        "read. Nothing collected yet? Make a mechanism file and a form on the Collect page, or try a real survey.",
        icon=":material/upload_file:",
    )
    st.page_link("pages/collect/page.py", label="Go to Collect", icon=":material/arrow_back:")


def counts(answers: Answers) -> None:
    """How many rows were used, why others were not, and what counts cannot say."""
    st.markdown(
        f"**{counted(answers.n, 'answer', 'answers')} used**"
        + (f", {count_text(answers.left_out)} left out" if answers.left_out else "")
    )
    if answers.rejected:
        with st.expander("Why rows were left out", icon=":material/rule:"):
            widgets.table([{"Reason": each.reason, "Rows": each.rows, "First": each.first} for each in answers.rejected])
    few, many = unmatched_sentences(answers)
    for warning in many:
        widgets.warn(legible(warning))
    for note in (*few, *answers.notes):
        widgets.caption(note)


def warn(work: state.Work, answers: Answers) -> None:
    """Say that answers are a simulation or invented, or where records cannot have been randomised as the file says."""
    marked.tell(answers.mark)
    if answers.title == INVENTED:
        marked.tell_invented()
    if answers.mark:
        return
    rng = work.rng("glance at answers")
    audit = work.remember("read_audit", id(answers), lambda: check_answers(answers, marginals=_GLANCE, rng=rng))
    if audit.shares.caught:
        widgets.warn(f"These answers do not fit the mechanism file, and estimates from them are wrong. {audit.shares.sentence}")
