"""In words: which shares of an attribute cannot be estimated, since its reports do not tell the categories apart, and which can."""

from __future__ import annotations

from collections.abc import Sequence

from rrcore.channel import Channel
from rrcore.table import Attribute
from rrcore.wording import counted

_MOST_NAMED = 6  # sets of categories that are listed


def merged_text(attribute: Attribute, channel: Channel, axis: int) -> str:
    """One sentence on what of ``attribute``, which is ``axis`` of ``channel``, can be estimated; empty where every category can, or nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.channel import MatrixChannel
    >>> drug = Attribute("drug", ("none", "soft", "hard"))
    >>> two = MatrixChannel(np.array([[0.8, 0.2], [0.3, 0.7], [0.3, 0.7]]))
    >>> print(merged_text(drug, two, 0))
    the 2 reports of 'drug' do not tell its 3 categories apart, so only the share of 'none' and that of 'soft' and 'hard' together can be \
estimated. Merge such categories, or choose a design that reports them differently.
    >>> merged_text(drug, MatrixChannel(np.full((3, 3), 1 / 3)), 0)
    ''
    """
    sets = channel.estimable(axis)
    every = len(attribute.categories)
    reports = channel.report_sizes[axis]
    if all(len(chosen) == 1 for chosen in sets) or (sets == (tuple(range(every)),) and reports >= every):
        return ""
    told = f"the {counted(reports, 'report', 'reports')} of '{attribute.name}' do not tell its {every} categories apart, so"
    if sets == (tuple(range(every)),):
        return f"{told} the share of none of them can be estimated. Merge categories, or choose a design with at least {every} reports."
    named = [_set(attribute, chosen) for chosen in sets if len(chosen) < every]
    shares = [f"{'the share' if i == 0 else 'that'} of {text}" for i, text in enumerate(named[:_MOST_NAMED])]
    if len(named) > _MOST_NAMED:
        shares.append(f"those of {len(named) - _MOST_NAMED} more sets of categories")
    advice = "Merge such categories, or choose a design that reports them differently."
    return f"{told} only {_listed(shares)} can be estimated. {advice}"


def _set(attribute: Attribute, chosen: Sequence[int]) -> str:
    names = [f"'{attribute.categories[x]}'" for x in chosen]
    return names[0] if len(names) == 1 else f"{_listed(names)} together"


def _listed(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
