"""Until 0.2 one room: now ``promise``, ``asking``, ``answers``, ``designs`` and ``receiver``."""

from rrcore.errors import moved

__getattr__ = moved(__name__, "promise", "asking", "answers", "designs")
