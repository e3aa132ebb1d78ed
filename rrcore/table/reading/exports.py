"""Files that survey tools export, which are recognized by their first rows.

Qualtrics writes three header rows (codes, question texts, import IDs), or two in older exports. KoboToolbox and ODK write
``group/question``, and one additional column per choice for questions with several choices. SurveyMonkey writes "Response" or a
choice into the second row, and leaves the first row blank above additional choices.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

_QUALTRICS = re.compile(
    r"startdate|enddate|status|ipaddress|progress|duration\(inseconds\)|finished|recordeddate|response(id|set)|distributionchannel|"
    "recipient(lastname|firstname|email)|external(data)?reference|location(latitude|longitude|accuracy)|userlanguage|"
    ".*(firstclick|lastclick|pagesubmit|clickcount)"
)
_KOBO = re.compile(
    "(?i)_.*|start|end|today|(device|subscriber|deprecated)id|simserial|phone_?number|username|audit|formhub/uuid|instance(id|name)|rootuuid|"
    "submissiondate|key|submitter(id|name)|attachments(present|expected)|reviewstate|edits|formversion|(?-i:Status)"
)
_RESPONSE = re.compile("(open-ended )?response", re.IGNORECASE)


@dataclass(frozen=True)
class Export:
    """Information about a file that was exported from a survey tool.

    It comes from the tool, or from a second row that continues the names.

    Parameters
    ----------
    tool : str
        The name of the tool. Empty if it is unknown.
    skip : int
        Number of rows below the names that are not people.
    interview : tuple of str
        Columns about the interview and copies of other columns, which are not separate answers.
    questions : dict
        The wording of the questions, if known.
    header : tuple of str
        The names of the columns if the first row alone does not contain them. Otherwise empty.
    """

    tool: str = ""
    skip: int = 0
    interview: tuple[str, ...] = ()
    questions: dict[str, str] = field(default_factory=dict)
    header: tuple[str, ...] = ()


def find_export(rows: Sequence[Sequence[str]]) -> Export | None:
    """Return information about a file that was exported from a survey tool.

    It is derived from the first rows, which start with the names. The result is None for other files.
    """
    return (_qualtrics(rows) or _kobo(rows[0]) or _monkey(rows)) if len(rows) > 1 else None


def _qualtrics(rows: Sequence[Sequence[str]]) -> Export | None:
    ids = [sum(cell.startswith('{"ImportId"') for cell in row) > len(row) / 2 for row in rows[1:3]]
    skip = ids.index(True) + 1 if any(ids) else int({"ResponseID", "ResponseSet"} <= set(rows[1]))
    asked = dict(zip(rows[0], rows[0] if ids[0] else rows[1], strict=False))
    interview = [name for name, text in asked.items() if _QUALTRICS.fullmatch(_word(name)) or _QUALTRICS.fullmatch(_word(text))]
    return Export("Qualtrics", skip, tuple(interview), {n: text for n, text in asked.items() if text != n}) if skip else None


def _word(name: str) -> str:
    return re.sub(r"[\s_.]", "", name.lower())


def _kobo(names: Sequence[str]) -> Export | None:
    central = "KEY" in names and "SubmissionDate" in names  # of ODK, which writes group-question
    last = {name: re.split("[/-]" if central else "/", name)[-1] for name in names}
    if not (central or {"_uuid", "_submission_time"} <= set(last.values()) or {"_id", "_index"} <= set(last.values())):
        return None
    several = {name[: cut.start()] for name in names for cut in re.finditer("/", name)}  # repeats its choices in one text
    interview = [name for name in names if name in several or _KOBO.fullmatch(name) or _KOBO.fullmatch(last[name])]
    return Export("KoboToolbox", 0, tuple(interview))


def _monkey(rows: Sequence[Sequence[str]]) -> Export | None:
    columns = list(zip_longest(*rows[:2], fillvalue=""))
    choices = [choice for name, choice in columns if not name]
    known = any(map(_RESPONSE.fullmatch, rows[1])) or (choices and _word(rows[0][0]) == "respondentid")
    if not known or not columns[0][0] or not all(choices) or any(_RESPONSE.fullmatch(cell) for row in rows[2:] for cell in row):
        return None
    header, question = [], ""
    for name, choice in columns:
        question = name or question
        header.append(question if not choice or _RESPONSE.fullmatch(choice) else f"{question}/{choice}")
    return Export("SurveyMonkey", 1, header=tuple(header))
