"""Key-value data under local differential privacy (Key-Value paper): frequencies, means, and conditional questions."""

from rrcore.research.keyvalue.conditional import (
    IOH,
    WAYS,
    Answer,
    Collection,
    ConditionalQuestion,
    collect_every_way,
    collect_states,
    index_of,
    true_answer,
)
from rrcore.research.keyvalue.data import SHAPES, KeyValueData, invented, read_long, read_wide
from rrcore.research.keyvalue.privkvm import PrivKVM
from rrcore.research.keyvalue.protocol import KeyEstimates, Protocol, sample_states
from rrcore.research.keyvalue.protocols import F2M, KVOH, KVUE, PrivKV, PrivKVA
from rrcore.research.keyvalue.registry import PROTOCOL_OPTIONS, PROTOCOLS, make_protocol
from rrcore.research.keyvalue.study import (
    CASES,
    Errors,
    TypicalKey,
    bias_sentence,
    case_curves,
    error_curve,
    lowest,
    typical_key,
    verdict,
)
