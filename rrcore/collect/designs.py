"""Until 0.2 a part of ``collect``: now ``rrcore.designs``."""

from rrcore.errors import moved

__getattr__ = moved(__name__, "designs")
