"""Randomize true answers: mechanism files, certificates, sampler and releases.

All draws come from the operating system. No function uses a seeded generator.
"""

from rrcore.promise.certificate import Certificate, Ratio, certified_nats
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.randomizing import randomize
from rrcore.promise.released_table import Rehearsal, ReleasedTable, release_table, unreleased_columns_sentence
from rrcore.promise.rounding import integer_groups, mechanism_of_integers
from rrcore.promise.statement import epsilon_line, promise_sentence, stated_truthful_shares, truth_sentence
