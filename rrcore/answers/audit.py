"""Collected answers against their mechanism file, with nobody's truth: what can no true answers explain? (theory.md section 16)

Whatever is true, an event E about one released record happens with probability at most max over true records x of P(E | x), and records
are randomised independently: how often it is seen is no more than binomial with that chance. Events are sought on a random half of the
records, where the shares stick out of everything that the mechanism can give, and counted on the other half; so every p-value holds for
all true answers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from rrcore.answers.answers import Answers
from rrcore.arrays import Codes, Floats, Integers
from rrcore.audit.check import COLLECTED, Check, Comparisons
from rrcore.audit.expected import Expected
from rrcore.audit.sequence import meetings, standing_out
from rrcore.channel import Channel
from rrcore.errors import InputError
from rrcore.limits import AUDIT_CONFIDENCE
from rrcore.table.mark import check_unmarked
from rrcore.wording import count_text, counted, percent
from rrcore.wording.short import Short
from rrcore.work import Report, quiet

MARGINALS = 60
"""Most sets of one, of two and of three attributes of which the shares are looked at."""

_CELLS = 4_096  # most cells of a marginal that is looked at
_STEPS = 150  # of the search for the nearest shares that are possible
_EVENTS = 32
_NEAR = 8  # distances at which every pair of records is compared
_FEWEST = 20  # records that a half needs
_SORTED = "The records are sorted or grouped by what was released, so their order says nothing: give them as they were collected."
_WRONG_VALUE = re.compile("not one of its (categories|reports)")


@dataclass(frozen=True)
class AnswersAudit(Short):
    """What was found about collected answers.

    Parameters
    ----------
    n : records that were looked at
    marginals : of how many sets of attributes the shares were
    checks : tuple of Check, of ``COLLECTED``
    confidence : answers that were randomised as the file says pass with this probability at least
    """

    n: int
    marginals: int
    checks: tuple[Check, ...]
    confidence: float

    def _summary(self) -> str:
        return self.headline()

    @property
    def sound(self) -> bool:
        """Whether every check was passed."""
        return not any(check.caught for check in self.checks)

    def headline(self) -> str:
        """The outcome in one sentence."""
        caught = [check for check in self.checks if check.caught]
        if caught:
            return f"These answers were not randomised as the file says: {caught[0].sentence}"
        records = counted(self.n, "released record", "released records")
        return f"Nothing found: {records} can come from the mechanism file and some true answers."

    def unseen(self) -> str:
        """What such an audit cannot see."""
        return (
            "Without the true answers only what no true answers could explain is found: lies at the right rates that go to the wrong "
            "people, or fewer lies than promised where the shares stay possible, are not. Audit the program itself for that."
        )


def check_answers(
    answers: Answers,
    *,
    marginals: int = MARGINALS,
    confidence: float = AUDIT_CONFIDENCE,
    rng: np.random.Generator,
    report: Report = quiet,
) -> AnswersAudit:
    """Look for what answers that were randomised by the mechanism file cannot show.

    Parameters
    ----------
    answers : Answers, in the order in which they were collected
    marginals : most sets of attributes of each width of which the shares are looked at
    confidence : answers that were randomised as the file says pass all checks with this probability at least, whatever is true
    rng : chooses the half of the records on which suspicions are formed

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.answers.audit import check_answers
    >>> from rrcore.answers.nigeria_survey import nigeria
    >>> check_answers(nigeria(), rng=np.random.default_rng(0)).headline()
    'Nothing found: 2,435 released records can come from the mechanism file and some true answers.'
    """
    check_unmarked(answers.mark, "An audit")
    if answers.held is None:
        raise InputError(
            "An audit goes through single records, and these answers are only counted: read them with their records."
        )
    alpha = (1 - confidence) / len(COLLECTED)
    expected = Expected(answers.mechanism)
    codes = answers.dataset.codes
    values = _values(answers, expected, alpha)
    shares, looked = _shares(answers, alpha, marginals, rng, report)
    order = _order(codes, expected, alpha)
    return AnswersAudit(len(codes), looked, (values, shares, order), confidence)


def _values(answers: Answers, expected: Expected, alpha: float) -> Check:
    """Values that the file does not have, and answers that it never gives."""
    found, schema = Comparisons("values", alpha), answers.mechanism.reports
    wrong = [rejected for rejected in answers.rejected if _WRONG_VALUE.search(rejected.reason)]
    rows = sum(rejected.rows for rejected in wrong)
    found.add(
        0.0 if rows else 1.0,
        lambda _: f"{counted(rows, 'row has', 'rows have')} {wrong[0].reason} ({wrong[0].first}), which the file never releases.",
    )
    for i, attribute in enumerate(schema.attributes):
        matrix = expected.matrix(i)
        for code in () if matrix is None else np.flatnonzero(matrix.max(axis=0) <= 0):
            hits = int((answers.dataset.codes[:, i] == code).sum())
            found.add(0.0 if hits else 1.0, partial(_never, attribute.name, attribute.categories[code], hits))
    return found.done("Every answer is one that the file releases.")


def _shares(answers: Answers, alpha: float, most_sets: int, rng: np.random.Generator, report: Report) -> tuple[Check, int]:
    """Shares over one, two and three attributes, and whole records, against all that the mechanism can give."""
    from scipy.stats import binom  # heavy

    codes, schema = answers.dataset.codes, answers.mechanism.reports
    n, found = len(codes), Comparisons("shares", alpha)
    sets = _marginals(schema.sizes, most_sets, rng)
    half = rng.permutation(n) < n // 2
    for done, axes in enumerate(sets if n >= 2 * _FEWEST else ()):
        report(done / len(sets), f"Shares {done + 1} of {len(sets)}")
        sizes = [schema.sizes[i] for i in axes]
        cell = np.ravel_multi_index(tuple(codes[:, i] for i in axes), sizes)
        first, second = (np.bincount(cell[rows], minlength=math.prod(sizes)) for rows in (half, ~half))
        channel = answers.mechanism.marginal_channel(axes)
        event, most = _event(first, channel)
        hits, people = int(second[event].sum()), int(second.sum())
        names = [schema.names[i] for i in axes]
        cells = [
            ", ".join(schema.attributes[i].categories[x] for i, x in zip(axes, at, strict=True)) for at in _cells(event, sizes)
        ]
        found.add(float(binom.sf(hits - 1, people, min(1.0, most))), partial(_cells_sentence, names, cells, hits / people, most))
    return found.done(f"The shares of {counted(len(sets), 'set', 'sets')} of attributes are those of some true answers."), len(
        sets
    )


def _marginals(sizes: Sequence[int], most: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Sets of attributes of which shares are looked at: singles, pairs and triples, and all where their cells are few."""
    k, found = len(sizes), list[tuple[int, ...]]()
    for w in (1, 2, 3):
        sets = [axes for axes in combinations(range(k), w) if math.prod(sizes[i] for i in axes) <= _CELLS]
        if len(sets) > most:
            sets = [sets[s] for s in sorted(rng.choice(len(sets), most, replace=False))]
        found += sets
    if k > 3 and math.prod(sizes) <= _CELLS:
        found.append(tuple(range(k)))
    return found


def _event(counts: Integers, channel: Channel) -> tuple[Integers, float]:
    """Cells whose joint share is further above what is possible than any other's, and the most that it can be."""
    n = max(1, int(counts.sum()))
    seen = (counts / n).reshape(channel.report_sizes)
    excess = (seen - channel.push(_nearest(seen, channel))).ravel()
    spread = excess / np.sqrt(np.maximum(seen.ravel(), 1 / n))
    best, chosen, most = -math.inf, np.zeros(1, dtype=np.int64), 1.0
    for score in (excess, spread):
        order = np.argsort(-score, kind="stable")
        for size in np.unique(np.geomspace(1, max(1, counts.size - 1), _EVENTS).astype(np.intp)):
            event = order[:size]
            bound = _most(event, channel)
            share = float(seen.ravel()[event].sum())
            worth = (share - bound) / math.sqrt(max(bound * (1 - bound), 1 / n) / n)
            if worth > best:
                best, chosen, most = worth, event, bound
    return chosen, most


def _most(event: Integers, channel: Channel) -> float:
    """The largest probability that any true record gives to the cells of ``event``."""
    wanted = np.zeros(math.prod(channel.report_sizes))
    wanted[event] = 1.0
    return float(channel.pull(wanted.reshape(channel.report_sizes)).max()) + 1e-12


def _nearest(seen: Floats, channel: Channel) -> Floats:
    """True shares whose release is most like ``seen``: the fixed point of EM, as far as some hundred steps go."""
    true = np.full(channel.sizes, 1 / math.prod(channel.sizes))
    for _ in range(_STEPS):
        released = np.maximum(channel.push(true), 1e-300)
        weight = channel.pull(seen / released)
        true = np.maximum(true * weight, 0.0)
        true /= true.sum()
        if float(np.abs(weight[true > 1e-9] - 1).max(initial=0.0)) < 1e-6:
            break
    return np.asarray(true)


def _cells(event: Integers, sizes: Sequence[int]) -> list[tuple[int, ...]]:
    return [tuple(int(x) for x in np.unravel_index(cell, sizes)) for cell in event[:3]]


def _cells_sentence(names: Sequence[str], cells: Sequence[str], share: float, most: float, _: int) -> str:
    more = " and the like" if len(cells) > 2 else ""
    return (
        f"{', '.join(names)}: {percent(share)} of the records say {'; '.join(cells)}{more}; whatever is true, the file gives at most "
        f"{percent(most)}."
    )


def _order(codes: Codes, expected: Expected, alpha: float) -> Check:
    """Equal records at any distance, and the longest run of equal ones."""
    from scipy.stats import binom  # heavy

    found, n = Comparisons("order", alpha), len(codes)
    whole = np.zeros(n, dtype=np.uint64)
    factors = np.random.default_rng(0).integers(1 << 20, 1 << 63, size=expected.k, dtype=np.uint64) | np.uint64(1)
    with np.errstate(over="ignore"):
        for i, factor in enumerate(factors):
            whole += codes[:, i].astype(np.uint64) * factor
    same, likeliest = _same_at_most(expected)
    near = range(1, min(_NEAR, n - 1) + 1)
    likely = []
    for lag, times in [*((lag, 1) for lag in near), *((lag, n) for lag in standing_out(whole, 3))]:
        hits, pairs = meetings(whole, lag)
        likely.append(float(binom.sf(hits - 1, pairs, same)) if pairs else 1.0)
        found.add(likely[-1], partial(_met, lag, hits / max(1, pairs), same), times=times)
    if len(near) == _NEAR and max(likely[:_NEAR]) < alpha / _NEAR:
        return Check("order", found.number, 1.0, alpha, _SORTED)
    changes = np.flatnonzero(np.concatenate([[True], whole[1:] != whole[:-1], [True]]))
    longest = int(np.diff(changes).max())
    found.add(
        min(1.0, n * likeliest ** (longest - 1)),
        lambda _: f"{count_text(longest)} records in a row are equal: the file hardly ever gives that, whatever is true.",
    )
    return found.done(
        f"Records that follow each other are equal no more often than by chance; the longest run is of {count_text(longest)}."
    )


def _same_at_most(expected: Expected) -> tuple[float, float]:
    """The largest probability that two records are released alike, and that a record is released as any particular one."""
    same, likeliest = 1.0, 1.0
    for places, _ in expected.file.groups:
        if len(places) == 1 and (matrix := expected.matrix(places[0])) is not None:
            same *= float((matrix**2).sum(axis=1).max())
            likeliest *= float(matrix.max())
        else:
            own_same, own_largest = expected.group_same(places)
            same *= own_same
            likeliest *= own_largest
    return same, likeliest


def _met(lag: int, share: float, same: float, _: int) -> str:
    return (
        f"Records {count_text(lag)} apart are equal in {percent(share)} of cases; whatever is true, the file gives at most {percent(same)}: "
        "they are copies, share their randomness, or were not randomised."
    )


def _never(name: str, label: str, hits: int, _: int) -> str:
    return f"'{name}' = {label} is in {counted(hits, 'record', 'records')}, and the file never releases it."
