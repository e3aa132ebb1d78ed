"""Publish a table of true answers once, randomized, with everything that is needed to analyze it."""

from collections.abc import Callable, Sequence

import streamlit as st

from pages.release import draws
from pages.shared import category_names, jobs, publishing, state, table_choice, verdict, widgets
from pages.shared.answers import HeldAnswers
from pages.shared.opened import offer_entry
from rrcore.answers import Answers
from rrcore.errors import InputError
from rrcore.mark import check_unmarked, marks_in
from rrcore.promise import MechanismFile
from rrcore.table import Dataset, as_table
from rrcore.wording import counted

ONCE = "Publish this file only once. Randomizing the same answers again spends the privacy budget again."


def show() -> None:
    work = state.current()
    answer = widgets.headline()
    table = work.dataset
    if table is None:
        _ask_for_table(work, answer)
        return
    try:
        check_unmarked(marks_in([work.title]), f"Publishing '{work.title}'")
    except InputError as error:
        widgets.complain(error)
        return
    found = publishing.planned_with_file(work)
    if found is not None:
        plan, mechanism, file = found
        made = state.of_page(draws.Draws).about(work.title)
        answer(_spent(file, made, work.draft.rows_per_person))
        verdict.show(plan, mechanism)
        chosen = plan.schema.names
        answers = work.remember("release_answers", (work.version, chosen), lambda: table.select(chosen))
        _publish(work, file, table, answers, made)


def _ask_for_table(work: state.Work, answer: Callable[[str], None]) -> None:
    """Say what to do without a table."""
    if work.awaited is not None:
        answer(f"Upload '{widgets.plain(work.awaited.title)}' again to publish it. Answers are not stored.")
        st.page_link("pages/data/page.py", label="Upload the table again", icon=":material/upload_file:")
    elif work.schema is None:
        table_choice.choose_first(work, "Release")
    else:
        st.header("No table", anchor=False)
        answer("You described questions, so there is no table to publish. You can ask respondents on Survey.")
        st.page_link("pages/survey/page.py", label="Ask people on Survey", icon=":material/arrow_forward:")


def _spent(file: MechanismFile, made: Sequence[draws.Draw], rows: int) -> str:
    """The headline: how much of the privacy budget the releases about these people spend."""
    files = [draw.released.mechanism for draw in made] or [file]
    spent = f"{publishing.epsilon_text(*files, rows=rows)} of each person's privacy budget"
    if not made:
        return f"Nothing is published yet. One release spends {spent}."
    when = f"at {made[0].released.made:%H:%M} UTC" if len(made) == 1 else f"{len(made)} times"
    return f"RR Workbench randomized the answers {when}. {'This' if len(made) == 1 else 'Together, this'} spends {spent}."


def _publish(work: state.Work, file: MechanismFile, table: Dataset, answers: Dataset, made: Sequence[draws.Draw]) -> None:
    """Show what is published, the button, and what there is to download."""
    others = [name for name in table.schema.names if name not in file.schema.names]
    key = f"release_kept_{work.version}_{file.sha256[:8]}"
    chosen = tuple(st.session_state.get(key, ()))
    kept = work.remember("release_kept", (work.version, chosen), lambda: table.select(chosen)) if chosen else None
    published = {"Answers": f"{counted(answers.n, 'randomized row', 'randomized rows')}, in the order of the table"}
    if kept is not None:
        published["Not randomized"] = f"{', '.join(chosen)}: everybody's true answer is published"
    left, right = st.columns([3, 2])
    with left:
        publishing.checklist(work, file, published)
    with right:
        publishing.changes(work)
    whose = draws.fingerprint(work, answers, kept)
    same = [draw for draw in made if draw.released.mechanism == file and draw.answers == whose]
    with widgets.card("Publish", hint="Randomize the table once. Hand out only the archive that you then download."):
        settled = category_names.settled(
            work, [file.schema, *([] if kept is None else [kept.schema])], "the release is published"
        )
        job = jobs.find(draws.JOB)
        if job is not None and (job.running or job.error is not None):
            jobs.watch(draws.JOB, "The release")
        elif same:
            _hand_over(work, same[-1])
            with st.expander("Randomize again", icon=":material/warning:"):
                _offer(work, file, answers, kept, made)
        elif settled:
            _offer(work, file, answers, kept, made)
    with st.expander("Certificate and columns without randomization" if others else "Certificate", icon=":material/tune:"):
        if others:
            help = "For what is known anyway, such as a region. Nothing in these columns is protected."
            widgets.several("Columns published without randomization", others, key, help=help)
        publishing.certificate(file)


def _offer(work: state.Work, file: MechanismFile, answers: Dataset, kept: Dataset | None, made: Sequence[draws.Draw]) -> None:
    """Show the button that randomizes. After an earlier release, ask whether another one is meant."""
    sure = True
    if made:
        every = (*(draw.released.mechanism for draw in made), file)
        together = publishing.epsilon_text(*every, rows=work.draft.rows_per_person)
        widgets.warn(f"{ONCE} Together with the earlier releases, this would spend {together} of each person's privacy budget.")
        sure = widgets.checkbox("Spend the privacy budget again", f"release_sure_{len(made)}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Randomize again" if made else f"Randomize {counted(answers.n, 'row', 'rows')}",
            type="secondary" if made else "primary",
            icon=":material/shuffle:",
            disabled=not sure,
            on_click=draws.start if sure else None,
            args=(work, file, answers, kept, len(made) + 1),
            help="RR Workbench uses the operating system's random number generator. Nobody can undo the randomization.",
        )
        if work.source in draws.REHEARSALS:
            st.caption("This is a rehearsal, because the answers in this table are invented or public.")
    for draw in made:
        widgets.download(
            f"Release {draw.released.draw}, {draw.released.made:%H:%M} UTC (ZIP)",
            draw.content,
            draw.released.file_name,
            type="tertiary",
            key=f"release_again_{draw.released.draw}",
        )


def _hand_over(work: state.Work, draw: draws.Draw) -> None:
    """Offer the archive, its entry in the history, and the page that analyzes it."""
    released = draw.released
    work.made_file = released.mechanism
    with st.container(horizontal=True):
        widgets.download(
            "Download the release (ZIP)",
            draw.content,
            released.file_name,
            type="primary",
            help="It contains the randomized answers, the mechanism file, the certificate and a page for recipients.",
        )
        offer_entry("Add to the history", released.mechanism, released.dataset.n, "release_history")
        if st.button("Analyze it", icon=":material/query_stats:"):
            known = () if released.known is None else as_table(released.known)[0].columns
            state.of_page(HeldAnswers).start(released.mechanism, Answers.of(released.dataset, released.mechanism, known))
            st.switch_page("pages/analyze/page.py", query_params={})
    st.caption(ONCE)
