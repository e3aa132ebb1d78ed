"""Mechanism files of designs that split people into two groups: one file for each group."""

from __future__ import annotations

from rrcore.designs.design import LatentDesign
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute, Schema


def group_files(design: LatentDesign, text: str, question: Attribute, *, made_by: str = "") -> tuple[MechanismFile, ...]:
    """One mechanism file for each group, with the design and the group in its note.

    Parameters
    ----------
    text : the design's numbers as a person types them
    question : Attribute with two categories, "no" first

    Raises
    ------
    InputError
        For numbers under which nothing can be estimated, or a design that one randomised question does not hold.

    Examples
    --------
    >>> from rrcore.designs import LATENT_DESIGNS
    >>> files = group_files(LATENT_DESIGNS["cheating"], "1/4, 3/4", Attribute("took drugs", ("no", "yes")))
    >>> files[1].note
    'Cheating detection, group 2'
    """
    if design.files is None:
        raise InputError(
            f"{design.title} has no mechanism file: each person answers a second question or twice, so ask on paper and read the counts."
        )
    if question.size != 2:
        raise InputError(f"'{question.name}' has {question.size} categories: {design.title} is for two.")
    numbers = design.numbers(text)
    groups = design.channel(numbers).groups
    return tuple(
        MechanismFile(Schema((question,)), (((0,), weights),), made_by, f"{design.title}, {group}")
        for group, weights in zip(groups, design.files(numbers), strict=True)
    )
