"""Read, check, count and summarize collected answers."""

from rrcore.answers.answers import Answers
from rrcore.answers.json_lines import FormLines, open_answers
from rrcore.answers.nigeria_survey import NIGERIA_SOURCE, nigeria
from rrcore.answers.reading import count_answers, read_answers
from rrcore.answers.sample_design import about_sample, given_totals, read_totals, sampling_columns, with_sample
from rrcore.answers.summary import (
    SIGNIFICANT,
    MarginalSummary,
    ordered_summary_dict,
    pair_summaries,
    pair_texts,
    pooled_pairs,
    summarise_groups,
    summarise_marginal,
    unmatched_sentences,
)
from rrcore.answers.unrandomized import SIMPLE, KnownTotals, SampleColumns, alone_sentence, check_extra, people_alone
