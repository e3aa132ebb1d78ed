"""Names of before: groups are read by the functions that read everything else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rrcore.answers.answers import Answers
from rrcore.answers.counted import CountedAnswers
from rrcore.answers.counting import count_answers
from rrcore.answers.reading import read_answers
from rrcore.answers.rows import GROUP
from rrcore.promise.groups import MechanismGroups
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.stream import Stream

GroupAnswers = Answers
"""Answers by several mechanism files are ``Answers``."""


def read_groups(
    files: Iterable[tuple[bytes, str]], mechanisms: MechanismGroups, *, column: str = GROUP, encoding: str = ""
) -> Answers:
    """``read_answers`` with mechanism files for groups of respondents."""
    return read_answers(files, mechanisms, column=column, encoding=encoding)


def count_groups(
    streams: Iterable[Stream], mechanism: MechanismFile, column: str, marginals: Sequence[Sequence[str]], **more: Any
) -> dict[str, CountedAnswers]:
    """``count_answers`` by a column, split: value -> CountedAnswers; ``more`` is its ``executor`` and ``report``."""
    return count_answers(streams, mechanism, marginals, by=column, **more).split(column)
