"""Key-value data under local differential privacy (Key-Value paper): frequencies, means, and conditional questions."""

from rrcore.keyvalue.conditional import WAYS, Answer, Collection, ConditionalQuestion, collect_states, true_answer
from rrcore.keyvalue.data import SHAPES, KeyValueData, invented, read_long, read_wide
from rrcore.keyvalue.f2m import F2M
from rrcore.keyvalue.ioh import IOH, index_of
from rrcore.keyvalue.kvoh import KVOH
from rrcore.keyvalue.kvue import KVUE
from rrcore.keyvalue.privkv import PrivKV, PrivKVA
from rrcore.keyvalue.privkvm import PrivKVM
from rrcore.keyvalue.protocol import KeyEstimates, Protocol, sample_states
from rrcore.keyvalue.registry import PROTOCOLS, make_protocol
from rrcore.keyvalue.study import CASES, Errors, TypicalKey, case_curves, error_curve, lowest, typical_key
from rrcore.keyvalue.verdict import verdict
