"""Until 0.2 a room: now ``rrcore.research.lopub``."""

from rrcore.errors import moved

__getattr__ = moved(__name__, "research.lopub")
