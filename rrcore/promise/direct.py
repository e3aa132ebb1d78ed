"""The mechanism file of asking directly: every answer is reported as it is, and nothing is protected."""

from __future__ import annotations

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


def asks_directly(file: MechanismFile) -> bool:
    """Whether a file reports every answer as it is."""
    return file.reports == file.schema and all(
        weights.truth(place) == (1, 1) for positions, weights in file.groups for place in range(len(positions))
    )
