"""Two waves of one survey side by side: the same people found again by an identifier, which stays in this process.

Identifiers are compared and forgotten: no result, no message and no file of this package holds one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from rrcore.answers.answers import Answers
from rrcore.arrays import Codes
from rrcore.channel import Channel, Stages, Way, product_channel, transition_matrix
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import Change, Estimate, invert_tally, linked_change, pair_tally, unlinked_change
from rrcore.estimate.sample import Sample
from rrcore.table.dataset import Dataset
from rrcore.table.reading import TextColumn
from rrcore.table.schema import Attribute, Schema
from rrcore.wording import Quantity, count_text, counted, percent

_AS_ANSWERED = "Nobody was taken not to follow the instructions, since the same people may not have in both waves."
_CHANCE = 1e-6  # how seldom fresh reports would agree as often as these for it to be said


@dataclass(frozen=True, eq=False)
class Waves:
    """What two waves say about one marginal.

    Parameters
    ----------
    change : Change of every share
    moves : Estimate of the joint table of the answers in both waves, over attributes "... (first)" and "... (second)"; None where the
        people are not linked, or it cannot be read, which ``note`` then says
    both, only_first, only_second : int, people found in both waves or in one; unlinked, ``both`` is 0
    note : str, one or two sentences, or empty
    """

    change: Change
    moves: Estimate | None
    both: int
    only_first: int
    only_second: int
    note: str = ""

    def sentence(self, confidence: float = 0.95) -> str:
        """The change that stands out most, with its interval of this ``confidence``."""
        change = self.change
        cell = change.largest
        names = [attribute.categories[i] for attribute, i in zip(change.schema.attributes, cell, strict=True)]
        low, high = (float(end[cell]) for end in change.interval(confidence))
        first, second = float(change.first.shares[cell]), float(change.second.shares[cell])
        text = "changed" if low > 0 or high < 0 else "may not have changed"
        who = (
            f"Among {counted(self.both, 'person', 'people')} asked twice"
            if change.linked
            else f"Between {count_text(self.only_first)} and {count_text(self.only_second)} answers"
        )
        named = ", ".join(f"{name}: {category}" for name, category in zip(change.schema.names, names, strict=True))
        return (
            f"{who} the share of “{named}” {text}: {percent(first)}, then {percent(second)}, a difference in points of "
            f"{Quantity('share', named, 'the population').changed(second - first, low, high)}."
        )


def compare_waves(first: Answers, second: Answers, names: Sequence[str], *, identifier: str = "", way: Way = "fresh") -> Waves:
    """How the joint distribution of the named attributes changed between two waves.

    Parameters
    ----------
    first, second : Answers to the same questions, or counts of them where there is no identifier; fresh answers may have been randomised by
        different mechanism files
    names : attributes of the marginal
    identifier : a column of both that is the same for the same person, and is not randomised; empty for two samples
    way : Way
        How chance was drawn; matters only for the table of moves. Of two stages that table is not read.

    Raises
    ------
    InputError
        For waves that do not ask the same, or an identifier that is missing, occurs twice, or is in both waves for fewer than two people.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.answers.waves import compare_waves
    >>> from rrcore.answers.nigeria_survey import nigeria
    >>> survey = nigeria()
    >>> compare_waves(survey, survey, survey.mechanism.schema.names).sentence()
    'Between 2,435 and 2,435 answers the share of “connected to an armed group: yes” may not have changed: 26.2 %, then 26.2 %, a \
difference in points of +0 (−4 to +4).'
    """
    for name in names:
        if not all(name in answers.mechanism.schema.names for answers in (first, second)):
            raise InputError(f"'{name}' is not asked in both waves: choose attributes that both mechanism files have.")
    if not identifier:
        change = unlinked_change(first.estimate(names), second.estimate(names))
        return Waves(change, None, 0, first.n, second.n)
    before, after = first.uncorrected.held, second.uncorrected.held
    if before is None or after is None:
        raise InputError(
            "People are found again by their records, and one of the waves is only counted: leave the identifier out."
        )
    rows = _matched(before, after, identifier)
    sample = _sample(after, rows[1]) or _sample(before, rows[0])
    one, two = (_cut(answers, chosen, sample) for answers, chosen in zip((before, after), rows, strict=True))
    estimates = one.estimate(names), two.estimate(names)
    reports = [answers.records(names)[0] for answers in (one, two)]
    shape = estimates[0].released.shape
    if shape != estimates[1].released.shape:
        raise InputError("The two waves have different sets of reports: compare them without an identifier.")
    pairs = pair_tally(reports[0], reports[1], shape, sample)
    change = linked_change(*estimates, pairs)
    notes = [_AS_ANSWERED] if first.corrected_by or second.corrected_by else []
    moves: Estimate | None = None
    try:
        channel = _joint(before, after, names, way, estimates)
        asked, reported = (_both(schema.select(names)) for schema in (one.schema, one.dataset.schema))
        moves = invert_tally(pairs, channel, schema=asked, reports=reported)
    except (InputError, NotIdentifiableError) as error:
        notes.append(str(error))
    if way == "fresh":
        notes.append(_too_alike(estimates, reports[0], reports[1]))
    return Waves(change, moves, one.n, before.n - one.n, after.n - two.n, " ".join(note for note in notes if note))


def _matched(first: Answers, second: Answers, identifier: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of both waves with the same identifier, in the same order."""
    where: list[dict[str, int]] = []
    for answers, which in ((first, "first"), (second, "second")):
        column = next((column for column in answers.groupings if column.name == identifier), None)
        if column is None:
            known = ", ".join(f"'{column.name}'" for column in answers.groupings) or "none"
            raise InputError(
                f"The {which} wave has no column '{identifier}' beside the randomised answers (it has {known}): name the column that tells "
                "people apart."
            )
        where.append(_rows(column, answers.dataset.n, which))
    common = sorted(where[0].keys() & where[1].keys(), key=where[0].__getitem__)
    if len(common) < 2:
        raise InputError(
            f"{counted(len(common), 'person was', 'people were')} found in both waves by '{identifier}': at least 2 are needed. Check that "
            "both files write it alike."
        )
    found = [np.array([rows[one] for one in common], dtype=np.intp) for rows in where]
    return found[0], found[1]


def _rows(column: TextColumn, n: int, which: str) -> dict[str, int]:
    """The row of every identifier among the ``n`` complete records; rows without one are left out."""
    given = np.flatnonzero(column.codes[:n] >= 0)
    codes = column.codes[given]
    twice = int((np.bincount(codes, minlength=1) > 1).sum())
    if twice:
        raise InputError(
            f"'{column.name}' has {counted(twice, 'value', 'values')} more than once in the {which} wave: it has to tell people apart."
        )
    return {column.values[code].strip(): int(row) for code, row in zip(codes.tolist(), given.tolist(), strict=True)}


def _sample(answers: Answers, rows: NDArray[np.intp]) -> Sample | None:
    return None if answers.sample is None else answers.sample.answering(rows)


def _cut(answers: Answers, rows: NDArray[np.intp], sample: Sample | None) -> Answers:
    own = Dataset(answers.dataset.schema, answers.dataset.codes[rows], answers.dataset.title)
    return Answers(own, answers.mechanism, sample=sample, mark=answers.mark, clicks=answers.clicks)


def _joint(first: Answers, second: Answers, names: Sequence[str], way: Way, estimates: tuple[Estimate, Estimate]) -> Channel:
    """The channel on the table of both waves."""
    w = len(names)
    if way == "fresh":
        axes = [tuple(range(w)), tuple(range(w, 2 * w))]
        return product_channel([estimate.channel for estimate in estimates], axes)
    if way == "two-stage" or first.mechanism != second.mechanism:
        raise InputError(
            "Who changed from what to what is read from fresh answers, or from memoised ones of one mechanism file; the change of the "
            "shares is read as it is."
        )
    place = first.mechanism.schema.names.index(names[0])
    if w > 1 or not any(places == (place,) for places, _ in first.mechanism.groups):
        raise InputError(
            "Who changed from what to what is read for one attribute that is randomised on its own, since memoised answers of attributes "
            "that are randomised together are drawn anew when any of them changes; the change of the shares is read as it is."
        )
    return Stages.memoised(transition_matrix(estimates[0].channel)).two_waves()


def _both(schema: Schema) -> Schema:
    """The attributes of both waves, told apart by their names."""
    named = [
        Attribute(f"{attribute.name} ({which})", attribute.categories, attribute.kind)
        for which in ("first", "second")
        for attribute in schema.attributes
    ]
    return Schema(tuple(named))


def _too_alike(estimates: tuple[Estimate, Estimate], first: Codes, second: Codes) -> str:
    """A warning where reports of the same people agree more often than two draws can, whatever is true."""
    laws = [transition_matrix(estimate.channel) for estimate in estimates]
    most = float((laws[0] @ laws[1].T).max())
    people, alike = len(first), int((first == second).all(axis=1).sum())
    if most >= 1 or float(scipy.special.bdtrc(alike - 1, people, most)) > _CHANCE:
        return ""
    return (
        f"{percent(alike / people)} of the people gave the same report twice, more than answers that are randomised anew can: were "
        "they memoised? Then choose memoised answers, or the table of who changed is wrong."
    )
