"""Asking directly: the mechanism file by which every answer is reported as it is, and the survey of which part is asked so."""

import hashlib
from fractions import Fraction

from rrcore.errors import InputError
from rrcore.promise.groups import MechanismGroups
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import LieWeights
from rrcore.table.schema import Schema

DIRECTLY = "asked directly"
"""What the part of a split sample is called that is asked directly."""

RANDOMISED = "randomised"
"""What the other part is called."""


def direct_file(schema: Schema) -> MechanismFile:
    """The file of asking the questions of ``schema`` directly. It is the same, with the same fingerprint, for the same questions.

    Its certificate has no bound, for any answer: whoever sees a report knows the answer.

    Examples
    --------
    >>> import rrcore as rr
    >>> file = direct_file(rr.Schema((rr.Attribute("smokes", ("no", "yes")),)))
    >>> file.certificate.levels, asks_directly(file)
    ((None,), True)
    """
    groups = tuple(((i,), LieWeights((size,), 0, (("0", 1),))) for i, size in enumerate(schema.sizes))
    return MechanismFile(schema, groups, note="Asked directly: nothing is randomised and nothing is protected.")


def split_mark(survey: MechanismGroups) -> str:
    """What stands in the last row of a table of both parts, in place of the fingerprint of one file: 64 hexadecimal digits.

    Whoever reads such a table by one file alone, and would take direct answers for randomised ones, is refused.
    """
    return hashlib.sha256(survey.sha256.encode()).hexdigest()


def asks_directly(file: MechanismFile) -> bool:
    """Whether a file reports every answer as it is."""
    return file.reports == file.schema and all(
        weights.truth(place) == (Fraction(1), Fraction(1))
        for positions, weights in file.groups
        for place in range(len(positions))
    )


def split_survey(mechanism: MechanismFile) -> MechanismGroups:
    """A survey of which part is asked directly, and the rest by ``mechanism``: what its answers are read by.

    Raises
    ------
    InputError
        If the mechanism itself randomises nothing.
    """
    if asks_directly(mechanism):
        raise InputError("This mechanism file randomises nothing: there is nothing to compare asking directly with.")
    return MechanismGroups({RANDOMISED: mechanism, DIRECTLY: direct_file(mechanism.schema)})
