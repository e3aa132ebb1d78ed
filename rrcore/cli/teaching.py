"""The command ``learn``: ten chapters as one HTML file, and a poll for a class."""

from typing import Annotated

from cyclopts import App, Parameter

from rrcore.cli import options
from rrcore.cli.output import USUAL, Result, Row, note, save
from rrcore.designs.classroom import poll_design
from rrcore.errors import need
from rrcore.wording import counted, eps_text

learn = App(name="learn", help="Write ten playable chapters, or poll a class.", default_parameter=USUAL)


class LearnResult(Result, tag="learn"):
    """Ten chapters about randomized response."""

    chapters: int


@learn.default
def chapters(*, out: options.Out, question: str = "", dashboard: Annotated[str, Parameter(metavar="URL")] = "") -> LearnResult:
    """Write ten chapters about randomized response as one HTML file.

    Parameters
    ----------
    out
        HTML file to write
    question
        Yes/no question in the chapters [a question about a shop]
    dashboard
        Address of a dashboard that the chapters link to
    """
    from rrcore.learn import CHAPTERS, lesson

    save(out, lesson(question, dashboard=dashboard))
    sentence = f"{len(CHAPTERS)} chapters written to {out}, one HTML file that needs no network."
    return LearnResult(chapters=len(CHAPTERS), sentences=[sentence], out=out)


class PollResult(Result, tag="learn poll"):
    """A poll, with estimates if there are answers."""

    n: int
    unchanged: float
    epsilon: float
    margin_of_error: float
    answers: int
    shares: list[Row]


@learn.command
def poll(
    *,
    question: str,
    n: int,
    choices: options.Names = ("no", "yes"),
    margin_of_error: float = 0.2,
    language: str = "en",
    host: str = "",
    dry_run: bool = False,
) -> PollResult:
    """Poll a class with one question, randomized on phones, and show estimates.

    Parameters
    ----------
    question
        Question for the class
    n
        Number of people in the class
    choices
        Possible answers
    margin_of_error
        95% margin of error of the largest share
    language
        Language of the form
    host
        Address of this computer in the local network, or auto [only this computer]
    dry_run
        Calculation of the precision, without a poll
    """
    design = poll_design(n, margin_of_error, choices)
    for sentence in filter(None, (design.shortfall(margin_of_error), *design.sentences())):
        note(sentence)
    found = PollResult(
        n=n,
        unchanged=design.truth / 100,
        epsilon=design.epsilon,
        margin_of_error=design.error,
        answers=0,
        shares=[],
        sentences=[
            f"{design.truth}% of answers unchanged, ε = {eps_text(design.epsilon)}, 95% margin of error ±"
            f"{100 * design.error:.2g} percentage points, as accurate as asking {counted(design.direct, 'person', 'people')} directly."
        ],
    )
    if dry_run:
        return found
    for library in ("starlette", "uvicorn", "cryptography", "segno"):
        need(library, "A class poll")
    from rrcore.receiver.poll import ask_class

    seen = ask_class(question, design, host=host, language=language, say=note)
    found.sentences = [seen.sentence()]
    if seen.answers is not None:
        columns = (design.answers, seen.released.tolist(), *(each.tolist() for each in seen.interval))
        heads = ("answer", "randomized", "estimate", "conf_low", "conf_high")
        found.shares = [dict(zip(heads, row, strict=True)) for row in zip(*columns, strict=True)]
        found.answers = seen.n
    return found
