"""Tables of categorical answers: schemas, codes, reading, recoding and counting."""

from rrcore.table.dataset import Counts, Dataset
from rrcore.table.demo import DEMOS, INVENTED, load_demo
from rrcore.table.opening import given_table, read_file, read_table, read_text_table
from rrcore.table.reading.options import ReadOptions
from rrcore.table.recoding import MISSING, OTHER, ColumnRule, advise, as_table, recode
from rrcore.table.schema import Attribute, Schema
from rrcore.table.text_table import TextColumn, TextTable
