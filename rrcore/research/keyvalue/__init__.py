"""Key-value data under local differential privacy (Key-Value paper): frequencies, means, and conditional questions."""

from rrcore.research.keyvalue.conditional import (
    IOH,
    WAYS,
    Answer,
    Collection,
    ConditionalQuestion,
    collect_every_way,
    collect_states,
    true_answer,
)
from rrcore.research.keyvalue.data import SHAPES, KeyValueData, invented, read_long, read_wide
from rrcore.research.keyvalue.protocol import KeyEstimates, Protocol
from rrcore.research.keyvalue.registry import PROTOCOL_OPTIONS, PROTOCOLS, make_protocol
from rrcore.research.keyvalue.study import CASES, Errors, bias_sentence, case_curves, error_curve, lowest, typical_key, verdict
