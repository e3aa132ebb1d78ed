"""The two parts of a split sample: people whose answers were randomised, and people who were asked directly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from rrcore.answers.answers import Answers
from rrcore.arrays import Integers
from rrcore.errors import InputError
from rrcore.promise import DIRECTLY, RANDOMISED, MechanismFile, MechanismGroups, Survey, asks_directly
from rrcore.table.dataset import Dataset
from rrcore.wording import counted


@dataclass(frozen=True, eq=False)
class Arms:
    """Collected answers, taken apart.

    Parameters
    ----------
    randomised : Answers of those whose answers were randomised; shares are read from these alone, since others may have denied
    directly : Answers of those who were asked directly; None where nobody was

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.promise import split_survey
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2,), [1.0])))
    >>> rows = b"smokes,group\\nno,randomised\\nyes,randomised\\nno,asked directly\\n"
    >>> arms = Arms.of(rr.read_answers([(rows, "answers.csv")], split_survey(file)))
    >>> arms.randomised.n, arms.directly.n, arms.directly.estimate(["smokes"]).shares.tolist()
    (2, 1, [1.0, 0.0])
    """

    randomised: Answers
    directly: Answers | None

    @classmethod
    def of(cls, answers: Answers) -> Arms:
        """The parts of ``answers``; all are randomised where no group of theirs was asked directly.

        Raises
        ------
        InputError
            If several groups were randomised beside those who were asked directly, or one of the two parts is empty.
        """
        found = cls.so_far(answers)
        if found is None or (found.directly is None and _direct(answers.mechanism)):
            name = RANDOMISED if found is None else DIRECTLY
            raise InputError(f"Nobody who was {name} answered all questions: both parts of a split sample are needed.")
        return found

    @classmethod
    def so_far(cls, answers: Answers) -> Arms | None:
        """The same while answers arrive, when nobody may have been asked directly yet; None where nobody was randomised yet."""
        survey, direct = cast(MechanismGroups, answers.mechanism), _direct(answers.mechanism)
        if not direct:
            return cls(answers, None)
        if len(direct) != 1 or len(survey.files) != 2:
            raise InputError(
                f"{counted(len(survey.files), 'group has', 'groups have')} mechanism files of their own, {len(direct)} of them for asking "
                "directly: read one such group beside one randomised group at a time."
            )
        randomised, directly = (_part(answers, survey, group) for group in (1 - direct[0], direct[0]))
        return None if randomised is None else cls(randomised, directly)


def _direct(survey: Survey) -> list[int]:
    """Numbers of the groups that were asked directly, where there are groups."""
    return [group for group, (name, file) in enumerate(survey.files) if name and asks_directly(file)]


def _part(answers: Answers, survey: MechanismGroups, group: int) -> Answers | None:
    """The answers of one group, by its own mechanism file; None where nobody of it answered all questions."""
    name, file = survey.files[group]
    if not all((_of_group(block, survey, group) < block.dataset.n).any() for block in (answers, *answers.further)):
        return None
    part = answers.part(lambda block: _of_group(block, survey, group), name)
    further = tuple(_lowered(block, file, survey, group) for block in part.further)
    return replace(_lowered(part, file, survey, group), further=further, rejected=answers.rejected)


def _of_group(block: Answers, survey: MechanismGroups, group: int) -> Integers:
    """Numbers of the rows of a block that are of a group: what is reported are pairs of a group and a report."""
    codes = block.dataset.codes if block.partial is None else np.concatenate([block.dataset.codes, block.partial])
    ends = np.append(survey.starts, [survey.reports.sizes], axis=0)[:, list(survey.schema.axes(block.dataset.schema.names))]
    inside = (codes >= ends[group]) & (codes < ends[group + 1])
    return np.flatnonzero(inside.any(axis=1))


def _lowered(block: Answers, file: MechanismFile, survey: MechanismGroups, group: int) -> Answers:
    """A block of rows with reports of the group's file instead of pairs of a group and a report."""
    names = block.dataset.schema.names
    starts = survey.starts[group][list(survey.schema.axes(names))].astype(np.int32)
    complete = Dataset(file.reports.select(names), block.dataset.codes - starts, block.dataset.title)
    partial = None if block.partial is None else np.where(block.partial < 0, block.partial, block.partial - starts)
    return replace(block, dataset=complete, mechanism=file, partial=partial, _counted={})
