"""Ask people: from the plan to a form in which respondents randomize their own answers, to download or to serve."""

from typing import cast

import streamlit as st

from pages.shared import category_names, components, mechanisms, publishing, save_menu, state, table_choice, verdict, widgets
from pages.shared.answers import HeldAnswers
from pages.survey import starting, wording
from rrcore.answers import Answers
from rrcore.asking import LANGUAGES, SurveyFile, form_fingerprint
from rrcore.asking.preview import Part, has_screen, preview
from rrcore.promise import MechanismFile, randomize
from rrcore.simulation import invented_answers
from rrcore.wording import counted

_PARTS = {"questions": "Questions", "before": "Start", "practice": "Practice"}


def show() -> None:
    work = state.current()
    answer = widgets.headline()
    body = st.container()
    with st.expander(
        "Use a mechanism file instead of the plan", key="survey_other" if work.schema else None, icon=":material/upload_file:"
    ):
        file = mechanisms.uploaded(work, "survey_mechanism")
    plan = mechanism = None
    with body:
        if file is None:
            if work.schema is None:
                table_choice.choose_first(work, "Survey")
                return
            found = publishing.planned_with_file(work)
            if found is None:
                return
            plan, mechanism, file = found
        count = counted(len(file.schema.names), "question", "questions")
        answer(f"The survey asks {count}. One response spends {publishing.epsilon_text(file)} of a person's privacy budget.")
        if plan is None or mechanism is None:
            verdict.show_file(file)
        else:
            verdict.show(plan, mechanism)
        _ask(work, file)


def _ask(work: state.Work, file: MechanismFile) -> None:
    """Show questions and preview, what is published, and the ways to collect answers."""
    left, right = st.columns([3, 2])
    with left:
        hint = "Respondents read these words. An empty question shows the attribute's name."
        with widgets.card("Questions", hint=hint, key="survey_questions"):
            wording.ask(work, file)
            with st.expander("Screens, invitations and questions without randomization", icon=":material/tune:"):
                wording.ask_further(work.draft.n)
        survey = widgets.complaining(wording.survey_file)(work, file)
        rows = {"Form": "an HTML page that randomizes answers in the respondent's browser"}
        if survey is not None and survey.unrandomized:
            rows["Not randomized"] = f"{', '.join(each.name for each in survey.unrandomized)}: everybody's true answer is sent"
        publishing.checklist(work, file, rows)
    with right:
        with widgets.card("Preview", key="survey_preview"):
            if survey is not None:
                _preview(survey)
            _try(work, file)
        publishing.changes(work)
    hint = "Serve the form from this computer, or hand out the downloaded form. Keep the mechanism file, which Analyze needs."
    with widgets.card("Collect answers", hint=hint, key="survey_collect"):
        form = _form(survey)
        if survey is None or form is None:
            st.caption("Correct the questions first.")
        elif category_names.settled(work, [file.schema], "the form is published"):
            work.made_file = file
            save_menu.offer_survey(file, work.draft.n, form_fingerprint(form))
            starting.offer(survey)
            _download(file, form, survey)
    with st.expander("Certificate and fingerprint of the form", icon=":material/verified:"):
        publishing.certificate(file)
        if form is not None:
            widgets.caption(
                f"Form (SHA-256): {form_fingerprint(form)}",
                help="Publish this fingerprint so that respondents can check their form.",
            )


def _preview(survey: SurveyFile) -> None:
    """Show one screen of the form, as a phone shows it."""
    part = cast(Part, widgets.section("Screen", _PARTS, "preview"))
    spoken = {"": LANGUAGES[survey.language], **{code: LANGUAGES[code] for code in survey.translations}}
    code = widgets.select("Language of the preview", spoken, f"preview_language_{hash(tuple(spoken))}") if len(spoken) > 1 else ""
    made = survey.form(first=code)
    if not has_screen(made, part):
        st.caption("The form has no such screen.")
    components.phone("form_preview", preview(made, part), title="Preview of the form")


@widgets.complaining
def _form(survey: SurveyFile | None) -> str | None:
    """Return the form to download, None if there is none, or if its address cannot be used, which is then shown."""
    return None if survey is None else survey.form(address=str(st.session_state.get("form_address", "")).strip())


def _download(file: MechanismFile, form: str, survey: SurveyFile) -> None:
    with st.container(horizontal=True):
        widgets.download("Download form", lambda: form, "form.html", icon=":material/edit_document:")
        widgets.download("Download mechanism file", file.to_json, "mechanism.json")
        widgets.download(
            "Download survey file",
            survey.to_json,
            "survey.json",
            type="tertiary",
            help="For the command 'rrcore survey serve --survey'.",
        )


def _try(work: state.Work, file: MechanismFile) -> None:
    """Offer a button that invents answers, randomizes them and leads to their analysis."""
    if st.button("Try it on invented answers", type="tertiary", icon=":material/science:"):
        invented = invented_answers(file.schema, work.simulated, rng=work.rng("made-up answers"))
        state.of_page(HeldAnswers).start(file, Answers.of(randomize(invented, file), file))
        st.switch_page("pages/analyze/page.py", query_params={})
