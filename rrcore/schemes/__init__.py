"""Schemes: a mechanism together with a way to read its releases, compared with each other."""

from rrcore.schemes.demonstration import Demonstration, demonstrate
from rrcore.schemes.designs import SPENDS, Spend, design
from rrcore.schemes.readers import Adjusted, Likeliest
from rrcore.schemes.reasons import Reason, errors_beforehand, mean_reasons, reason
from rrcore.schemes.registry import DEFAULT_SCHEMES, SCHEMES, Scheme, find_scheme, schemes_of_width
from rrcore.schemes.simulation import Repeats, perturb, repeat_estimates
from rrcore.schemes.streamed import Simulated, perturb_stream
from rrcore.schemes.study import STUDY_METRICS, Outcome, Study, find_clusters
from rrcore.schemes.summary import (
    Closeup,
    Missing,
    Summary,
    Winner,
    close_up,
    closer_than,
    missing_sets,
    outcomes_csv,
    summarise,
    winners,
)
from rrcore.schemes.sweep import VARIED, Sweep, Varied
from rrcore.schemes.verdict import ALIKE, SHARES, error_text, errors_apart, verdict
