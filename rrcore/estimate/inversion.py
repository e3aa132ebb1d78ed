"""From released counts to the estimate of a marginal: inversion, or why it cannot be."""

from collections.abc import Sequence
from functools import lru_cache

from rrcore.arrays import Floats, Integers
from rrcore.channel import Channel
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate.estimate import Estimate
from rrcore.estimate.sample import Spread, Tally
from rrcore.limits import MAX_MARGINAL, MIN_FACTOR
from rrcore.table import Attribute, Schema
from rrcore.wording import and_text, counted

_MOST_NAMED = 6  # sets of categories that are listed


def invert_counts(counts: Integers, channel: Channel, *, schema: Schema | None = None, reports: Schema | None = None) -> Estimate:
    """Invert released counts.

    Parameters
    ----------
    counts : ndarray of shape ``channel.report_sizes``, counts of the released records
    channel : Channel, ``mechanism.marginal_channel(axes)`` of the mechanism that released them
    schema : Schema of the marginal; its attributes and categories are numbered by default
    reports : Schema of what is reported; ``schema`` by default, numbered where the numbers of reports and categories differ

    Raises
    ------
    NotIdentifiableError
        If an interaction of the marginal is erased (|mu_T| < MIN_FACTOR), or categories are not told apart: nothing is invented.
    InputError
        For no records, or more than MAX_MARGINAL attributes.
    """
    n = int(counts.sum())
    if n == 0:
        raise InputError("There are no released records: at least one is needed for an estimate.")
    return _estimate(counts / n, channel, n, schema, reports, None)


def invert_tally(tally: Tally, channel: Channel, *, schema: Schema | None = None, reports: Schema | None = None) -> Estimate:
    """Invert the weighted released shares of a sample; parameters and errors as in ``invert_counts``."""
    return _estimate(tally.released, channel, tally.n, schema, reports, tally.spread)


def _estimate(
    released: Floats, channel: Channel, n: int, schema: Schema | None, reports: Schema | None, drawn: Spread | None
) -> Estimate:
    if released.ndim > MAX_MARGINAL:
        raise InputError(f"A marginal of {released.ndim} attributes was asked for: at most {MAX_MARGINAL} can be inverted.")
    schema = schema or _numbered(channel.sizes)
    if reports is None:
        reports = schema if channel.report_sizes == channel.sizes else _numbered(channel.report_sizes)
    lost = channel.lost()
    if lost:
        for axes in lost:
            if len(axes) == 1 and (why := inversion_text(schema.attributes[axes[0]], channel, axes[0])):
                raise NotIdentifiableError(f"Not identifiable: {why}", lost)
        erased = "; ".join(_erased([schema.names[i] for i in axes]) for axes in lost[:3])
        raise NotIdentifiableError(
            f"Not identifiable: this mechanism erases {erased} (|mu_T| is below {MIN_FACTOR:g}). "
            f"Choose a mechanism safe for {counted(max(map(len, lost)), 'attribute', 'attributes')}, or Kronecker, or raise the levels.",
            lost,
        )
    return Estimate(released, channel.invert(released), channel, n, schema, reports, drawn)


@lru_cache(maxsize=256)
def _numbered(sizes: tuple[int, ...]) -> Schema:
    return Schema(tuple(Attribute(f"attribute {i}", tuple(map(str, range(1, a + 1)))) for i, a in enumerate(sizes, 1)))


def _erased(names: Sequence[str]) -> str:
    quoted = " and ".join(f"'{name}'" for name in names)
    return quoted if len(names) == 1 else f"how {quoted} go together"


def inversion_text(attribute: Attribute, channel: Channel, axis: int) -> str:
    """One sentence on what of ``attribute``, which is ``axis`` of ``channel``, can be estimated; empty where every category can, or nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.channel import MatrixChannel
    >>> drug = Attribute("drug", ("none", "soft", "hard"))
    >>> two = MatrixChannel(np.array([[0.8, 0.2], [0.3, 0.7], [0.3, 0.7]]))
    >>> print(inversion_text(drug, two, 0))
    the 2 reports of 'drug' do not tell its 3 categories apart, so only the share of 'none' and that of 'soft' and 'hard' together can be \
estimated. Merge such categories, or choose a design that reports them differently.
    >>> inversion_text(drug, MatrixChannel(np.full((3, 3), 1 / 3)), 0)
    ''
    """
    sets = channel.estimable(axis)
    every = len(attribute.categories)
    reports = channel.report_sizes[axis]
    if all(len(chosen) == 1 for chosen in sets) or (sets == (tuple(range(every)),) and reports >= every):
        return ""
    begins = f"the {counted(reports, 'report', 'reports')} of '{attribute.name}' do not tell its {every} categories apart, so"
    if sets == (tuple(range(every)),):
        return f"{begins} the share of none of them can be estimated. Merge categories, or choose a design with at least {every} reports."
    named = [_set(attribute, chosen) for chosen in sets if len(chosen) < every]
    shares = [f"{'the share' if i == 0 else 'that'} of {text}" for i, text in enumerate(named[:_MOST_NAMED])]
    if len(named) > _MOST_NAMED:
        shares.append(f"those of {len(named) - _MOST_NAMED} more sets of categories")
    advice = "Merge such categories, or choose a design that reports them differently."
    return f"{begins} only {and_text(shares)} can be estimated. {advice}"


def _set(attribute: Attribute, chosen: Sequence[int]) -> str:
    names = [f"'{attribute.categories[x]}'" for x in chosen]
    return names[0] if len(names) == 1 else f"{and_text(names)} together"
