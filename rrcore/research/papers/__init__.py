"""What five papers print, as data, beside functions that measure the same here, and what decides whether the two agree."""

from rrcore.research.papers.bibliography import PAPERS
from rrcore.research.papers.chi_square import (
    BUILDERS,
    CELLS,
    EXAMPLE_PEERS,
    PUBLISHED_DIFFERENCES,
    Builder,
    ChiSquareErrors,
    chi_square,
    chi_square_errors,
    chi_square_example,
    published_peers,
)
from rrcore.research.papers.entry import Axis, CheckResult, Curves, Paper, PaperCheck, PaperEntry, Position, Series, Setting
from rrcore.research.papers.markdown import document, published_part
from rrcore.research.papers.registry import ENTRIES, RECORDED, find, recorded_verdicts
from rrcore.research.papers.running import (
    ADULT_COLUMNS,
    Result,
    Verdict,
    judge,
    read_adult,
    read_adult_file,
    rows_of,
    run,
    run_all,
)
