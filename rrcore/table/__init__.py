"""Tables of categorical answers: their schema, their codes, and how they are read, described, recoded, invented and counted."""

from rrcore.table.advice import Advice, advise, grouping_advice
from rrcore.table.cells import cell_numbers, check_cells, count_cells
from rrcore.table.codebook import apply_codebook, read_codebook
from rrcore.table.counts import Counts, pairs
from rrcore.table.dataset import Dataset
from rrcore.table.demo import CENSUS_CORRELATION, CENSUS_SHARES, DEMOS, Demo, load_demo
from rrcore.table.describe import ColumnSummary, ColumnWarning, describe, describe_size
from rrcore.table.impossible import Impossible, merged_impossible
from rrcore.table.invented import INVENTED, TOLERANCE, Invention, invented_answers, make_table
from rrcore.table.proposals import Proposal, propose_impossible
from rrcore.table.questions import (
    one_valued_questions,
    question_rules,
    read_questions,
    unfinished_questions,
    write_question,
    write_questions,
)
from rrcore.table.read import read_as_export, read_columns, read_file, read_table
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
from rrcore.table.reading.guess import Guess, guess_last_rows, guess_layout
from rrcore.table.reading.inspecting import InspectedFile, Undecided, inspect_upload, read_upload
from rrcore.table.recoding import (
    as_table,
    rare_categories,
    recode,
    recode_column,
    recode_in_groups,
    recodes_as_identifier,
    recodes_as_numbers,
    rules_for_plan,
)
from rrcore.table.rule import AS_GIVEN, MISSING, OTHER, Binning, ColumnRule, rule_disclosure, rule_learned_names
from rrcore.table.schema import Attribute, Kind, Schema
from rrcore.table.values import ValueCounts, Values
