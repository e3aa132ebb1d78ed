"""Names of categories that were read off the data: which they are, and what whoever reads them learns."""

from __future__ import annotations

from rrcore.table.rule import MISSING, OTHER, ColumnRule
from rrcore.table.scale import interval_names
from rrcore.table.schema import Attribute

AS_GIVEN = "they are what people gave, and none that nobody gave"
"""What names tell that are the values of a column."""


def learned_names(attribute: Attribute, rule: ColumnRule) -> tuple[str, ...]:
    """The categories of ``attribute`` that are there, or are called so, because of what people answered.

    None where all were declared, or are intervals between edges that were. ``OTHER`` and ``MISSING`` are among them where nobody declared
    them: they are there because somebody is in them.

    Parameters
    ----------
    attribute : Attribute, what a column became by ``rule``
    rule : ColumnRule

    Examples
    --------
    >>> from rrcore.table import Attribute, ColumnRule, learned_names
    >>> learned_names(Attribute("town", ("Oslo", "Rome")), ColumnRule())
    ('Oslo', 'Rome')
    >>> learned_names(Attribute("town", ("Oslo", "Rome", "(missing)")), ColumnRule(categories=("Oslo", "Rome")))
    ('(missing)',)
    >>> learned_names(Attribute("age", ("below 30", "30 and more")), ColumnRule(binning="open", edges=(30,)))
    ()
    """
    called = dict(rule.labels)
    if rule.categories is not None:
        known = set(rule.categories) if rule.declared else set(called.values())
    elif rule.binning == "open" and not rule.merge_below:
        known = {called.get(name, name) for name in interval_names(rule.edges)}
    else:
        known = set()
    return tuple(name for name in attribute.categories if name not in known)


def gives_away(attribute: Attribute, rule: ColumnRule) -> str:
    """What those names tell whoever reads them, in a sentence about them; "" where there are none.

    Examples
    --------
    >>> from rrcore.table import Attribute, ColumnRule, gives_away
    >>> gives_away(Attribute("town", ("Oslo", "Rome")), ColumnRule())
    'they are what people gave, and none that nobody gave'
    """
    learned = learned_names(attribute, rule)
    if not learned:
        return ""
    if set(learned) <= {OTHER, MISSING}:
        return "somebody gave no answer" if learned == (MISSING,) else "somebody gave another answer, or none"
    if rule.binning in ("equal-count", "equal-width"):
        return "their limits are numbers that people gave, from the lowest to the highest, and say how people spread over them"
    if rule.binning == "edges":
        return "they say whether anybody is beyond the edges"
    return AS_GIVEN
