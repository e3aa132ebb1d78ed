"""A pre-registration: design, hypotheses, sample size and analysis, fixed before the first answer arrives."""

import math
from collections.abc import Mapping, Sequence

from rrcore.errors import InputError
from rrcore.estimate import margin, smallest_difference
from rrcore.limits import MAX_TEXT
from rrcore.promise import MechanismFile
from rrcore.report.before import asked_table, design_sentences, matrix_tables
from rrcore.report.front import BLANK, Front, check_wordings
from rrcore.report.page import versions
from rrcore.report.precision import cautious
from rrcore.report.protection import promises
from rrcore.report.written import Block, Bullets, Grid, Heading, Paragraph, Written, table_of, to_fill_in
from rrcore.wording import counted, points

_CANNOT = "cannot be read"


def registration(
    file: MechanismFile, front: Front = BLANK, *, people: int, wordings: Mapping[str, str] = {}, hypotheses: Sequence[str] = ()
) -> Written:
    """The pre-registration of a survey, to be gone on with: what only its author can say begins with "To be filled in".

    Parameters
    ----------
    file : MechanismFile, how answers will be randomised
    front : title, author, organisation, date and reasons
    people : how many answers are planned, at least 2
    wordings : attribute -> how it is asked; its name where that is left out or blank
    hypotheses : one sentence each, at most ``MAX_TEXT`` characters; blank ones are left out

    Raises
    ------
    InputError
        For fewer than two people, or a text that is too long.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> from rrcore.report import registration
    >>> made = registration(nigeria().mechanism, people=2500, hypotheses=["More than 10 % say yes."])
    >>> "1. More than 10 % say yes." in made.markdown().replace("\\\\", "")
    True
    """
    if people < 2:
        raise InputError(f"The number of people is {people}: give at least 2.")
    typed = [" ".join(text.split()) for text in hypotheses if text.strip()]
    if any(len(text) > MAX_TEXT for text in typed):
        raise InputError(f"A hypothesis has more than {MAX_TEXT} characters: shorten it, or make two of it.")
    asked = check_wordings(wordings, file.schema)
    reasons: list[Block] = [Heading("Why"), Paragraph(front.reasons.strip())] if front.reasons.strip() else []
    blocks: list[Block] = [
        *reasons,
        *_hypotheses(typed),
        *_design(file, asked),
        *_sample(file, people),
        *_analysis(file, len(typed)),
    ]
    return Written("Pre-registration", front, tuple(blocks))


def _hypotheses(typed: Sequence[str]) -> list[Block]:
    if not typed:
        said: Block = Paragraph("None: shares are estimated with their intervals, and no test decides anything.")
    else:
        said = Bullets(tuple(f"{number}. {text}" for number, text in enumerate(typed, 1)))
    return [Heading("Hypotheses"), said, to_fill_in("whether any answer had been seen when this was registered.")]


def _design(file: MechanismFile, asked: tuple[str, ...]) -> list[Block]:
    heads, rows = asked_table(file, asked)
    return [
        Heading("Design"),
        to_fill_in("who is asked, how these people are drawn, and by whom, where and when they are asked."),
        table_of("Questions, their possible answers, and how often chance leaves an answer as it is", heads, rows),
        Bullets(tuple(design_sentences(file))),
        *(table_of(*each) for each in matrix_tables(file)),
        Heading("What the design protects"),
        Bullets(tuple(promises(file))),
    ]


def _sample(file: MechanismFile, people: int) -> list[Block]:
    return [
        Heading("Sample size"),
        Paragraph(f"{counted(people, 'answer is', 'answers are')} planned."),
        _precision(file, people),
        Paragraph(
            "The largest errors that are possible, whatever the true answers are, for a simple random sample; the differences are those that "
            "a two-sided test at 5 % finds 80 times in 100. Randomisation is in all of them."
        ),
        Bullets(
            (
                "Results are looked at once collection has ended. If somebody looks earlier, then by intervals that hold at every look "
                "(confidence sequences), and that is reported.",
            )
        ),
        to_fill_in("when collection ends if fewer people answer, and how many are invited."),
    ]


def _precision(file: MechanismFile, people: int) -> Grid:
    rows = []
    for i, name in enumerate(file.schema.names):
        error = cautious(file, i, people)
        if math.isnan(error):
            rows.append([name, _CANNOT, _CANNOT, _CANNOT])
        else:
            halves = cautious(file, i, people // 2) * math.sqrt(2)
            found = (float(margin(error)), smallest_difference(error), smallest_difference(halves))
            rows.append([name, *(f"± {points(found[0])}", points(found[1]), points(found[2]))])
    heads = (
        "Attribute",
        "95 % within",
        "Difference found, from a number stated beforehand",
        "Difference found, between two halves",
    )
    return table_of("How precisely the share of any one answer is read", heads, rows)


def _analysis(file: MechanismFile, hypotheses: int) -> list[Block]:
    tests = {
        0: "No hypothesis is tested. Whatever test is made later is exploratory, and is called so.",
        1: "The hypothesis is tested two-sided at 5 %. Whatever else is tested is exploratory, and is called so.",
    }
    several = f"The {hypotheses} hypotheses are tested two-sided, together at 5 %, by Holm's procedure. All else is exploratory."
    command = "rrcore read --mechanism mechanism.json --in answers.csv --report findings.html"
    return [
        Heading("Analysis"),
        Bullets(
            (
                "Shares are computed back from the reports by the probabilities of the mechanism file. Unbiased estimates are reported, also "
                "where one lies below 0 or above 100 %, beside those that are closest on average.",
                "Intervals are score intervals of 95 %, with errors against the population: the chance of who is asked and that of the "
                "randomisation together.",
                "Released answers are never counted or modelled as if they were true.",
                "Left out are: something that is no report of its question, and a form that was handed in twice. Nobody is left out for "
                "what a report says, since chance may have said it.",
                "A missing answer leaves a person out of the shares that need it, and out of no other.",
                tests.get(hypotheses, several),
            )
        ),
        to_fill_in(
            "which share or regression answers each hypothesis, and by how much it would have to differ to matter.",
            "weights, strata and clusters, if people are not drawn with equal chances.",
            "what is reported if some people do not follow the randomisation.",
        ),
        Heading("How to check it"),
        Bullets(
            (
                f"The mechanism file has the SHA-256 {file.sha256}; it holds no answers and is registered with this document.",
                f"What it promises is printed by: rrcore certify --mechanism mechanism.json. Answers are read by: {command}",
                f"Made with {versions()}.",
            )
        ),
    ]
