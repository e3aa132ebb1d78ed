"""Collect: from a plan to a mechanism file and a form in which respondents randomise their own answers."""

from dataclasses import replace

import streamlit as st

from pages.collect import files, formstep, source
from pages.shared import certificates, documents, names, state, surveys, verdicts, widgets
from rrcore.asking import form_fingerprint
from rrcore.promise import truth_sentence

work = state.current()
answer = widgets.header("Collect", "How can people answer so that nobody but themselves ever holds their true answers?")
made = source.choose(work)
if made is None:
    st.caption("The form and the mechanism file appear once there is a mechanism.")
    st.stop()
left, right = st.columns([2, 3], gap="large")
with right:
    certificates.figure(made, "collect-promise")
st.subheader("What respondents read", anchor=False)
survey = formstep.ask(work, made)
with st.expander("Details", icon=":material/tune:"):
    made = source.signed(made)
    precision, people = files.accuracy(work, made)
    answer(f"{truth_sentence(made)} {precision}".strip())
    if leaves := not work.unsettled([made.schema]):
        files.certificate(made)
    files.answers(made)
work.made_file = made
if survey is not None and made != survey.mechanism:  # a survey writes its form out to be checked, which takes a while
    survey = replace(survey, mechanism=made)
with left:
    certificates.warn_unbounded(made)
    form = formstep.form(survey)
    verdicts.show(work, made, verdicts.known(work, made) or people)
    if names.settled(work, [made.schema], "the form or the file leaves") and (
        not surveys.of_plan() or verdicts.meant(work, made)
    ):
        files.downloads(made, form, survey)
    if work.dataset is not None:
        st.caption("You hold these people's true answers already?")
        st.page_link("pages/release/page.py", label="Release the table instead", icon=":material/shuffle:")
    formstep.try_it(work, made)
if leaves and survey is not None:
    documents.before(work, made, people, form=form_fingerprint(form) if form else "")
st.page_link("pages/field/page.py", label="Next: start the survey on Field", icon=":material/arrow_forward:")
st.page_link("pages/read/page.py", label="Read answers that came back", icon=":material/arrow_forward:")
