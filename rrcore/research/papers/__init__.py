"""What five papers print, as data, beside functions that measure the same here, and what decides whether the two agree."""

from rrcore.research.papers.bibliography import PAPERS
from rrcore.research.papers.chi_square import EXAMPLE_PEERS, chi_square_example
from rrcore.research.papers.entry import PaperEntry, Series
from rrcore.research.papers.markdown import document
from rrcore.research.papers.registry import ENTRIES, find, recorded_verdicts
from rrcore.research.papers.running import Result, Verdict, read_adult, read_adult_file, rows_of, run, run_all
