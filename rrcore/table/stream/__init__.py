"""Tables of any size, read in batches: Parquet, CSV, gzipped CSV, or folders of them, with bounded memory."""

from rrcore.table.reading.piece import Batch, Piece
from rrcore.table.stream.coded import Coded, CodedTable, sample
from rrcore.table.stream.coder import Coder, coder
from rrcore.table.stream.counting import count
from rrcore.table.stream.opening import Stream, open_stream, read_in_batches
from rrcore.table.stream.surveying import Survey, survey
