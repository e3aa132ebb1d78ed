"""Tables of categorical answers: their schema, their codes, and how they are read, described, recoded, invented and counted."""

from rrcore.table.dataset import Counts, Dataset, cell_numbers, check_cells, count_cells, pairs
from rrcore.table.demo import DEMOS, INVENTED, Demo, invented_answers, load_demo
from rrcore.table.describe import Advice, advise, describe
from rrcore.table.opening import OpenFile, open_file, read_text_table
from rrcore.table.read import InspectedFile, inspect_file, read_file, read_table
from rrcore.table.reading.encoding import UncertainEncodingError
from rrcore.table.reading.guess import Proposed, guess_last_rows, guess_options
from rrcore.table.reading.options import ReadOptions
from rrcore.table.recoding import (
    AS_GIVEN,
    MISSING,
    OTHER,
    ColumnRule,
    ValueCounts,
    Values,
    as_table,
    rare_categories,
    recode,
    recode_column,
    recode_in_groups,
    recodes_as_identifier,
    rule_disclosure,
    rule_learned_names,
    rules_for_plan,
)
from rrcore.table.schema import Attribute, Kind, Schema
from rrcore.table.source import UnevenRowsError
from rrcore.table.text_table import TextColumn, TextTable, to_numbers
