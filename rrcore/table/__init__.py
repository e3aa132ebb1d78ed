"""Tables of categorical answers: their schema, their codes, and how they are read, described, recoded, invented and counted."""

from rrcore.table.contingency import cell_numbers, check_cells, contingency, count_cells
from rrcore.table.dataset import Dataset, spreadsheet_safe
from rrcore.table.demo import CENSUS_CORRELATION, CENSUS_SHARES, DEMOS, Demo, load_demo
from rrcore.table.describe import ColumnSummary, ColumnWarning, describe
from rrcore.table.invented import TOLERANCE, Invention, make_table
from rrcore.table.opening import read_table, recode_some
from rrcore.table.reading import TextColumn, TextTable, read_text_table, to_numbers
from rrcore.table.recoding import (
    MISSING,
    OTHER,
    Binning,
    ColumnRule,
    as_table,
    default_rule,
    is_identifier,
    is_numeric,
    parse_numbers,
    recode,
    recode_column,
)
from rrcore.table.schema import Attribute, Kind, Schema
from rrcore.table.standin import INVENTED, invented_answers
