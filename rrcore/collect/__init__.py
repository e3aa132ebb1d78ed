"""Collecting for real: integer mechanisms, their certificate, the exact sampler, the respondents' form, and the answers that come back.

Nothing here uses a seeded generator: draws come from the operating system, or from the respondent's browser.
"""

from rrcore.collect.answers import Answers, Collected, read_answers
from rrcore.collect.certificate import Certificate, Ratio, nats
from rrcore.collect.columns import SIMPLE, KnownTotals, SampleColumns
from rrcore.collect.counted import CountedAnswers, count_answers, small_marginals
from rrcore.collect.countedgroups import count_groups
from rrcore.collect.designs import DESIGNS, read_design, read_question
from rrcore.collect.document import MechanismFile
from rrcore.collect.example import NIGERIA_SOURCE, nigeria
from rrcore.collect.form import form_fingerprint, respondent_form
from rrcore.collect.groupreading import GROUP, GroupAnswers, read_groups
from rrcore.collect.groups import MechanismGroups, Survey
from rrcore.collect.languages import LANGUAGES
from rrcore.collect.panel import Waves, compare_waves
from rrcore.collect.promise import as_nats, promise, truth_told
from rrcore.collect.released import Rehearsal, ReleasedTable, release_table
from rrcore.collect.rounding import integer_groups, lie_mechanism
from rrcore.collect.sampler import randomise
from rrcore.collect.sampling import (
    about_sample,
    columns_of_numbers,
    read_totals,
    sample_dict,
    with_sample,
)
from rrcore.collect.summary import (
    GroupShare,
    MarginalSummary,
    PairSummary,
    chance_matrix,
    collection_dict,
    dependence_matrix,
    group_shares,
    pair_summaries,
    summarise_marginal,
)
from rrcore.collect.waves import WAYS, GivenAway, given_away, over_waves
