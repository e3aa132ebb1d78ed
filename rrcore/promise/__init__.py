"""What is promised for real: integer mechanism files, their certificate, the exact sampler, and releases made with them.

Nothing here uses a seeded generator: draws come from the operating system.
"""

from rrcore.promise.certificate import Certificate, Ratio, certified_nats
from rrcore.promise.integers import integer_groups, mechanism_of_integers
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.released_table import Rehearsal, ReleasedTable, release_table, unreleased_columns_sentence
from rrcore.promise.sampler import randomise
from rrcore.promise.statement import promise_sentence, stated_nats, stated_truthful_shares, truth_sentence
