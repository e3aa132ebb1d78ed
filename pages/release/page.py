"""Release: a table of true answers leaves once, randomised for real, with whatever is needed to read it."""

import streamlit as st

from pages.release import draws, source
from pages.shared import certificates, jobs, names, state, verdicts, widgets
from pages.shared.answers.holding import HeldAnswers
from pages.shared.opened import offer_entry
from rrcore.answers import Answers
from rrcore.errors import InputError
from rrcore.mark import check_unmarked, marks_in
from rrcore.promise import MechanismFile
from rrcore.table import Dataset, as_table
from rrcore.wording import counted

_REHEARSED = {"demo": "Demonstration table: a rehearsal.", "synthetic": "Invented people: a rehearsal."}


def offer(
    work: state.Work, file: MechanismFile, answers: Dataset, kept: Dataset | None, earlier: list[draws.Draw], meant: bool
) -> None:
    """The button that randomises; where these people gave answers already, only for who knows what one more draw adds."""
    before = draws.earlier(earlier)
    sure = meant and draws.agreed(
        file,
        before,
        "A new draw is another release about the same people: whoever sees all of them learns more.",
        "I want another release, at that price",
        f"release_sure_{len(before)}",
        rest="The draw that there is can be downloaded again at no cost." if earlier else "",
    )
    st.button(
        "Randomise again" if earlier else f"Randomise the answers of {counted(answers.n, 'person', 'people')}",
        type="secondary" if earlier else "primary",
        icon=":material/shuffle:",
        disabled=not sure,
        on_click=draws.start if sure else None,
        args=(work, file, answers, kept, len(earlier) + 1),
        help="By the exact sampler, with the operating system's entropy: no seed, and nobody can undo it.",
    )


def hand_over(work: state.Work, draw: draws.Draw) -> None:
    """The archive, the ledger, and how a recipient would read it."""
    released = draw.released
    widgets.download(
        "Download the release (ZIP)",
        draw.content,
        released.file_name,
        type="primary",
        help="Randomised answers, mechanism file and certificate in one file, so that none of them is lost.",
    )
    st.caption(
        "In it: the randomised answers, their mechanism file, its certificate, a script that computes it again, a page for recipients, "
        "and a guide. It is kept in this session: download it again instead of drawing again."
    )
    with st.container(horizontal=True):
        offer_entry("Record in the ledger", released.mechanism, released.dataset.n, "release_ledger")
        if st.button("Read it as a recipient would", icon=":material/query_stats:"):
            beside = () if released.known is None else as_table(released.known)[0].columns
            state.of_page(HeldAnswers).start(released.mechanism, Answers(released.dataset, released.mechanism, groupings=beside))
            st.switch_page("pages/read/page.py")


def show_earlier(earlier: list[draws.Draw]) -> None:
    """Former draws about these people, to download again."""
    for draw in earlier[::-1]:
        number = draw.released.draw
        widgets.download(
            f"Draw {number}, {draw.released.made:%H:%M} UTC (ZIP)",
            draw.content,
            draw.released.file_name,
            type="tertiary",
            key=f"release_again_{number}",
        )


work = state.current()
answer = widgets.header("Release", "How do true answers leave, once and for good?")
if work.awaited is not None:
    answer(
        f"The table '{widgets.plain(work.awaited.title)}' has to be uploaded again before it is released: answers are kept nowhere, so they "
        "are gone when a page is loaded anew or a project is opened."
    )
    st.page_link("pages/data/page.py", label="Upload the table again", icon=":material/upload_file:")
    st.stop()
if work.dataset is None:
    answer("A declared plan has no table to release: its respondents randomise their own answers, with the form made on Collect.")
    st.page_link("pages/collect/page.py", label="Go to Collect", icon=":material/arrow_back:")
    st.stop()
table = work.dataset
try:
    check_unmarked(marks_in([work.title]), f"Randomizing '{work.title}'")
except InputError as error:
    widgets.complain(error)
    st.stop()
file = source.choose(work)
answers = None if file is None else source.fitting(work, table, file)
made = state.of_page(draws.Draws)
made.take_in()
earlier = made.about(work.title)
if file is not None and answers is not None:
    kept = source.kept(work, table, file)
    whose = draws.fingerprint(work, answers, kept)
    made_already = draws.earlier(earlier)
    same = [draw for draw in earlier if draw.released.mechanism == file and draw.answers == whose]
    if same:
        when = (
            f"**The answers of {counted(answers.n, 'person', 'people')} were randomised** at {same[-1].released.made:%H:%M} UTC."
        )
    elif made_already:
        before = counted(len(made_already), "earlier one about these people was", "earlier ones about these people were")
        when = f"**This release has not left yet; {before} made.**"
    else:
        when = "**Nothing has left yet.**"
    answer(f"{when} {draws.together(made_already)}".strip())
    again = draws.one_more(file, made_already).sentences()[0] if made_already and not same else ""
    shown = verdicts.show(work, file, answers, columns=len(table.schema.names), kept=kept, again=again)
    left, right = st.columns([2, 3], gap="large")
    with left:
        if work.source in _REHEARSED:
            st.info(_REHEARSED[work.source], icon=":material/theater_comedy:")
        certificates.warn_unbounded(file)
        leaves = names.settled(work, [file.schema, *([] if kept is None else [kept.schema])], "the release leaves") and shown
        own = state.of_page(source.Own).wanted == "file"
        meant = own or not leaves or bool(same) or verdicts.meant(work, file)
        if jobs.at_work(draws.JOB) or draws.failed():
            jobs.watch(draws.JOB, "The release")
        elif same:
            hand_over(work, same[-1])
            with st.expander("Randomise again", icon=":material/warning:"):
                offer(work, file, answers, kept, earlier, meant)
        elif leaves:
            offer(work, file, answers, kept, earlier, meant)
        show_earlier([draw for draw in earlier if draw not in same[-1:]])
        source.note_rows(work, answers)
    with right:
        certificates.figure(file, "release-promise")
with st.expander("Details", icon=":material/tune:"):
    source.change()
    if file is not None:
        certificates.numbers(file)
    st.caption(
        "The archive is made here and stays in this session's memory until you download it; no true answer is in it. The simulated releases "
        "of Perturb & estimate come from a seed that undoes them: they are marked in their names and first lines, and are not for giving out."
    )
