"""Does a mechanism keep its promise? What an observer can learn, checks by enumeration, and attempts to break it by running it.

``rr.audit(file)`` is ``rr.audit_file(file)``: the room of this name can be called.
"""

import sys
from types import ModuleType
from typing import Any

from rrcore.audit.bounds import reach, runs_to_catch, shown
from rrcore.audit.broken import broken, runs_to_catch_excess
from rrcore.audit.certainty import BANDS, KNOWS, Certainty, Knows, certainty_assumed, certainty_in_table, rounded
from rrcore.audit.cheats import CHEATS, Cheat
from rrcore.audit.check import CHECKS, COLLECTED, Check
from rrcore.audit.checks import COMMAND_STARTS, STARTS, check_sampler
from rrcore.audit.claims import Claim, Promise
from rrcore.audit.empirical import Bound, attack, check_runs, exact_sampler, rounded_down, simulated
from rrcore.audit.enumeration import Difference, Enumeration, check_enumerable, enumerate_file, enumerate_mechanism
from rrcore.audit.external import command_sampler
from rrcore.audit.guessers import SIGHTS, Guesser, guess
from rrcore.audit.learned import Learned
from rrcore.audit.observer import Observer, commonest_prior, observe
from rrcore.audit.risk import OBSERVERS, SURE, People, Risk, WithinRisk, levels_within, of_thousand, risk_of
from rrcore.audit.trials import Coverage, Randomiser, Record
from rrcore.audit.verdict import Verdict
from rrcore.audit.whole import Audit, audit_file
from rrcore.errors import moved

__getattr__ = moved(__name__, "answers")  # what checks collected answers


class _Audit(ModuleType):
    """This module, which can be called."""

    def __call__(self, *given: Any, **more: Any) -> Audit:
        return audit_file(*given, **more)


sys.modules[__name__].__class__ = _Audit
