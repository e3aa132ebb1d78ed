"""The two files that a survey needs, the certificate, what will come back, and how accurately it will be read."""

from functools import partial

import streamlit as st

from pages.shared import certificates, state, widgets
from rrcore.asking import SurveyFile, form_fingerprint
from rrcore.budget import Assumption
from rrcore.estimate import ExpectedErrors, weakest_interaction, weakest_interactions
from rrcore.limits import MAX_PAGE_MARGINAL, MAX_PEOPLE
from rrcore.promise import MechanismFile
from rrcore.promise.statement import certificate_files
from rrcore.wording import counted, meaning, unbroken

_CERTIFICATE = (
    ("Certificate (text)", "certificate.txt", ":material/verified:"),
    ("Certificate (JSON)", "certificate.json", ":material/data_object:"),
    ("Script that checks it", "check.py", ":material/rule:"),
)
"""Label, name and icon of what is downloaded beside the mechanism file."""


def downloads(file: MechanismFile, form: str | None, survey: SurveyFile | None) -> None:
    """The form, the mechanism file and the survey file, side by side; the first and last not where something is wrong with their texts."""
    with st.container(horizontal=True):
        if form is not None:
            widgets.download("Download form", lambda: form, "form.html", type="primary", icon=":material/edit_document:")
        widgets.download("Download mechanism file", file.to_json, "mechanism.json")
        if survey is not None:
            widgets.download("Download survey file", survey.to_json, "survey.json", type="tertiary")
    kept = "Keep the mechanism file: without it the answers cannot be read."
    if form is None:
        st.caption(f"The form can be downloaded once what is wrong with it is mended. {kept}")
    else:
        st.caption(
            "The form is one HTML file: it asks the questions, randomises the answers in the respondent's own browser and works without a "
            f"network. Answer it once yourself before you hand it out. {kept}"
        )
        st.caption(
            "Publish the fingerprint of this form (SHA-256), so that people can check the form they were given. It changes with every word "
            "of the form."
        )
        st.code(form_fingerprint(form), language=None, wrap_lines=True)


def certificate(file: MechanismFile) -> None:
    """Every number of the certificate, and downloads."""
    certificates.numbers(file)
    with st.container(horizontal=True):
        for label, name, icon in _CERTIFICATE:
            widgets.download(label, partial(_one_of, file, name), name, type="tertiary", icon=icon)
    st.caption(
        "With the script, whoever has the mechanism file can compute its certificate anew, in exact fractions: it needs only Python and "
        "shares nothing with this program."
    )


def _one_of(file: MechanismFile, name: str) -> str:
    return certificate_files(file)[name]


def answers(file: MechanismFile) -> None:
    """What comes back, and how to put it together."""
    st.markdown("**What the answers will look like**")
    widgets.caption(
        "One column per attribute, named "
        + ", ".join(f"'{name}'" for name in file.schema.names)
        + ", and one row per person; or one line of JSON per person, as the form writes it. Answers come back as small files, as lines of "
        "text or, where you typed an address, at your server. Put them together as they are: many files, or all lines in one file."
    )


def accuracy(work: state.Work, file: MechanismFile) -> tuple[str, int]:
    """Expected error of a joint distribution of one's choice, and what is read less accurately than from independent answers.

    Returns what is expected of the chosen one in a sentence, empty while none is chosen, and for how many people.
    """
    st.markdown("**What the answers will tell**")
    left, right = st.columns(2)
    with left:
        names = widgets.marginal(file.schema.names, _at_first(work, file), f"collect_marginal_{hash(file.schema.names)}")
    with right:
        people = widgets.number(
            "People who answer",
            f"collect_people_{work.version}",
            work.wishes.respondents,
            (1, MAX_PEOPLE),
            step=100,
            help=meaning("people"),
        )
    text = _joint(file, names, people, Assumption(population=widgets.against_population(work.dataset is None))) if names else ""
    for axes, found in weakest_interactions(file, MAX_PAGE_MARGINAL):
        if found.worse and set(axes) != set(file.schema.axes(names)):
            widgets.caption(
                f"Of joint distributions of {counted(len(axes), 'attribute', 'attributes')} the weakest: "
                + found.sentence([file.schema.names[i] for i in axes])
            )
    return text, people


def _at_first(work: state.Work, file: MechanismFile) -> tuple[str, ...]:
    """The joint distribution that is asked about until another is chosen: that of the plan, where the file asks about any of it, else its
    first two."""
    wanted, names = work.wishes.marginal, file.schema.names
    return wanted if set(wanted) & set(names) else names[:2]


def _joint(file: MechanismFile, names: list[str], people: int, assumption: Assumption) -> str:
    """The sentence for the joint distribution of ``names``, and a warning where it is read less accurately than it might be."""
    channel = file.marginal_channel(file.schema.axes(names))
    found = weakest_interaction(channel)
    what = widgets.plain(" × ".join(names))
    sentence = f"{what} cannot be read: its answers are as good as pure noise."
    if not channel.lost():
        sentence = widgets.plain(assumption.sentence(channel, " × ".join(names), people))
        st.markdown(unbroken(sentence), help=f"{meaning('interval')} {assumption.text}")
        if len(names) > 1:
            expected = ExpectedErrors.of(channel, people, population=assumption.population)
            st.caption(f"Typically off by {expected.text}.", help=meaning("typically off by"))
    if found is not None and found.worse:
        widgets.warn(found.sentence(names))
    elif channel.lost():
        st.warning(sentence, icon=":material/warning:")
    return sentence
