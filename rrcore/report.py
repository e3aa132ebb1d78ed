"""A short report of collected answers as one HTML file: opens anywhere, loads nothing, holds no single record."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from rrcore.collect.answers import Answers
from rrcore.collect.certificate import nats
from rrcore.collect.summary import MarginalSummary, PairSummary, chance_matrix, dependence_matrix
from rrcore.plots import LIGHT, association_map, estimate_bars, shown_note
from rrcore.wording import cell_label, count_text, counted, html_table, interval_text, percent, points

if TYPE_CHECKING:
    import plotly.graph_objects as go

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #2B2F36; background: #fff; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; } table { border-collapse: collapse; margin: 1rem 0; } .wide { overflow-x: auto; }
th, td { text-align: left; padding: .25rem .75rem; border-bottom: 1px solid #E3E6EA; } td.n { text-align: right; white-space: nowrap; }
small, .note { color: #5A6470; } code { overflow-wrap: anywhere; }
"""

_MOST_ROWS = 200  # longest table of one joint distribution; the page's download has every row


def html_report(
    answers: Answers, marginals: Sequence[MarginalSummary], pairs: Sequence[PairSummary] = (), *, population: bool = True
) -> str:
    """The report.

    Parameters
    ----------
    answers : what was read
    marginals, pairs : what was found
    population : what the errors are against, as in ``cell_variance``

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.collect import nigeria, summarise_marginal
    >>> answers = nigeria()
    >>> page = rr.html_report(answers, [summarise_marginal(answers, ["connected to an armed group"])])
    >>> page.startswith("<!doctype html>")
    True
    """
    parts = [_head(answers), _promise(answers)]
    parts += [_marginal(marginal, population, first=number == 0) for number, marginal in enumerate(marginals)]
    if pairs:
        parts.append(_pairs(answers, pairs, first=not marginals))
    parts.append(_method(population))
    title = escape(answers.dataset.title or "Collected answers")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def _head(answers: Answers) -> str:
    used = f"<p>{counted(answers.n, 'answer is', 'answers are')} used. Every one was randomised before it was sent: none of them can be "
    lines = [
        f"<h1>{escape(answers.dataset.title or 'Collected answers')}</h1>",
        used + "taken at its word, and nobody's true answer is in here.</p>",
    ]
    if answers.rejected:
        rows = [[each.reason, count_text(each.rows), each.first] for each in answers.rejected]
        lines.append(
            f"<p>{counted(answers.left_out, 'row was', 'rows were')} left out:</p>"
            + html_table(("Reason", "Rows", "First"), rows)
        )
    return "".join(lines)


def _promise(answers: Answers) -> str:
    made = answers.mechanism
    rows = [
        [name, nats(level), nats(leakage)]
        for name, level, leakage in zip(made.schema.names, made.certificate.levels, made.certificate.leakage, strict=True)
    ]
    return (
        "<h2>What was promised</h2>"
        + html_table(("Attribute", "Level (nats)", "Leakage (nats)"), rows)
        + f"<p>Whole record: {nats(made.certificate.total)} nats. Exact, rounded up; mechanism file <code>{made.sha256}</code>.</p>"
    )


def _marginal(marginal: MarginalSummary, population: bool, *, first: bool) -> str:
    estimate, schema = marginal.estimate, marginal.schema
    low, high = estimate.interval(population=population)
    blend = estimate.blend()
    bottom, top = blend.interval(population=population)
    likeliest = None if marginal.likelihood is None else marginal.likelihood.shares
    beside = {} if likeliest is None else {"EM (likeliest shares)": likeliest}
    beside |= {"unbiased estimate": estimate.shares}
    figure = estimate_bars(schema, None, estimate.released, blend.shares, (bottom, top), LIGHT, name="blend", beside=beside)
    rows = []
    for index, names in estimate.cells(_MOST_ROWS):
        em = "" if likeliest is None else percent(float(likeliest[index]))
        told, unbiased = (interval_text(float(a[index]), float(b[index])) for a, b in ((bottom, top), (low, high)))
        error = points(float(estimate.standard_error(population=population)[index]))
        released = f"{count_text(int(marginal.counts[index]))} ({percent(float(estimate.released[index]))})"
        shares = (percent(float(table[index])) for table in (blend.shares, estimate.shares))
        rows.append([cell_label(names), released, next(shares), told, next(shares), unbiased, error, em])
    heads = (
        " · ".join(schema.names), "Released", "Blend", "95 % interval", "Unbiased", "95 % interval", "Standard error", "EM"
    )  # fmt: skip
    note = shown_note(estimate.shares.size, schema.names).replace("the download has them all", "the largest are listed below")
    warning = f"<p><strong>{escape(marginal.note)}</strong></p>" if marginal.note else ""
    return (
        f"<h2>{escape(' with '.join(schema.names))}</h2>{warning}{_figure(figure, first=first)}<p class=note>{escape(note)}</p>"
        f'<div class="wide">{html_table(heads, rows)}</div>'
    )


def _pairs(answers: Answers, pairs: Sequence[PairSummary], *, first: bool) -> str:
    names = answers.mechanism.schema.names
    rows = [
        [
            " with ".join(pair.names),
            "not identifiable" if math.isnan(pair.v) else f"{pair.v:.3f}",
            "" if math.isnan(pair.v) else f"{pair.low:.3f} to {pair.high:.3f}",
            "" if math.isnan(pair.p_value) else f"{pair.p_value:.3g}",
            pair.note,
        ]
        for pair in pairs
    ]
    heads = ("Pair", "Cramér's V", "95 % interval", "p-value of independence", "Note")
    figure = _figure(
        association_map(dependence_matrix(names, pairs), names, LIGHT, chance=chance_matrix(names, pairs)), first=first
    )
    return f"<h2>What goes together</h2>{figure}<div class=wide>{html_table(heads, rows)}</div>"


def _method(population: bool) -> str:
    against = (
        "the population the respondents come from" if population else "the respondents themselves, so from the randomization only"
    )
    return (
        "<h2>How this was read</h2><p>Unbiased: the channel of the mechanism was inverted; such a share may lie outside 0 to 100 %, "
        "and is shown as it is. The blend is the mean of it and of taking the attributes as independent, weighted by what each is expected "
        "to be off by and put back between 0 and 100 %: closest on average, not unbiased. An interval holds the shares that the released "
        "answers do not contradict. EM gives the shares that make the released answers likeliest; they are always between 0 and 100 %, "
        f"not unbiased. Errors are against {against}. Cramér's V is 0 for attributes that have nothing to do with each other and 1 at most; "
        "the p-value says how often independent attributes would look at least as dependent by chance, the noise included.</p>"
    )


def _figure(figure: go.Figure, *, first: bool) -> str:
    return str(figure.to_html(full_html=False, include_plotlyjs=first, config={"displaylogo": False, "displayModeBar": False}))
