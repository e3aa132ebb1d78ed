"""The form that respondents open in their own browser: how each question is asked, and the words around the questions."""

from collections.abc import Sequence
from typing import cast

import streamlit as st

from pages.collect import screens, translations
from pages.shared import components, state, surveys, widgets
from pages.shared.answers.holding import HeldAnswers
from rrcore.answers import Answers
from rrcore.asking import LANGUAGES, SurveyFile
from rrcore.asking.languages import language
from rrcore.asking.preview import Part, has_screen, preview
from rrcore.asking.unrandomised import told_apart_sentence
from rrcore.limits import MAX_ROWS, MAX_TEXT, MAX_TYPED
from rrcore.promise import MechanismFile, randomise, unreleased_columns_sentence
from rrcore.schemes import invented_answers
from rrcore.table import MISSING
from rrcore.wording import and_text, counted, meaning

_SEEN = {"questions": "Questions", "before": "Start", "practice": "Practice"}
"""The screens that are looked at, and what the page calls them."""


def ask(work: state.Work, file: MechanismFile) -> SurveyFile | None:
    """What respondents read, beside it the form as a phone shows it; None where a text cannot be used, which is then said."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        _ask_around(work, file)
        st.markdown("**Questions, in the order in which they are asked**")
        asked = surveys.asked(file)
        _ask_wordings(work, [each.name for each in asked], len(file.schema.names))
        translations.ask(asked)
        _tell_missing(file)
    with right:
        survey = surveys.in_play_or_complain(work, file)
        if survey is not None:
            part, made = cast(Part, widgets.section("Preview", _SEEN, "preview")), survey.form()
            if not has_screen(made, part):
                st.caption("This screen is left out.")
            spoken = {"": LANGUAGES[survey.language], **{code: LANGUAGES[code] for code in survey.translations}}
            code = widgets.select("Preview in", spoken, f"preview_language_{hash(tuple(spoken))}") if len(spoken) > 1 else ""
            components.phone("form_preview", preview(made, part, code), title="Preview of the form")
    return survey


def _tell_missing(file: MechanismFile) -> None:
    """That a form offers what stands for an empty cell of a table."""
    if names := [each.name for each in file.schema.attributes if MISSING in each.categories]:
        widgets.caption(
            f"The form offers '{MISSING}' as an answer to {and_text(names)}, since the table has empty cells there. If nobody should choose "
            "it, leave out people without a value, on Data under “One column in detail”."
        )


def _ask_wordings(work: state.Work, names: Sequence[str], randomised: int) -> None:
    """One line for each question, with a button that asks it earlier; what is typed stays with the work."""
    asked = surveys.order(names)
    first, last = surveys.part_of(asked, "wording_part")
    for place, name in enumerate(asked[first:last], first):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            _ask_wording(work, name, as_is=name in names[randomised:])
            st.button(
                "Earlier",
                icon=":material/arrow_upward:",
                type="tertiary",
                key=f"earlier_{name}",
                help=f"Ask about {widgets.plain(name)} earlier",
                on_click=surveys.ask_earlier,
                args=(names, name),
                disabled=place == 0,
            )


def _ask_wording(work: state.Work, name: str, *, as_is: bool) -> None:
    key = f"wording_{name}"

    def keep() -> None:
        work.wish(wording={**work.wishes.wording, name: str(st.session_state[key])})

    if st.session_state.get(key) != work.wishes.wording.get(name, ""):
        st.session_state[key] = work.wishes.wording.get(name, "")
    label = widgets.plain(f"{name} (sent as it is)" if as_is else name)
    st.text_input(label, key=key, max_chars=MAX_TEXT, placeholder=name, on_change=keep, persist_state="session")


def _ask_around(work: state.Work, file: MechanismFile) -> None:
    """Title, language and introduction, the screens, and who is asked."""
    left, right = st.columns([3, 2])
    surveys.ask_title(left)
    widgets.select(
        "Language of the form",
        LANGUAGES,
        "form_language",
        help="Of everything but what you type: the title, the introduction, the questions and the answers stay as they are.",
        where=right,
    )
    if told := language(surveys.language()).status:
        right.caption(told)
    st.text_area("Introduction", max_chars=4 * MAX_TEXT, value="", key="form_introduction", persist_state="session", height=80)
    with st.expander("Screens: picture, practice", icon=":material/preview:"):
        screens.ask(file)
    with st.expander("Questions without chance, such as region or age", icon=":material/visibility:"):
        _ask_unrandomised(work.wishes.respondents)
    with st.expander("Invitations, a server of your own", icon=":material/tune:"):
        surveys.ask_invited()
        screens.ask_handing_on()
        widgets.text(
            "Address that answers are sent to (may stay empty)",
            "form_address",
            placeholder="https://example.org/answers",
            help="For a form that you hand out yourself. Empty: respondents download or copy their randomised answers, and the form can send "
            "nothing. With an address they may also send them there, by POST, as one line of JSON; your server has to allow that to pages of "
            "any origin (Access-Control-Allow-Origin). Without such a server: page Field starts one.",
        )


@widgets.complaining
def _ask_unrandomised(people: int) -> None:
    """Questions that are sent as they are, typed one a line, and how far they tell so many ``people`` apart."""
    st.text_area(
        "Questions and their possible answers, one question a line",
        key="form_unrandomised",
        max_chars=MAX_TYPED,
        height=100,
        placeholder="region: north, south\nage: under 30, 30 to 60, over 60",
        persist_state="session",
        help="The name of the question, a colon, its answers. Read has them as columns: for groups, and for known totals.",
    )
    found = surveys.unrandomised()
    if not found:
        st.caption("For what is known about people anyway. Respondents see a mark: this answer is sent as it is.")
        return
    names = [each.name for each in found]
    widgets.caption(f"{unreleased_columns_sentence(names)} {told_apart_sentence(found, people)}")


@widgets.complaining
def form(survey: SurveyFile | None) -> str | None:
    """The form to hand out as HTML; None where there is no survey, or the address cannot be used, which is then said."""
    return None if survey is None else survey.form(address=str(st.session_state.get("form_address", "")).strip())


def try_it(work: state.Work, file: MechanismFile) -> None:
    """A button that has invented people answer, and leads to what would be read from that."""
    people = min(work.wishes.respondents, MAX_ROWS)
    if st.button(
        "Try it on invented answers",
        type="tertiary",
        icon=":material/science:",
        help=f"{meaning('invented answers')} {counted(people, 'person answers', 'people answer')} by this mechanism; Read shows what would "
        "come out.",
    ):
        invented = invented_answers(file.schema, people, rng=work.rng("made-up answers"))
        state.of_page(HeldAnswers).start(file, Answers(randomise(file, invented), file))
        st.switch_page("pages/read/page.py")
