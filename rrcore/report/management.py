"""A section of a data management plan about answers that are randomised before anybody sees them."""

from collections.abc import Mapping

from rrcore.promise import MechanismFile
from rrcore.report.before import asked_table
from rrcore.report.front import BLANK, Front, check_wordings
from rrcore.report.protection import promises
from rrcore.report.written import Block, Bullets, Heading, Paragraph, Written, table_of, to_fill_in
from rrcore.wording import counted


def management_section(file: MechanismFile, front: Front = BLANK, *, people: int, wordings: Mapping[str, str] = {}) -> Written:
    """A section for a data management plan, under the headings that funders in Europe ask for (Science Europe, core requirements, 2021).

    What only its author can say begins with "To be filled in". Nothing in it depends on an answer.

    Parameters
    ----------
    file : MechanismFile, how answers are randomised
    front : title, author, organisation, date and reasons
    people : how many answers are planned
    wordings : attribute -> how it is asked; its name where that is left out or blank

    Raises
    ------
    InputError
        For a question that is too long.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> from rrcore.report import management_section
    >>> "## Storage during the project" in management_section(nigeria().mechanism, people=2457).markdown()
    True
    """
    heads, rows = asked_table(file, check_wordings(wordings, file.schema))
    reasons: list[Block] = [Paragraph(front.reasons.strip())] if front.reasons.strip() else []
    blocks: list[Block] = [
        Heading("What is collected"),
        *reasons,
        Paragraph(
            f"{counted(people, 'row', 'rows')}, one for each person, with {counted(len(file.reports.names), 'column', 'columns')}: a report "
            "for each question, after chance has replaced some of the answers. Files are tables of text (CSV or Parquet) of a few MB at most."
        ),
        table_of("Questions, their possible answers, and how often chance leaves an answer as it is", heads, rows),
        to_fill_in("what else is collected beside the randomised answers, since nothing below protects that."),
        Heading("Documentation"),
        Bullets(
            (
                "The mechanism file (JSON, in a documented format) says what was asked and by which probabilities answers were replaced. "
                f"Its SHA-256 is {file.sha256}. Without it the answers cannot be read: it is kept with them.",
                "A certificate states what it promises, in exact fractions; check.py, which needs Python alone, computes it anew.",
                "A script in R without further packages reads file and answers to the same shares and standard errors.",
            )
        ),
        *_storage(),
        *_legal(file),
        *_sharing(),
    ]
    return Written("Data management plan, section on randomised answers", front, tuple(blocks))


def _storage() -> list[Block]:
    return [
        Heading("Storage during the project"),
        Bullets(
            (
                "Where people answer on the respondents' form, the true answer is randomised on their own device and not sent: there is "
                "nothing to store, to leak or to hand over.",
                "A receiver of this program keeps each randomised answer with the day of its arrival, in an order that says nothing, and no "
                "address, no time of day and no name.",
            )
        ),
        to_fill_in(
            "where randomised answers are stored, who has access, and how often they are copied.",
            "where true answers were collected first and randomised afterwards: where that table is, who can open it, when it is deleted.",
        ),
    ]


def _legal(file: MechanismFile) -> list[Block]:
    return [
        Heading("Legal and ethical questions"),
        Bullets(
            (
                *promises(file),
                "Taking part is not hidden, nor what is true of a group, which is learnt and holds for everybody in it.",
                "Asking the same people again adds to what was given away; a ledger of releases keeps count.",
            )
        ),
        to_fill_in("the legal basis, what people were told and agreed to, and the decision of the ethics board."),
    ]


def _sharing() -> list[Block]:
    return [
        Heading("Sharing and keeping"),
        Bullets(
            (
                "Randomised answers and mechanism file can be shared together: the numbers above hold for whoever has both, whatever else "
                "they know, as long as the true answers are not shared.",
                "The answers are drawn once. A second draw from the same true answers is another release, and is counted as one.",
            )
        ),
        to_fill_in("repository, licence, and for how many years."),
        Heading("Who is responsible"),
        to_fill_in("names and functions, and what it costs."),
    ]
