"""Key-Value: what needs no data: the level of PrivKV (section II-C), bits (Table IV), which means are consistent (sections III and VI-A)."""

from rrcore.research.keyvalue import make_protocol
from rrcore.research.papers.bibliography import KEYVALUE
from rrcore.research.papers.checks import close, near, under_printed
from rrcore.research.papers.entry import Axis, Curves, PaperCheck, PaperEntry, Series, Setting, series
from rrcore.research.papers.keyvalue_errors import NAMES

_LEVELS, _KEYS = (0.5, 1.0, 2.0, 5.0), (4, 100, 1_000)
_FREQUENCY, _MEAN = 0.4, 0.5  # any will do
_EXACT = 1e-9  # estimators whose limits are closer than this to the truth are called consistent
_TABLE_4 = ("privkv", "f2m", "kvue", "kvoh")


def levels(setting: Setting) -> list[Series]:
    """The level that the channel of PrivKV has, half of it for the key and half for the value."""
    return series(_LEVELS, {"PrivKV": [make_protocol("privkv", eps).exact_level for eps in _LEVELS]})


def bits(setting: Setting) -> list[Series]:
    """Bits that a user has to send: the number of the key and the output."""
    return series(_KEYS, {NAMES[key]: [make_protocol(key, 1.0).bits(d) for d in _KEYS] for key in _TABLE_4})


def expected(setting: Setting) -> list[Series]:
    """The limits of the estimates of a mean of 0.5 and a frequency of 0.4 as the sample size grows, by epsilon."""
    found: dict[tuple[str, str], tuple[float, ...]] = {}
    for key, name in NAMES.items():
        frequency, mean = zip(*(make_protocol(key, eps).expected(_FREQUENCY, _MEAN) for eps in _LEVELS), strict=True)
        found |= {(name, "mean"): mean, (name, "frequency"): frequency}
    return series(_LEVELS, found)


def _privkvm(curves: Curves, published: Curves) -> tuple[bool, str]:
    misses = {name: max(abs(mean - _MEAN) for mean in curves.get(name, "mean").y) for name in NAMES.values()}
    consistent = ", ".join(name for name, miss in misses.items() if miss <= _EXACT)
    text = f"its limit is off by up to {misses['PrivKVM']:.2g}; consistent, but as ratios biased in finite samples: {consistent}"
    return misses["PrivKVM"] <= _EXACT, text


_IV = "Table IV, as printed"

ENTRIES = (
    PaperEntry(
        *KEYVALUE.at("section-2c", "Section II-C", "The level of PrivKV"),
        claim="PrivKV with epsilon_1 for the key and epsilon_2 for the value spends their sum; here half each.",
        axes=(Axis("epsilon_1 + epsilon_2", "nats"), Axis("level of the channel", "nats")),
        published=(Series("PrivKV", _LEVELS, _LEVELS, source="section II-C: epsilon_1 + epsilon_2"),),
        measure=levels,
        checks=(
            under_printed("the level is at most the sum", ("PrivKV",)),
            near("the level is the sum, to 1 %", relative=0.01),
        ),
    ),
    PaperEntry(
        *KEYVALUE.at("table-4", "Table IV", "Bits that a user sends about one key"),
        claim="PrivKV and KVUE send log2(3 |K|) bits, F2M 2 log2 |K|, KVOH 3 log2 |K|.",
        axes=(Axis("keys", log=True), Axis("communication", "bits")),
        published=tuple(
            Series(NAMES[key], _KEYS, tuple(make_protocol(key, 1.0).published_bits(d) for d in _KEYS), source=_IV)
            for key in _TABLE_4
        ),
        measure=bits,
        checks=tuple(close(f"{NAMES[key]} sends what is printed, to 1 %", (NAMES[key],), factor=1.01) for key in _TABLE_4),
    ),
    PaperEntry(
        *KEYVALUE.at("section-6a-bias", "Sections III and VI-A", "Which estimates are consistent"),
        claim="The counts of PrivKV-A are unbiased (Theorem 2); among the six mechanisms PrivKVM is the only one that outputs an "
        "unbiased mean.",
        axes=(Axis("level", "nats"), Axis("limit of the estimate")),
        published=(
            Series("PrivKV-A", _LEVELS, (_MEAN,) * len(_LEVELS), "mean", "Theorem 2: the true mean, 0.5"),
            Series("PrivKVM", _LEVELS, (_MEAN,) * len(_LEVELS), "mean", "section VI-A: the true mean, 0.5"),
            Series("PrivKV-A", _LEVELS, (_FREQUENCY,) * len(_LEVELS), "frequency", "Theorem 2: the true frequency, 0.4"),
        ),
        measure=expected,
        checks=(
            near("the estimates of PrivKV-A converge to the truth", absolute=_EXACT, names=("PrivKV-A",)),
            PaperCheck("PrivKVM's mean is unbiased, in the limit too", _privkvm),
        ),
    ),
)
"""Section II-C, Table IV and what the text says about bias."""
