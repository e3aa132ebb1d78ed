"""Test collected answers against their mechanism file without the true answers (theory.md section 16).

Let p be the maximum of P(E | x) over all true records x. An event E about one randomized record has probability at most p.
Records are randomized independently, so the number of times that E occurs is stochastically at most binomial with probability p.
In a random half of the records, the audit searches for events with a share above p.
It then counts these events in the other half. Every p-value is therefore valid for all possible true answers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rrcore.answers import Answers
from rrcore.arrays import Integers
from rrcore.auditing.frequencies import Check
from rrcore.channel import Channel
from rrcore.errors import InputError
from rrcore.estimate import maximum_likelihood
from rrcore.limits import AUDIT_CONFIDENCE
from rrcore.mark import check_unmarked
from rrcore.progress import Report, quiet
from rrcore.wording import counted, one_line, percent
from rrcore.wording.short import Short

MARGINALS = 60
"""Largest numbers of sets of one, two and three attributes whose shares are checked."""

_CELLS = 4_096  # most cells of a marginal that is looked at
_STEPS = 150  # of the search for the nearest shares that are possible
_EVENTS = 32
_FEWEST = 20  # records that a half needs
_WRONG_VALUE = re.compile("not one of its (categories|reports)")


@dataclass(frozen=True)
class AnswersAudit(Short):
    """Result of checking collected answers against their mechanism file.

    Parameters
    ----------
    n : number of records compared
    values : Check of single values
    shares : Check of the shares over sets of attributes
    """

    n: int
    values: Check
    shares: Check

    def _summary(self) -> str:
        return self.headline()

    @property
    def checks(self) -> tuple[Check, Check]:
        """Both checks: of single values and of shares."""
        return self.values, self.shares

    @property
    def sound(self) -> bool:
        """True if every check passed."""
        return not any(check.caught for check in self.checks)

    def headline(self) -> str:
        """Return the outcome in one sentence."""
        caught = [check for check in self.checks if check.caught]
        if caught:
            return f"These answers do not fit the mechanism file. {caught[0].sentence}"
        return f"No deviation found. Some true answers can lead to these {counted(self.n, 'record', 'records')}."

    def lines(self) -> list[str]:
        """Return the audit as text."""
        shown = [f"  {each.title}: {'CAUGHT. ' if each.caught else ''}{each.sentence}" for each in self.checks]
        return [one_line(line) for line in (self.headline(), *shown, self.unseen())]

    def unseen(self) -> str:
        """Return the limitations of this audit."""
        return (
            "Without the true answers, this audit finds only shares that no true answers could explain. It cannot tell true from "
            "randomized answers if their shares are possible. Audit the program for that."
        )


def check_answers(
    answers: Answers,
    *,
    marginals: int = MARGINALS,
    confidence: float = AUDIT_CONFIDENCE,
    rng: np.random.Generator,
    report: Report = quiet,
) -> AnswersAudit:
    """Compare collected answers with their mechanism file.

    Parameters
    ----------
    answers : Answers
    marginals : maximum number of sets of attributes of each width
    confidence : minimum probability that correctly randomized answers pass, for any true answers
    rng : random generator that chooses the half of the records in which events are sought

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.answers.nigeria_survey import nigeria
    >>> from rrcore.auditing import check_answers
    >>> check_answers(nigeria(), rng=np.random.default_rng(0)).sound
    True
    """
    check_unmarked(answers.mark, "An audit")
    if answers.release.records is None:
        raise InputError(
            "An audit needs individual records, but only counts of these answers are available. Read the answers with their "
            "records."
        )
    alpha = (1 - confidence) / 2
    return AnswersAudit(answers.dataset.n, _values(answers, alpha), _shares(answers, alpha, marginals, rng, report))


def _values(answers: Answers, alpha: float) -> Check:
    """Look for values that the file does not have, and reports that it never gives."""
    title, file = "Values", answers.mechanism
    wrong = [rejected for rejected in (*answers.rejected, *answers.unmatched) if _WRONG_VALUE.search(rejected.reason)]
    if wrong:
        rows = sum(rejected.rows for rejected in wrong)
        return Check(title, 1, 0.0, alpha, f"{counted(rows, 'row has', 'rows have')} {wrong[0].reason} ({wrong[0].first}).")
    for i, attribute in enumerate(file.reports.attributes):
        possible = file.channel([i]).push(np.full(file.sizes[i], 1 / file.sizes[i])) > 0
        for code in np.flatnonzero(~possible):
            if hits := int((answers.dataset.codes[:, i] == code).sum()):
                label = f"'{attribute.name}' = {attribute.categories[code]}"
                return Check(
                    title, 1, 0.0, alpha, f"{label} is in {counted(hits, 'record', 'records')}, and the file never gives it."
                )
    return Check(title, 1, 1.0, alpha, "The file can give every value.")


def _shares(answers: Answers, alpha: float, most_sets: int, rng: np.random.Generator, report: Report) -> Check:
    """Compare shares over one, two and three attributes, and of whole records, with all that the mechanism can give."""
    from scipy.stats import binom  # heavy

    codes, schema = answers.dataset.codes, answers.mechanism.reports
    sets = _marginals(schema.sizes, most_sets, rng) if len(codes) >= 2 * _FEWEST else []
    half = rng.permutation(len(codes)) < len(codes) // 2
    worst, sentence = 1.0, f"Some true answers can explain the shares in {counted(len(sets), 'set', 'sets')} of attributes."
    for done, axes in enumerate(sets):
        report(done / len(sets), f"Shares {done + 1} of {len(sets)}")
        sizes = [schema.sizes[i] for i in axes]
        cell = np.ravel_multi_index(tuple(codes[:, i] for i in axes), sizes)
        first, second = (np.bincount(cell[rows], minlength=math.prod(sizes)) for rows in (half, ~half))
        event, most = _event(first, answers.mechanism.channel(axes))
        hits, people = int(second[event].sum()), int(second.sum())
        p_value = float(binom.sf(hits - 1, people, min(1.0, most))) * len(sets)
        if p_value < min(worst, alpha):
            named = [
                ", ".join(f"{schema.names[i]} = {schema.attributes[i].categories[x]}" for i, x in zip(axes, at, strict=True))
                for at in (np.unravel_index(one, sizes) for one in event[:3])
            ]
            more = " and others" if len(event) > 3 else ""
            sentence = (
                f"{percent(hits / people)} of records have {' or '.join(named)}{more}. The file gives at most {percent(most)}."
            )
        worst = min(worst, p_value)
    return Check("Shares", len(sets), worst, alpha, sentence)


def _marginals(sizes: Sequence[int], most: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Choose sets with few cells: singles, pairs, triples and all attributes."""
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
    """Find the cells whose joint share is furthest above what is possible, and the most that it can be."""
    n = max(1, int(counts.sum()))
    seen = (counts / n).reshape(channel.report_sizes)
    excess = (seen - channel.push(maximum_likelihood(seen, channel, most=_STEPS).shares)).ravel()
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
