"""Until 0.2 a room: now ``rrcore.research.papers``."""

from rrcore.errors import moved

__getattr__ = moved(__name__, "research.papers")
