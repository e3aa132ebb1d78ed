"""Mechanisms: ways to randomise records that keep given levels."""

from rrcore.mechanisms.base import PROVED, Mechanism
from rrcore.mechanisms.closed_form import ClosedForm
from rrcore.mechanisms.joint import Joint
from rrcore.mechanisms.kronecker import Kronecker
from rrcore.mechanisms.optimal import Optimal, dual_bound
from rrcore.mechanisms.programme import Floor
from rrcore.mechanisms.recipes import MECHANISMS, Recipe, Safeguards, build, safeguarded

__all__ = [
    "MECHANISMS",
    "PROVED",
    "ClosedForm",
    "Floor",
    "Joint",
    "Kronecker",
    "Mechanism",
    "Optimal",
    "Recipe",
    "Safeguards",
    "build",
    "dual_bound",
    "safeguarded",
]
