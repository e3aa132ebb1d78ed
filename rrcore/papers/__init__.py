"""Published tables as data, each beside the function that measures the same thing here."""

from rrcore.papers.chi_square import (
    BUILDERS,
    CELLS,
    PUBLISHED_DIFFERENCES,
    Builder,
    ChiSquareErrors,
    chi_square,
    chi_square_errors,
    published_peers,
)
from rrcore.papers.findings import FINDINGS, Finding
from rrcore.papers.keyvalue import KEYVALUE_FINDINGS
