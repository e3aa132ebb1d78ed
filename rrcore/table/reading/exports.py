"""Exports of survey tools: which columns are about the interview and not answers, which rows are not people, and plainer names.

Qualtrics writes three header rows (codes, question texts, import ids; older exports two), LimeSurvey codes, texts or both in one cell,
KoboToolbox and ODK ``group/question`` and, for questions with several choices, one more column for each choice. SurveyMonkey writes
"Response" or a choice into a second row, and leaves the first row blank above further choices.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

_QUALTRICS = re.compile(
    "startdate|enddate|status|ipaddress|progress|duration\\(inseconds\\)|finished|recordeddate|responseid|responseset|"
    "recipient(lastname|firstname|email)|external(data)?reference|location(latitude|longitude|accuracy)|distributionchannel|userlanguage"
)
_CLICKS = re.compile(r"_(First Click|Last Click|Page Submit|Click Count)$")
_LIME = re.compile(
    "id|submitdate|lastpage|startlanguage|seed|startdate|datestamp|ipaddr|refurl|token|interviewtime|responseid|datesubmitted|"
    "datestarted|datelastaction|ipaddress|referrerurl|accesscode|totaltime"
)
_LIME_SURE = frozenset({"submitdate", "lastpage", "startlanguage", "datesubmitted"})
_LIME_TIMES = re.compile(r"(group|question)time(\d|:| ?:)|\w+Time$|(group|question) time:", re.IGNORECASE)
_LIME_NAME = re.compile(r"([A-Za-z]\w*(?:\[[^\]]*\])*)\. ?(\S.*)", re.DOTALL)
_KOBO = re.compile(
    "start|end|today|deviceid|subscriberid|simserial|phonenumber|phone_number|username|audit|__version__|_version_|_id|_uuid|"
    "_submission_time|_validation_status|_notes|_status|_submitted_by|_tags|_index|_attachments|_geolocation|_xform_id_string|"
    "formhub/uuid|instanceid|instancename|rootuuid|deprecatedid|submissiondate|key|submitterid|submittername|attachmentspresent|"
    "attachmentsexpected|reviewstate|edits|formversion|_.+_(latitude|longitude|altitude|precision)"
)
_MONKEY = re.compile(
    "respondentid|collectorid|(start|end)date|date(created|modified)|ipaddress|emailaddress|(first|last)name|customdata\\d*"
)
_RESPONSE = re.compile("(open-ended |)response", re.IGNORECASE)
_KOBO_SURE = ({"_uuid", "_submission_time"}, {"_id", "_index"}, {"key", "submissiondate"})


@dataclass(frozen=True)
class Export:
    """What is known of a file because a survey tool wrote it.

    Parameters
    ----------
    tool : str, the name of the tool
    skip : int, rows below the names that are not people
    interview : tuple of str, columns about the interview or a copy of others, not answers of their own
    names : dict, the plainer name of a column, where it has one
    questions : dict, the question as it was asked, where it is known
    header : tuple of str, the names of the columns where the first row alone does not hold them; else empty
    """

    tool: str
    skip: int = 0
    interview: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    header: tuple[str, ...] = ()


def find_export(rows: Sequence[Sequence[str]]) -> Export | None:
    """The tool that wrote a file, from its first rows, the names first; None where none of those known did."""
    names = list(rows[0]) if rows else []
    return _qualtrics(names, rows[1:3]) or _kobo(names) or _limesurvey(names) or _monkey(names, rows[1:])


def _qualtrics(names: list[str], below: Sequence[Sequence[str]]) -> Export | None:
    def ids(row: Sequence[str]) -> bool:
        return sum(cell.startswith('{"ImportId"') for cell in row) > len(row) / 2

    skip = next((number for number, row in enumerate(below, 1) if ids(row)), 0)
    if not skip and below and {"ResponseID", "ResponseSet"} <= set(below[0]):
        skip = 1
    if not skip:
        return None
    texts = list(below[0]) if not ids(below[0]) else []
    asked = {name: text for name, text in zip(names, texts, strict=False) if text and text != name}
    interview = [name for name in names if _about_the_interview(name) or _about_the_interview(asked.get(name, ""))]
    return Export("Qualtrics", skip, tuple(interview), {}, {name: text for name, text in asked.items() if name not in interview})


def _about_the_interview(name: str) -> bool:
    return _QUALTRICS.fullmatch(_word(name)) is not None or _CLICKS.search(name) is not None


def _kobo(names: list[str]) -> Export | None:
    central = {"key", "submissiondate"} <= {name.lower() for name in names}  # ODK Central writes group-question
    last = {name: re.split("[/-]" if central else "/", name)[-1] for name in names}
    words = {word.lower() for word in last.values()}
    if not any(sure <= words for sure in _KOBO_SURE):
        return None
    whole = set(names)
    parent_of = {name: _parent(name, whole) for name in names}
    parents = set(parent_of.values()) - {""}
    interview = [n for n in names if _KOBO.fullmatch(n.lower()) or _KOBO.fullmatch(last[n].lower()) or n in parents]
    interview += ["Status"] if central and "Status" in names else []
    short = {name: f"{last[of]}/{name[len(of) + 1 :]}" if (of := parent_of[name]) else last[name] for name in names}
    return Export("KoboToolbox", 0, tuple(interview), _different(names, short))


def _parent(name: str, names: set[str]) -> str:
    """The question among ``names`` of which a column is one choice, which may itself hold slashes; "" if it is none."""
    cuts = (found.start() for found in re.finditer("/", name))
    return next((name[:cut] for cut in cuts if name[:cut] in names), "")


def _monkey(names: list[str], below: Sequence[Sequence[str]]) -> Export | None:
    """SurveyMonkey's layout: the row below the names holds "Response" or choices, and the first row is blank above further choices."""
    width = max(len(names), *map(len, below[:1]), 0)
    second = [*(below[0] if below else ()), *[""] * width][:width]
    first = [*names, *[""] * width][:width]
    known = sum(_MONKEY.fullmatch(_word(name)) is not None for name in first)
    answers = [cell for cell in second if _RESPONSE.fullmatch(cell)]
    blank = [choice for name, choice in zip(first, second, strict=True) if not name]
    if not first or not first[0] or not (answers or (known and blank)) or not all(blank):
        return None
    if any(
        cell and len(row) > i and second[i] == row[i] and _RESPONSE.fullmatch(cell)
        for row in below[1:]
        for i, cell in enumerate(second)
    ):
        return None  # people who answered "Response"
    header: list[str] = []
    question = ""
    for name, choice in zip(first, second, strict=True):
        question = name or question
        header.append(question if not choice or _RESPONSE.fullmatch(choice) else f"{question}/{choice}")
    interview = [name for name in header if _MONKEY.fullmatch(_word(name))]
    return Export("SurveyMonkey", 1, tuple(interview), header=tuple(header))


def _limesurvey(names: list[str]) -> Export | None:
    words = {name: _word(_lime_code(name)[0]) for name in names}
    if len(_LIME_SURE & set(words.values())) < 2:
        return None
    interview = [name for name in names if _LIME.fullmatch(words[name]) or _LIME_TIMES.match(name)]
    split = {name: _lime_code(name) for name in names if name not in interview}
    short = _different(names, {name: split.get(name, (name, ""))[0] for name in names})
    return Export("LimeSurvey", 0, tuple(interview), short, {name: text for name, (_, text) in split.items() if text})


def _lime_code(name: str) -> tuple[str, str]:
    """The code and the text of a heading that holds both, as in ``G01Q02. How old are you?``; else the heading and no text."""
    found = _LIME_NAME.fullmatch(name)
    return (found[1], found[2]) if found else (name, "")


def _different(names: list[str], short: dict[str, str]) -> dict[str, str]:
    """The shorter names that are new and of one column only."""
    often = Counter(short[name] for name in names)
    return {name: short[name] for name in names if short[name] not in ("", name) and often[short[name]] == 1}


def _word(name: str) -> str:
    return re.sub(r"[\s_.]", "", name.lower())
