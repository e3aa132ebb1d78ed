"""Answers that came back: read, checked, counted, by groups, with what is known of the sample, and summarised."""

from rrcore.answers.answers import Answers
from rrcore.answers.columns import SIMPLE, KnownTotals, SampleColumns
from rrcore.answers.counting import count_answers
from rrcore.answers.formlines import FormLines, open_answers
from rrcore.answers.nigeria_survey import NIGERIA_SOURCE, nigeria
from rrcore.answers.reading import read_answers
from rrcore.answers.sampling import about_sample, read_totals, sample_dict, sampling_columns, with_sample
from rrcore.answers.summary import (
    GroupShare,
    MarginalSummary,
    ModelMarginal,
    PairSummary,
    chance_pairs_summary,
    ordered_summary_dict,
    pair_summaries,
    pair_summary_matrix,
    pooled_pairs,
    summarise_groups,
    summarise_marginal,
    summarise_model,
    summary_dict,
    too_wide_to_summarise,
    unmatched_sentences,
)
