"""Schemes: a mechanism together with a way to read its releases, compared with each other."""

from rrcore.schemes.demonstration import Demonstration, demonstrate
from rrcore.schemes.perturbation import Repeats, dependence_after_release, perturb, repeat_perturbation
from rrcore.schemes.perturbation_stream import Simulated, perturb_stream
from rrcore.schemes.readers import Adjusted, Likeliest
from rrcore.schemes.reasons import RELATIVE, Reason, mean_reasons, reason, reasons_beforehand
from rrcore.schemes.registry import DEFAULT_SCHEMES, SCHEMES, SPENDS, Scheme, Spend, design, find_scheme, schemes_of_width
from rrcore.schemes.study import STUDY_METRICS, Outcome, Study
from rrcore.schemes.summary import (
    Closeup,
    Missing,
    Summary,
    Winner,
    close_up,
    summaries_closer_than,
    summarise,
    summary_missing_sets,
    summary_outcomes_csv,
    summary_winners,
)
from rrcore.schemes.sweep import VARIED, Sweep, Varied
from rrcore.schemes.verdict import ALIKE, SHARES, metric_text, verdict, verdict_error_texts
