"""Schemes: a mechanism together with a way to read its releases, compared with each other."""

from rrcore.schemes.demonstration import Demonstration, demonstrate
from rrcore.schemes.invented import invented_answers, make_table
from rrcore.schemes.perturbation import Repeats, Simulated, dependence_after_release, perturb, repeat_perturbation, simulate
from rrcore.schemes.reasons import RELATIVE, mean_reasons, reasons_beforehand
from rrcore.schemes.registry import DEFAULT_SCHEMES, SCHEMES, SPENDS, Spend, design, find_scheme, schemes_of_width
from rrcore.schemes.study import STUDY_METRICS, Outcome, Study
from rrcore.schemes.summary import (
    Summary,
    Winner,
    close_up,
    summaries_closer_than,
    summarise,
    summary_missing_sets,
    summary_outcomes_csv,
    summary_winners,
)
from rrcore.schemes.sweep import VARIED, Sweep
from rrcore.schemes.verdict import ALIKE, SHARES, metric_text, verdict, verdict_error_texts
