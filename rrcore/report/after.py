"""The report after collection, for whoever asked: findings in words first, then every question, what cannot be said, and the method."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from xml.etree.ElementTree import Element

import numpy as np

from rrcore.answers import Answers, MarginalSummary, PairSummary, about_sample, summarise_marginal
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import cell_texts, widest_margin
from rrcore.estimate.sample import Sample
from rrcore.limits import USELESS_MARGIN
from rrcore.mark import check_unmarked, warning
from rrcore.plots.svg import MOST_DRAWN, bars, triangle
from rrcore.report.findings import about_pairs, in_words, significant, unsaid
from rrcore.report.front import BLANK, Front, check_wordings
from rrcore.report.page import INTERNAL, REHEARSAL, SIMULATION, Content, bullets, document, figure, html, section, table
from rrcore.report.protection import promises
from rrcore.table import INVENTED, Dataset
from rrcore.wording import cell_label, count_text, counted, meaning, p_text, percent, strength_range_text

_MOST_ROWS = 60  # longest table of one joint distribution; the download of the page has every row
_STRONG = 0.6  # Cramer's V from which the map of pairs gets no darker


def report_after(
    answers: Answers,
    marginals: Sequence[MarginalSummary],
    pairs: Sequence[PairSummary] = (),
    front: Front = BLANK,
    *,
    wordings: Mapping[str, str] = {},
    population: bool = True,
    internal: bool = False,
    truth: Dataset | None = None,
    also: Sequence[Element] = (),
    simultaneous: bool = False,
) -> str:
    """The report after collection as one HTML file that loads nothing and holds no single record.

    Parameters
    ----------
    answers : what was read
    marginals, pairs : what was found, by ``summarise_marginal`` and ``pair_summaries``
    front : title, author, organisation, date and reasons
    wordings : attribute -> how it was asked; its name where that is left out or blank
    population : what the errors are against, as in ``cell_variance``
    internal : whether names of files, and where rows were left out, are told too
    truth : the table that ``answers`` were simulated from: the report is then internal, and puts true shares beside the estimates
        Answers that ``invented_answers`` made up are a rehearsal, which the report says.
    also : further parts, after the questions, made by ``rrcore.report.page.section``
    simultaneous : whether the intervals of a question's shares hold for all of them at once, which the report then says

    Raises
    ------
    InputError
        For a question that is too long, a true table with other attributes, or answers that are marked as a simulation where the report is
        for handing out.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.answers import nigeria, summarise_marginal
    >>> answers = nigeria()
    >>> page = rr.report_after(answers, [summarise_marginal(answers, ["connected to an armed group"])])
    >>> page.startswith("<!doctype html>")
    True
    """
    schema = answers.mechanism.schema
    if truth is not None and truth.select(schema.names).schema.sizes != schema.sizes:
        raise InputError("The true table has other categories than the answers: give the table that they were simulated from.")
    mark, why = _mark(answers, internal, truth is not None)
    asked = dict(zip(schema.names, check_wordings(wordings, schema), strict=True))
    meant = {"population": population, "simultaneous": simultaneous}
    parts = [
        section("In words", bullets([*in_words(marginals, asked, meant), *about_pairs(pairs)])),
        section("Every question", *(_marginal(found, asked, meant, truth) for found in marginals), new_page=True),
        *also,
        *_pairs(schema.names, pairs),
        section("What cannot be said", bullets(unsaid(answers, marginals, pairs, meant))),
        _read(answers, marginals, internal),
        section("What was promised", html("ol", [html("li", sentence) for sentence in promises(answers.mechanism)])),
        _method(answers.sample, meant, bool(pairs)),
    ]
    name = "Simulated findings" if truth is not None or answers.mark else "Report of findings"
    said = f"{counted(answers.n, 'answer says', 'answers say')} that {'was' if answers.n == 1 else 'were'}"
    about = f"What {said} randomised before anyone read them."
    return document(front, name=name, about=about, mark=mark, why=why, parts=parts, sha256=answers.mechanism.sha256)


def questions_after(answers: Answers, also: MarginalSummary | None = None) -> list[MarginalSummary]:
    """Every attribute on its own, as far as it can be read, and the joint distribution ``also``."""
    found = []
    for name in answers.mechanism.schema.names:
        with suppress(NotIdentifiableError):  # the report says which ones are missing
            found.append(summarise_marginal(answers, [name]))
    return found + ([also] if also is not None and len(also.schema.names) > 1 else [])


def _mark(answers: Answers, internal: bool, simulated: bool) -> tuple[str, str]:
    """Whom the report is for where it is not for handing out, and why. Raises InputError for marked answers in one that is."""
    if not internal and not simulated:
        check_unmarked(answers.mark, "A report for handing out")
    if answers.title == INVENTED:
        return REHEARSAL, "nobody gave these answers. They were invented to try the plan."
    if answers.mark:
        return SIMULATION, f"{warning(answers.mark)} Do not hand it out."
    if simulated:
        return INTERNAL, "this simulation contains true shares beside the estimates. Do not hand it out."
    return (INTERNAL, "this document names files and places in them. Do not hand it out.") if internal else ("", "")


def _marginal(
    found: MarginalSummary, asked: Mapping[str, str], meant: Mapping[str, bool], truth: Dataset | None
) -> Iterator[Element]:
    """One question, or several together: a heading, a figure, every combination in numbers, with intervals as they are ``meant``."""
    estimate, names = found.estimate, found.schema.names
    true = None if truth is None else truth.shares(names)
    low, high = estimate.closest().interval(**meant)
    cells = estimate.cells(_MOST_ROWS)
    drawn = sorted(estimate.cells(MOST_DRAWN))
    places = tuple(np.array([index for index, _ in drawn]).T)
    heading = " with ".join(names)
    yield html("h3", " · ".join(asked[name] for name in names), dir="auto")
    if asked[names[0]] != names[0] or len(names) > 1:
        yield html("p", f"Attribute{'s' if len(names) > 1 else ''}: {heading}", kind="note", dir="auto")
    if found.note:
        yield html("p", html("strong", found.note))
    if widest_margin(estimate.interval(**meant)) <= USELESS_MARGIN:
        yield figure(
            bars(
                [cell_label(labels) for _, labels in drawn],
                None if estimate.beside is None else estimate.beside[places],
                estimate.closest().shares[places],
                (low[places], high[places]),
                title=f"{'Estimated' if estimate.beside is None else 'Released and estimated'} shares: {heading}",
                truth=None if true is None else true[places],
            ),
            f"Share of people, {'' if estimate.beside is None else 'released and '}estimated. {_left(estimate.shares.size)}".strip(),
        )
    texts = cell_texts(estimate, true, **meant)
    first = f"{estimate.closest().name} (95 %)"
    if texts[first] == texts["unbiased (95 %)"]:  # as for most single attributes
        del texts["unbiased (95 %)"]
        texts = {"estimate (95 %)" if head == first else head: column for head, column in texts.items()}
    if estimate.beside is not None:
        texts["released"] = [
            f"{count_text(n)} ({share})" for n, share in zip(found.counts.ravel().tolist(), texts["released"], strict=True)
        ]
    columns = list(texts.values())[len(names) :]
    flat = [int(np.ravel_multi_index(index, estimate.shares.shape)) for index, _ in cells]
    rows: list[list[Content]] = [
        [cell_label(labels), *(column[i] for column in columns)] for i, (_, labels) in zip(flat, cells, strict=True)
    ]
    heads = ["Answer", *(head.capitalize() for head in list(texts)[len(names) :])]
    if estimate.weighted:  # the counts are of people, their shares are not
        heads = ["Released (weighted)" if head == "Released" else head for head in heads]
    more = "" if len(cells) == estimate.shares.size else f", the {_MOST_ROWS} largest of {count_text(estimate.shares.size)}"
    at_once = " that hold for all at once" if meant["simultaneous"] else ""
    yield table(f"Shares of {heading}, with 95 % intervals{at_once}{more}", heads, rows, numbers=len(heads) - 1)
    if estimate.beside is None:
        yield _reports(found, heading)


def _reports(found: MarginalSummary, heading: str) -> Element:
    """What was reported, where that is not the answers themselves."""
    columns = found.reports()
    shares = columns["released"]
    commonest = sorted(range(len(shares)), key=lambda i: -shares[i])[:_MOST_ROWS]
    names = list(columns)[: len(found.schema.names)]
    rows: list[list[Content]] = [
        [cell_label([columns[name][i] for name in names]), count_text(columns["released people"][i]), percent(shares[i])]
        for i in sorted(commonest)
    ]
    more = "" if len(rows) == len(shares) else f", the {_MOST_ROWS} commonest of {count_text(len(shares))}"
    return table(f"What was reported about {heading}{more}", ["Report", "People", "Share"], rows, numbers=2)


def _left(cells: int) -> str:
    return "" if cells <= MOST_DRAWN else f"The {MOST_DRAWN} largest of {count_text(cells)} combinations."


def _pairs(names: Sequence[str], pairs: Sequence[PairSummary]) -> Iterator[Element]:
    """Dependence of every pair, where it was looked for."""
    if not pairs:
        return
    rows: list[list[Content]] = [
        [
            " with ".join(pair.names),
            "not identifiable" if math.isnan(pair.v) else f"{pair.v:.3f}",
            "" if math.isnan(pair.v) else strength_range_text(pair.low, pair.high),
            "" if math.isnan(pair.p_value) else p_text(pair.p_value),
            pair.note,
        ]
        for pair in pairs
    ]
    heads = ["Pair", "Cramér's V", "95 % interval", "p-value of independence", "Note"]
    if not any(row[-1] for row in rows):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    strongest = sorted(pairs, key=lambda pair: -(0.0 if math.isnan(pair.v) else pair.v))
    shown = set[str]()
    for pair in strongest:
        if len(shown | set(pair.names)) <= MOST_DRAWN:
            shown |= set(pair.names)
    drawn = [name for name in names if name in shown]
    yield section(
        "What goes together",
        figure(
            _map(drawn, pairs),
            "Cramér's V of every pair: 0 for attributes that have nothing to do with each other, 1 at most; darkest from "
            f"{_STRONG:g}. Hatched: could be chance, or cannot be told.",
        ),
        table("Dependence of every pair", heads, rows),
        new_page=True,
    )


def _map(names: Sequence[str], pairs: Sequence[PairSummary]) -> Element:
    k = len(names)
    v, hatched = np.zeros((k, k)), np.ones((k, k), dtype=np.bool_)
    texts = [[""] * k for _ in range(k)]
    for pair, clear in zip(pairs, significant(pairs), strict=True):
        if set(pair.names) <= set(names) and not math.isnan(pair.v):
            j, i = sorted(names.index(name) for name in pair.names)
            v[i, j], hatched[i, j], texts[i][j] = pair.v, not clear, f"{pair.v:.2f}"
    return triangle(names, v, texts, title="Dependence of every pair of attributes", top=_STRONG, hatched=hatched)


def _read(answers: Answers, marginals: Sequence[MarginalSummary], internal: bool) -> Element:
    """What was read, how people were drawn, and what was left out."""
    heads = ["Reason", "Rows", "First"]
    rows: list[list[Content]] = [[each.reason, count_text(each.rows), each.first] for each in answers.rejected]
    rows += [[f"{each.reason}, which counts as missing", count_text(each.rows), each.first] for each in answers.unmatched]
    if not internal:
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    used = f"{counted(answers.n, 'answer is', 'answers are')} used"
    left = f", {count_text(answers.left_out)} left out." if answers.left_out else "; none was left out."
    columns = list(answers.beside)
    return section(
        "What was read",
        html("p", used + left),
        *(html("p", sentence) for sentence in (about_sample(answers, marginals[0].estimate) if marginals else ())),
        table("What was left out", heads, rows) if rows else None,
        html("p", f"Read from: {answers.title}.") if internal and answers.title else None,
        html("p", f"Columns that were not randomised, and so hold true values: {', '.join(columns)}.")
        if internal and columns
        else None,
    )


def _method(sample: Sample | None, meant: Mapping[str, bool], pairs: bool) -> Element:
    against = (
        "the population the respondents come from"
        if meant["population"]
        else "the respondents themselves, so from the randomization only"
    )
    at_once = " In words and for every question they hold for all its shares at once." if meant["simultaneous"] else ""
    return section(
        "Method",
        bullets(
            [
                "Unbiased: the randomization of the mechanism file was undone. Such a share may lie outside 0 to 100 %, and is shown as it "
                "is.",
                f"Shrinkage: {meaning('shrinkage')} Figures and words use it.",
                f"A 95 % interval holds the shares that the released answers do not contradict.{at_once}",
                f"Errors are against {against}.",
                *([] if sample is None else [_by_design(sample)]),
                *(
                    [
                        "Cramér's V is without what the noise adds. The p-value says how often independent attributes would look at "
                        "least as dependent by chance, the noise included. A pair counts as dependent where chance alone would make any pair "
                        "look so in at most 5 of 100 surveys."
                    ]
                    if pairs
                    else []
                ),
            ]
        ),
    )


def _by_design(sample: Sample) -> str:
    """How errors take the sample into account."""
    finite = " Of a finite population only what was not drawn is uncertain; the randomization always is." * bool(
        sample.fractions.any()
    )
    return (
        f"Shares are weighted as the sample was drawn. Errors are by linearisation: totals of what every person adds, by cluster, "
        "around those of their stratum. Intervals use Student's t with "
        f"{counted(round(sample.freedom), 'degree', 'degrees')} of freedom.{finite}"
    )
