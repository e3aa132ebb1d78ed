"""Five papers: their methods, and printed values next to measured ones."""

from rrcore.papers.checks import Check
from rrcore.papers.comparison import STUDY_METRICS, VARIED, Outcome, Study, Summary, Sweep, best_sentence, summarise
from rrcore.papers.methods import DEFAULT_SCHEMES, GROUPS, OPTIMIZED, SCHEMES, SPENDS, Spend, design, find_scheme
from rrcore.papers.results import PAPERS, Paper, Results, read_input, run_papers, stored_results
