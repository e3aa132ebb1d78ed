"""Who can be told apart by what was not randomised: how many people are alone with their combination of such columns."""

from collections.abc import Sequence

import numpy as np

from rrcore.table.text_table import TextColumn
from rrcore.wording import count_text, counted


def people_alone(columns: Sequence[TextColumn]) -> int:
    """How many people have a combination of values that nobody else has; a missing value is one, too.

    Parameters
    ----------
    columns : of the same n rows each, one row a person

    Examples
    --------
    >>> region = TextColumn("region", np.array([0, 0, 1, 1]), ("north", "south"))
    >>> sex = TextColumn("sex", np.array([0, 0, 0, 1]), ("f", "m"))
    >>> people_alone([region]), people_alone([region, sex])
    (0, 2)
    """
    kinds = np.zeros(columns[0].n if columns else 0, np.int64)
    for column in columns:
        kinds = np.unique(kinds * (len(column.values) + 1) + column.codes + 1, return_inverse=True)[1]
    return int((np.bincount(kinds) == 1).sum()) if kinds.size else 0


def alone_sentence(columns: Sequence[TextColumn]) -> str:
    """How many can be told apart by these columns, in a sentence; empty where there are none, or no people.

    Examples
    --------
    >>> region = TextColumn("region", np.array([0, 0, 1]), ("north", "south"))
    >>> print(alone_sentence([region]))
    Of these 3 people 1 is alone with what was not randomised (region): whoever knows them finds their row.
    """
    n = columns[0].n if columns else 0
    if not n:
        return ""
    names, alone = ", ".join(column.name for column in columns), people_alone(columns)
    of = f"Of {'this' if n == 1 else 'these'} {counted(n, 'person', 'people')}"
    if not alone:
        return f"{of} nobody is alone with what was not randomised ({names})."
    verb = "is alone" if alone == 1 else "are alone"
    return f"{of} {count_text(alone)} {verb} with what was not randomised ({names}): whoever knows them finds their row."
