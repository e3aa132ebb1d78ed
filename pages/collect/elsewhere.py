"""Asking elsewhere than in the form: with ODK, KoboToolbox or Enketo, or on paper with a device that decides."""

import math
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import streamlit as st

from pages.shared import state, surveys, widgets
from rrcore.asking import LANGUAGES, SurveyFile
from rrcore.asking.exchange import RANDOMNESS, xlsform
from rrcore.asking.paper import DEVICES, PAPERS, PaperSurvey, exact_cards, nearest, read_device, sheets
from rrcore.errors import InputError
from rrcore.promise import MechanismFile
from rrcore.wording import and_text, counted, exact_odds_text

_SIZES = {key: name[0].upper() + name[1:] for key, (name, _) in PAPERS.items()}
_BESIDE = 3  # lists of devices in a row


def show(work: state.Work, survey: SurveyFile) -> None:
    """Both ways, closed at first."""
    widgets.details("Ask with ODK, KoboToolbox or Enketo", "collect_xlsform", lambda: _xlsform(survey), icon="smartphone")
    widgets.details(
        "Ask on paper, with dice, coins, cards or a spinner", "collect_paper", lambda: _paper(work, survey), icon="print"
    )


@widgets.complaining
def _xlsform(survey: SurveyFile) -> None:
    languages = widgets.several(
        "Languages of the XLSForm",
        LANGUAGES,
        "xlsform_languages",
        at=[survey.language, *survey.translations],
        help="What you typed in a language stands in its column; the rest is translated in the workbook. The first is the form's own.",
    )
    made = xlsform(
        survey.mechanism,
        title=survey.title,
        introduction=survey.introduction,
        questions=survey.questions,
        languages=languages,
        unrandomised=survey.unrandomised,
        translations=survey.translations,
    )
    widgets.download("XLSForm for ODK and Kobo", lambda: made, "survey.xlsx")
    st.caption(
        "Upload it to ODK Central, KoboToolbox or an Enketo server. The form randomises once, when the respondent confirms; the true "
        f"answers are then no longer part of it, and their export is read on the page Read. {RANDOMNESS}"
    )


@widgets.complaining
def _paper(work: state.Work, survey: SurveyFile) -> None:
    file = survey.mechanism
    devices = _devices(file)
    able: dict[str, PaperSurvey] = {}
    for key in devices:
        with suppress(InputError):
            able[key] = nearest(file, read_device(key))
    if not able:
        _none_able(work, file, next(iter(devices)))
        return
    left, right = st.columns(2)
    best = min(able, key=lambda key: (not able[key].exact, bool(able[key].beyond(file)), able[key].cost))
    key = widgets.select("What decides", devices, f"paper_device_{'_'.join(devices)}", at=best, where=left)
    paper = widgets.select("Paper", _SIZES, "paper_size", where=right)
    each = _each_device(file, devices, key)
    several = len(set(each.values())) > 1
    thrown = nearest(file, {name: read_device(own) for name, own in each.items()})
    questions = {name: text for name, text in survey.questions.items() if name in file.schema.names}
    made = sheets(thrown, title=survey.title, questions=questions, language=survey.language, paper=paper)
    st.markdown(_device_sentence(thrown, "These devices" if several else devices[key]))
    if more := thrown.beyond(file):
        widgets.warn(f"More than planned is given away about {_listed(more)}: lower that level, or choose another device.")
    with st.container(horizontal=True):
        widgets.download("Paper sheets", lambda: made, "sheets.html", icon=":material/print:")
        if not thrown.exact:
            widgets.download("Mechanism file of the sheets", thrown.mechanism.to_json, "paper.json")
    st.caption(
        "One page for the interviewer and a card to cut out for each question, in the language of the form: open the file and print it. "
        + ("" if thrown.exact else "Read the answers with the mechanism file of the sheets, not with that of the form.")
    )
    if survey.unrandomised:
        names = and_text([each.name for each in survey.unrandomised])
        widgets.caption(
            f"Not on the sheets: {names}. Nothing is left to chance there, so ask without a card and note what is said."
        )
    widgets.table(_compared(able, devices))


def _each_device(file: MechanismFile, devices: dict[str, str], key: str) -> dict[str, str]:
    """Question -> key of its device: that of all, unless people choose one for each."""
    names = file.schema.names
    wanted = len(names) > 1 and st.toggle(
        "Another device for some questions",
        key="paper_each",
        persist_state="session",
        help="For example a die for one question and a coin for the next, where a coin does exactly what is planned.",
    )
    if not wanted:
        return dict.fromkeys(names, key)
    asked = f"paper_device_{key}_{hash(names)}"
    columns = st.columns(min(len(names), _BESIDE))
    return {
        name: widgets.select(widgets.plain(name), devices, f"{asked}_{i}", at=key, where=columns[i % len(columns)])
        for i, name in enumerate(names)
    }


def _none_able(work: state.Work, file: MechanismFile, device: str) -> None:
    """Why no device can do it, and what can be done about that. Nothing was done wrong, so it is no complaint."""
    try:
        nearest(file, read_device(device))
    except InputError as error:
        st.info(widgets.plain(str(error)), icon=":material/info:")
    if surveys.of_plan() and any(len(places) > 1 for places, _ in file.groups):
        use = partial(work.wish, mechanism="kronecker")
        st.button("Use Kronecker for this plan", on_click=use, key="paper_kronecker")


def _devices(file: MechanismFile) -> dict[str, str]:
    """Key -> name of every device, and of as many numbered cards as do exactly what is planned."""
    cards = exact_cards(file)
    keys = dict.fromkeys([*DEVICES, *([f"cards-{cards}"] if cards else [])])
    titles = {key: read_device(key).title for key in keys}
    return {key: title[0].upper() + title[1:] for key, title in titles.items()}


def _device_sentence(survey: PaperSurvey, device: str) -> str:
    """What the device does, in a sentence."""
    if survey.exact:
        return f"{device} can do exactly what is planned: odds about an answer shift up to {_odds(survey)}."
    if not math.isfinite(survey.cost):
        return f"{device} can only come near to what is planned, and not every answer could be read: choose another device."
    return (
        f"{device} can come near to what is planned: odds about an answer shift up to {_odds(survey)}, and the same precision takes "
        f"up to {survey.cost:.2f} times as many people."
    )


def _listed(names: Sequence[str]) -> str:
    """A few names, and how many more there are."""
    shown = ", ".join(f"'{name}'" for name in names[:3])
    return f"{shown} and {counted(len(names) - 3, 'other', 'others')}" if len(names) > 3 else shown


def _odds(survey: PaperSurvey) -> str:
    return "without bound" if survey.level is None else f"{exact_odds_text(survey.level)} times"


def _compared(able: dict[str, PaperSurvey], devices: dict[str, str]) -> list[dict[str, str]]:
    """Every device in a row."""
    rows = []
    for key, title in devices.items():
        survey = able.get(key)
        odds, people = "cannot do it", ""
        if survey is not None:
            cost = f"× {survey.cost:.2f}" if math.isfinite(survey.cost) else "cannot be read"
            odds, people = _odds(survey), "as planned" if survey.exact else cost
        rows.append({"Device": title, "Odds shift up to": odds, "People needed": people})
    return rows
