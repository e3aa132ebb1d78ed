"""Until 0.2 a part of ``collect``: now ``rrcore.receiver``."""

from rrcore.errors import moved

__getattr__ = moved(__name__, "receiver")
