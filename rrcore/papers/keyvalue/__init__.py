"""Key-value data under local differential privacy (Key-Value paper).

The methods estimate frequencies and means and answer conditional questions.
"""

from rrcore.papers.keyvalue.conditional import (
    IOH,
    WAYS,
    Answer,
    Collection,
    ConditionalQuestion,
    collect_every_way,
    collect_states,
    true_answer,
)
from rrcore.papers.keyvalue.data import KeyValueData, invented, read_long
from rrcore.papers.keyvalue.protocols import PROTOCOLS, KeyEstimates, Protocol, make_protocol
from rrcore.papers.keyvalue.study import Errors, error_curve, largest_bias, lowest, repeat_errors, usual_margins
