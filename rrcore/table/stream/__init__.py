"""Tables of any size, read in batches: Parquet, CSV, gzipped CSV, or folders of them, with bounded memory."""

from rrcore.table.stream.coder import Coder, coder
from rrcore.table.stream.counting import count
from rrcore.table.stream.opening import Stream, is_table, open_stream
from rrcore.table.stream.piece import Batch, Piece
from rrcore.table.stream.sampling import sample_stream
from rrcore.table.stream.size import read_in_batches
from rrcore.table.stream.surveying import Survey, survey
