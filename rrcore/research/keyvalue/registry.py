"""The protocols by the names files and the command line use."""

from collections.abc import Callable

from rrcore.errors import InputError
from rrcore.research.keyvalue.privkvm import PrivKVM
from rrcore.research.keyvalue.protocol import Protocol
from rrcore.research.keyvalue.protocols import F2M, KVOH, KVUE, PrivKV, PrivKVA

PROTOCOLS: dict[str, tuple[str, Callable[..., Protocol]]] = {
    "privkv": ("PrivKV", PrivKV),
    "privkv-a": ("PrivKV-A (unbiased counts)", PrivKVA),
    "privkvm": ("PrivKVM", PrivKVM),
    "f2m": ("F2M", F2M),
    "kvue": ("KVUE", KVUE),
    "kvoh": ("KVOH", KVOH),
}
"""Key -> name on a page, and what makes it: ``make(eps, **options)``."""

PROTOCOL_OPTIONS: dict[str, tuple[str, ...]] = {
    "privkv": ("split",),
    "privkv-a": ("split",),
    "privkvm": ("split", "rounds"),
    "f2m": ("split", "default"),
}
"""Key -> the options that the protocol has, of those without any: nothing."""


def make_protocol(key: str, eps: float, *, split: float = 0.5, rounds: int = 10, default: float = 1.0) -> Protocol:
    """The protocol called ``key`` with the options that it has.

    Parameters
    ----------
    split : share of eps for the key (PrivKV, PrivKV-A, PrivKVM, F2M)
    rounds : of PrivKVM
    default : of F2M
    """
    if not 0 < split < 1:
        raise InputError(f"The share of the level for the key is {split:g}: give a number between 0 and 1, for example 0.5.")
    options = {"split": split, "rounds": rounds, "default": default}
    return PROTOCOLS[key][1](eps, **{name: options[name] for name in PROTOCOL_OPTIONS.get(key, ())})
