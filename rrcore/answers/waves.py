"""Two waves of one survey side by side: the same people found again by an identifier, which stays in this process.

Identifiers are compared and forgotten: no result, no message and no file of this package holds one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from rrcore.answers.answers import Answers
from rrcore.arrays import Codes, Floats
from rrcore.channel import Channel, StackedChannel, Stages, Way, product_channel, transition_matrix
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import Change, Estimate, invert_tally, linked_change, pair_tally, unlinked_change
from rrcore.estimate.sample import Sample
from rrcore.promise import MechanismFile, of_group_sizes
from rrcore.table.dataset import Dataset
from rrcore.table.reading import TextColumn
from rrcore.table.schema import Attribute, Schema
from rrcore.wording import Quantity, count_text, counted, percent

_AS_ANSWERED = "Nobody was taken not to follow the instructions, since the same people may not have in both waves."
_REGROUPED = (
    "Who changed from what to what is read of groups with mechanism files of their own where everybody is in the same group in both waves; "
    "the change of the shares is read as it is."
)
_ROUNDING = 1e-9  # of all shares together
_CHANCE = 1e-6  # how seldom fresh reports would agree as often as these for it to be said


@dataclass(frozen=True, eq=False)
class Waves:
    """What two waves say about one marginal.

    Parameters
    ----------
    change : Change of every share
    moves : Estimate of the joint table of the answers in both waves, over attributes "... (first)" and "... (second)"; None where the
        people are not linked, or it cannot be read, which ``note`` then says
    both, only_first, only_second : int, people found in both waves or in one, those who lack these answers included; unlinked, ``both`` is 0
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
            f"Among {counted(change.first.n, 'person', 'people')} asked twice"
            if change.linked
            else f"Between {count_text(change.first.n)} and {count_text(change.second.n)} answers"
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
        For waves that do not ask the same, or an identifier that is missing, occurs twice, or is in both waves for fewer than two people who
        answered.

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
    one, two, both = _linked(before, after, names, identifier)
    estimates = one.estimate(names), two.estimate(names)
    reports = [answers.records(names)[0] for answers in (one, two)]
    shape = estimates[0].released.shape
    if shape != estimates[1].released.shape:
        raise InputError("The two waves have different sets of reports: compare them without an identifier.")
    pairs = pair_tally(reports[0], reports[1], shape, one.sample)
    change = linked_change(*estimates, pairs)
    notes = [_AS_ANSWERED] if first.corrected_by or second.corrected_by else []
    channel, moves = None, None
    try:
        channel = _joint(before, after, names, way, pairs.released)
        asked, reported = (_both(schema.select(names)) for schema in (one.schema, one.dataset.schema))
        moves = invert_tally(pairs, channel, schema=asked, reports=reported)
    except (InputError, NotIdentifiableError) as error:
        notes.append(str(error))
    if way == "fresh" and channel is not None:
        notes.append(_too_alike(channel, reports[0], reports[1]))
    return Waves(change, moves, both, before.n - both, after.n - both, " ".join(note for note in notes if note))


def _linked(before: Answers, after: Answers, names: Sequence[str], identifier: str) -> tuple[Answers, Answers, int]:
    """Both waves' answers of the people who gave these in both, in one order, by one sample; and how many people are in both waves."""
    rows = _matched(before, after, identifier)
    answered = [_answered(answers, names, own) for answers, own in zip((before, after), rows, strict=True)]
    kept = (answered[0] >= 0) & (answered[1] >= 0)
    if kept.sum() < 2:
        listed = ", ".join(f"'{name}'" for name in names)
        raise InputError(
            f"Of the {len(rows[0]):,} people found in both waves {int(kept.sum())} answered {listed} in both: at least 2 are needed, so "
            "choose attributes that more of them answered."
        )
    sample = _sample(after, rows[1][kept]) or _sample(before, rows[0][kept])
    one, two = (_cut(answers, names, own[kept], sample) for answers, own in zip((before, after), answered, strict=True))
    return one, two, len(rows[0])


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
        where.append(_rows(column, which))
    common = sorted(where[0].keys() & where[1].keys(), key=where[0].__getitem__)
    if len(common) < 2:
        raise InputError(
            f"{counted(len(common), 'person was', 'people were')} found in both waves by '{identifier}': at least 2 are needed. Check that "
            "both files write it alike."
        )
    found = [np.array([rows[one] for one in common], dtype=np.intp) for rows in where]
    return found[0], found[1]


def _rows(column: TextColumn, which: str) -> dict[str, int]:
    """The row of every identifier; rows without one are left out."""
    given = np.flatnonzero(column.codes >= 0)
    codes = column.codes[given]
    twice = int((np.bincount(codes, minlength=1) > 1).sum())
    if twice:
        raise InputError(
            f"'{column.name}' has {counted(twice, 'value', 'values')} more than once in the {which} wave: it has to tell people apart."
        )
    return {column.values[code].strip(): int(row) for code, row in zip(codes.tolist(), given.tolist(), strict=True)}


def _sample(answers: Answers, rows: NDArray[np.intp]) -> Sample | None:
    return None if answers.sample is None else answers.sample.answering(rows)


def _answered(answers: Answers, names: Sequence[str], rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where ``rows`` stand among the records that have all of these answers; -1 for those that lack one."""
    having = answers.records(names)[1]
    place = np.full(answers.rows, -1)
    place[having] = np.arange(len(having))
    return place[rows]


def _cut(answers: Answers, names: Sequence[str], places: NDArray[np.intp], sample: Sample | None) -> Answers:
    own = Dataset(answers.dataset.schema.select(names), answers.records(names)[0][places], answers.dataset.title)
    return Answers(own, answers.mechanism, sample=sample, mark=answers.mark, clicks=answers.clicks)


def _joint(first: Answers, second: Answers, names: Sequence[str], way: Way, released: Floats) -> Channel:
    """The channel on the table of both waves; of groups with mechanism files of their own, where everybody is in the same one twice."""
    files = first.mechanism.files, second.mechanism.files
    if way == "two-stage" or (way == "memoised" and first.mechanism != second.mechanism):
        raise InputError(
            "Who changed from what to what is read from fresh answers, or from memoised ones of one mechanism file; the change of the "
            "shares is read as it is."
        )
    if [name for name, _ in files[0]] != [name for name, _ in files[1]]:
        raise InputError(_REGROUPED)
    parts = [_joint_of_files(one, two, names, way) for (_, one), (_, two) in zip(*files, strict=True)]
    if len(parts) == 1:
        return parts[0]
    whole = StackedChannel(tuple(parts), np.full(len(parts), 1 / len(parts)))
    if released.ravel()[whole.places].sum() < 1 - _ROUNDING:
        raise InputError(_REGROUPED)
    return of_group_sizes(whole, released)


def _joint_of_files(first: MechanismFile, second: MechanismFile, names: Sequence[str], way: Way) -> Channel:
    w, axes = len(names), (first.schema.axes(names), second.schema.axes(names))
    once = first.marginal_channel(axes[0])
    if way == "fresh":
        return product_channel([once, second.marginal_channel(axes[1])], [tuple(range(w)), tuple(range(w, 2 * w))])
    if w > 1 or not any(places == axes[0] for places, _ in first.groups):
        raise InputError(
            "Who changed from what to what is read for one attribute that is randomised on its own, since memoised answers of attributes "
            "that are randomised together are drawn anew when any of them changes; the change of the shares is read as it is."
        )
    return Stages.memoised(transition_matrix(once)).two_waves()


def _both(schema: Schema) -> Schema:
    """The attributes of both waves, told apart by their names."""
    named = [
        Attribute(f"{attribute.name} ({which})", attribute.categories, attribute.kind)
        for which in ("first", "second")
        for attribute in schema.attributes
    ]
    return Schema(tuple(named))


def _too_alike(channel: Channel, first: Codes, second: Codes) -> str:
    """A warning where reports of the same people agree more often than two draws, by the ``channel`` of both waves, can, whatever is true."""
    reports = channel.report_sizes
    same = np.eye(math.isqrt(math.prod(reports))).reshape(reports)
    most = float(channel.pull(same).max())
    people, alike = len(first), int((first == second).all(axis=1).sum())
    if most >= 1 or float(scipy.special.bdtrc(alike - 1, people, most)) > _CHANCE:
        return ""
    return (
        f"{percent(alike / people)} of the people gave the same report twice, more than answers that are randomised anew can: were "
        "they memoised? Then choose memoised answers, or the table of who changed is wrong."
    )
