"""What is promised for real: integer mechanism files, their certificate, the exact sampler, and releases made with them.

Nothing here uses a seeded generator: draws come from the operating system.
"""

from rrcore.errors import moved
from rrcore.promise.certificate import Certificate, Ratio, nats
from rrcore.promise.groups import MechanismGroups, Survey
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.publication import Publication, published
from rrcore.promise.rounding import integer_groups, lie_mechanism
from rrcore.promise.sampler import randomise
from rrcore.promise.statement import as_nats, promise_sentence, truthful_shares
from rrcore.promise.table import Rehearsal, ReleasedTable, kept_sentence, release_table
from rrcore.promise.waves import WAYS, GivenAway, given_away, over_waves

__getattr__ = moved(__name__, promise="promise_sentence", truth_told="truthful_shares")
