"""What a comparison of schemes has found, in one sentence, with the price of every winner."""

import math
from collections.abc import Sequence
from itertools import groupby

from rrcore.estimate.metrics import SHARES, metric_text
from rrcore.mechanisms import Price
from rrcore.schemes.registry import find_scheme
from rrcore.schemes.summary import Summary, Winner
from rrcore.wording import amount_text

ALIKE = "about the same"
"""What is said of an error that no number of digits worth printing tells from another."""

_MOST_WINNERS = 3  # most winners that the sentence names
_LUCK = ", though it may be luck"


def verdict_error_texts(metric: str, errors: Sequence[float]) -> list[str]:
    """Errors as ``metric_text`` tells them, with more digits, at most four, where the two smallest would otherwise read the same.

    Examples
    --------
    >>> verdict_error_texts("largest absolute cell error", [0.0123, 0.0118, 0.0847])
    ['1.23 points', '1.18 points', '8.47 points']
    >>> verdict_error_texts("largest absolute cell error", [0.0123, 0.0847])
    ['1.2 points', '8.5 points']
    """
    smallest = sorted(errors)[:2]
    for digits in (0, 3, 4):
        entry = {error: _exactly(metric, error, digits) if digits else metric_text(metric, error) for error in errors}
        if len({entry[error] for error in smallest}) == len(smallest):
            return [entry[error] for error in errors]
    return [metric_text(metric, error) for error in errors]


def _exactly(metric: str, error: float, digits: int) -> str:
    return f"{amount_text(100 * error, digits)} points" if metric in SHARES else amount_text(error, digits)


def verdict(found: Sequence[Winner], metric: str, *, varied: str = "", within: str = "") -> str:
    """Which scheme is closest where, how far off it is, and what it gives away.

    Parameters
    ----------
    found : as ``winners`` gives them, at least one
    metric : name of the error, a key of ``STUDY_METRICS``
    varied : what is varied, with its unit; empty where it is the number of attributes
    within : as Markdown, what people are grouped by, where ``metric`` is of shares within groups

    Returns
    -------
    Markdown; the names in it are those of schemes. "Off by" is the median over the releases of the error by that name.
    """
    runs = [list(run) for _, run in groupby(found, key=lambda one: (one.ways if varied else 0, one.best.scheme))]
    shares = f"shares within each {within} of " if within else ""
    texts = [_winners_text(run, metric, varied, shares) for run in runs[:_MOST_WINNERS]]
    if len(runs) > _MOST_WINNERS:
        texts.append(f"{len(runs) - _MOST_WINNERS} more below")
    return f"{'; '.join(texts)}."


def _winners_text(run: Sequence[Winner], metric: str, varied: str, shares: str) -> str:
    """One scheme, and the neighbouring places where it wins."""
    best = [one.best for one in run]
    medians = sorted(one.median for one in best)
    off = _range([metric_text(metric, median) for median in medians])
    doubt = (
        "" if all(one.clear for one in run) else ", though in places it may be luck" if any(one.clear for one in run) else _LUCK
    )
    second = {one.second.scheme: one.second.median for one in run if one.second is not None}
    if not second:
        beside = "no other has an estimate"
    elif len(second) == 1 and len(run) == 1:
        (name, error) = second.popitem()
        off, more = verdict_error_texts(metric, [medians[0], error])
        beside = f"{find_scheme(name).title}, the next, by {ALIKE if more == off else more}"
    else:
        leads = [f"{lead:.1f}" for lead in sorted(one.lead for one in run if math.isfinite(one.lead))]
        beside = f"the next by {_times(leads)}" if leads else "the next by more"
    where = f"for {shares}{_where(run, varied)}"
    return f"{where} **{find_scheme(best[0].scheme).title}** comes closest{doubt}: off by {off}, {beside} ({_price(best)})"


def _times(leads: Sequence[str]) -> str:
    """How many times as large another error is; ``leads`` are sorted."""
    if leads[-1] == "1.0":
        return ALIKE
    return f"up to {leads[-1]} times as much" if leads[0] == "1.0" else f"{_range(leads)} times as much"


def _where(run: Sequence[Winner], varied: str) -> str:
    ways = list(dict.fromkeys(one.ways for one in run))
    about = "pairs" if ways == [2] else f"joint distributions of {_range([str(w) for w in ways])} attributes"
    return f"{about}, {varied} {_range([f'{one.value:,g}' for one in run])}," if varied else about


def _price(best: Sequence[Summary]) -> str:
    prices = [one.price for one in best if one.price is not None]
    if not prices:
        return "price unknown"
    least, most = (
        Price(*map(end, *((one.alone, one.known, one.total) for one in (*prices, prices[0])))).columns for end in (min, max)
    )
    return ", ".join(f"{kind.lower()} {_range([least[kind], most[kind]])}" for kind in least)


def _range(texts: Sequence[str]) -> str:
    """The first and the last of texts in the order of their numbers, their unit once, or the only one."""
    if texts[0] == texts[-1]:
        return texts[0]
    return f"{texts[0].removesuffix(' points')} to {texts[-1]}"
