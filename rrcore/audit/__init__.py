"""Does a mechanism keep its promise? What an observer can learn, checks by enumeration, and attempts to break it by running it.

``rr.audit(file)`` is ``rr.audit_file(file)``: the room of this name can be called.
"""

import sys
from types import ModuleType
from typing import Any

from rrcore.audit.attacks import Bound, attack, exact_sampler, rounded_attack
from rrcore.audit.audit import Audit, audit_file
from rrcore.audit.certainty import BANDS, KNOWS, Certainty, Knows, certainty_assumed, certainty_in_table, rounded_certainty
from rrcore.audit.cheats import CHEATS, Cheat
from rrcore.audit.check import CHECKS, COLLECTED, Check
from rrcore.audit.claims import Claim, Promise
from rrcore.audit.command import command_sampler
from rrcore.audit.enumeration import Difference, Enumeration, enumerate_file, enumerate_mechanism
from rrcore.audit.guessers import SIGHTS, Guesser
from rrcore.audit.learned import Learned
from rrcore.audit.observer import Observer, observe, observer_prior
from rrcore.audit.risk import OBSERVERS, SURE, People, Risk, WithinRisk, levels_within_risk, risk_of, risk_of_thousand
from rrcore.audit.sampler import COMMAND_STARTS, STARTS, check_sampler
from rrcore.audit.trials import Coverage, Randomiser, Record
from rrcore.audit.verdict import Verdict


class _Audit(ModuleType):
    """This module, which can be called."""

    def __call__(self, *given: Any, **more: Any) -> Audit:
        return audit_file(*given, **more)


sys.modules[__name__].__class__ = _Audit
