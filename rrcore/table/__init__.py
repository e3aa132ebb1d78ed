"""Tables of categorical answers: their schema, their codes, and how they are read, described, recoded, invented and counted."""

from rrcore.table.advice import Advice, advise, groups_note
from rrcore.table.codebook import apply_codebook, apply_labels, read_codebook
from rrcore.table.contingency import cell_numbers, check_cells, count_cells
from rrcore.table.counts import Counts, pairs
from rrcore.table.dataset import Dataset
from rrcore.table.demo import CENSUS_CORRELATION, CENSUS_SHARES, DEMOS, Demo, load_demo
from rrcore.table.describe import ColumnSummary, ColumnWarning, describe, overview
from rrcore.table.impossible import Impossible, merged
from rrcore.table.invented import INVENTED, TOLERANCE, Invention, invented_answers, make_table
from rrcore.table.opening import as_asked, first_rules, read_file, read_table, recode_some
from rrcore.table.proposals import Proposal, propose_impossible
from rrcore.table.reading import (
    Layout,
    MixedEncodingError,
    OpenFile,
    TextColumn,
    TextTable,
    UnevenRowsError,
    open_file,
    read_text_table,
    to_numbers,
)
from rrcore.table.reading.exports import Export
from rrcore.table.reading.guess import Guess, guess_layout, last_rows
from rrcore.table.recoding import (
    as_table,
    default_rule,
    grouped,
    is_identifier,
    is_numeric,
    parse_numbers,
    recode,
    recode_column,
    recoding,
)
from rrcore.table.rule import AS_GIVEN, MISSING, OTHER, Binning, ColumnRule, gives_away, learned_names
from rrcore.table.scale import interval_names, rounded_edges
from rrcore.table.schema import Attribute, Kind, Schema
from rrcore.table.typed import declared_rules, lone_answers, one_valued, read_questions, write_question, write_questions
from rrcore.table.values import ValueCounts, Values
