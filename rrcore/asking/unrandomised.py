"""Questions that are asked and reported as they are, beside those that are randomised: what they may be, and what they tell of people."""

import math
from collections.abc import Sequence

from rrcore.errors import InputError
from rrcore.limits import MAX_UNRANDOMISED
from rrcore.mark import RELEASE, marks_in
from rrcore.table.schema import Attribute, Schema
from rrcore.wording import count_text, counted

_SETTLED = ("mechanism", RELEASE)  # names of columns that say something else where answers are read


def all_asked(randomised: Schema, unrandomised: Sequence[Attribute]) -> Schema:
    """The ``randomised`` questions, and behind them the others.

    Raises
    ------
    InputError
        For too many questions, or one that is called like another, or like a column that says something else.

    Examples
    --------
    >>> import rrcore as rr
    >>> smokes, region = rr.Attribute("smokes", ("no", "yes")), rr.Attribute("region", ("north", "south"))
    >>> all_asked(rr.Schema((smokes,)), [region]).names
    ('smokes', 'region')
    >>> all_asked(rr.Schema((smokes,)), [smokes])
    Traceback (most recent call last):
    ...
    rrcore.errors.InputError: The unrandomised question 'smokes' is called like another one: give it a name of its own.
    """
    if len(unrandomised) > MAX_UNRANDOMISED:
        raise InputError(
            f"There are {len(unrandomised)} unrandomised questions, the limit is {MAX_UNRANDOMISED}: each tells people further apart."
        )
    taken = {*randomised.names, *_SETTLED}
    for each in unrandomised:
        if each.name in taken or marks_in([each.name]):
            other = "a column that says something else" if each.name in _SETTLED or marks_in([each.name]) else "another one"
            raise InputError(f"The unrandomised question '{each.name}' is called like {other}: give it a name of its own.")
        taken.add(each.name)
    return Schema((*randomised.attributes, *unrandomised))


def told_apart_sentence(unrandomised: Sequence[Attribute], people: int) -> str:
    """What unrandomised questions tell of people before anybody answered, in a sentence or two; empty where there is none.

    Parameters
    ----------
    unrandomised : sequence of Attribute
    people : how many are expected to answer, at least 1

    Examples
    --------
    >>> import rrcore as rr
    >>> region, sex = rr.Attribute("region", ("north", "south", "east")), rr.Attribute("sex", ("f", "m"))
    >>> print(told_apart_sentence([region, sex], 1_000))
    region and sex tell 6 kinds of people apart, of 1,000 people about 167 in each if all were equally common. Rare ones are smaller, and \
whoever is alone in one can be recognised.
    """
    if not unrandomised:
        return ""
    names = [each.name for each in unrandomised]
    listed, tell = (names[0], "tells") if len(names) == 1 else (f"{', '.join(names[:-1])} and {names[-1]}", "tell")
    kinds = math.prod(each.size for each in unrandomised)
    of = f"{listed} {tell} {count_text(kinds)} kinds of people apart"
    alone = "Rare ones are smaller, and whoever is alone in one can be recognised."
    if kinds > people:
        who = counted(people, "person", "people")
        return f"{of}, more than the {who} who are to answer: most would be alone in theirs, and can be recognised."
    each = f"of {counted(people, 'person', 'people')} about {count_text(round(people / kinds))} in each"
    return f"{of}, {each} if all were equally common. {alone}"
