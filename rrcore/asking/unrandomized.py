"""Questions without randomization, and how far they identify people."""

import math
from collections.abc import Sequence

from rrcore.errors import InputError
from rrcore.limits import MAX_UNRANDOMIZED
from rrcore.mark import RELEASE, marks_in
from rrcore.table.schema import Attribute, Schema
from rrcore.wording import and_text, count_text, counted

_SETTLED = ("mechanism", RELEASE)  # columns of answers with another meaning


def all_asked(randomized: Schema, unrandomized: Sequence[Attribute]) -> Schema:
    """Return the ``randomized`` questions, followed by the others.

    Raises
    ------
    InputError
        If there are too many questions, two have the same name, or a name is reserved for another column.

    Examples
    --------
    >>> import rrcore as rr
    >>> smokes, region = rr.Attribute("smokes", ("no", "yes")), rr.Attribute("region", ("north", "south"))
    >>> all_asked(rr.Schema((smokes,)), [region]).names
    ('smokes', 'region')
    >>> all_asked(rr.Schema((smokes,)), [smokes])
    Traceback (most recent call last):
    ...
    rrcore.errors.InputError: The unrandomized question 'smokes' has the same name as another question. Rename it.
    """
    if len(unrandomized) > MAX_UNRANDOMIZED:
        raise InputError(
            f"There are {len(unrandomized)} questions without randomization. Each one reveals more about a person. Ask at "
            f"most {MAX_UNRANDOMIZED}."
        )
    taken = {*randomized.names, *_SETTLED}
    for each in unrandomized:
        if each.name in taken or marks_in([each.name]):
            other = "a column with another meaning" if each.name in _SETTLED or marks_in([each.name]) else "another question"
            raise InputError(f"The unrandomized question '{each.name}' has the same name as {other}. Rename it.")
        taken.add(each.name)
    return Schema((*randomized.attributes, *unrandomized))


def identifying_sentence(unrandomized: Sequence[Attribute], people: int) -> str:
    """State how far questions without randomization identify people.

    The text is empty if there are no such questions.

    Parameters
    ----------
    unrandomized : sequence of Attribute
    people : expected number of respondents, at least 1

    Examples
    --------
    >>> import rrcore as rr
    >>> region, sex = rr.Attribute("region", ("north", "south", "east")), rr.Attribute("sex", ("f", "m"))
    >>> print(identifying_sentence([region, sex], 1_000))
    region and sex form 6 groups, each of about 167 of 1,000 people if all are equally common. Rare groups are smaller. \
Someone who is alone in a group can be recognized.
    """
    if not unrandomized:
        return ""
    names = [each.name for each in unrandomized]
    kinds = math.prod(each.size for each in unrandomized)
    of = f"{and_text(names)} form{'s' if len(names) == 1 else ''} {count_text(kinds)} groups"
    if kinds > people:
        return f"{of}, more than the sample size of {count_text(people)}. Most people would be alone in their group and can be recognized."
    each = f"each of about {count_text(round(people / kinds))} of {counted(people, 'person', 'people')}"
    return f"{of}, {each} if all are equally common. Rare groups are smaller. Someone who is alone in a group can be recognized."
