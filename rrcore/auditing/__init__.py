"""Test whether a mechanism file, a sampler, or randomized answers keep their ε."""

from rrcore.auditing.answers import AnswersAudit, check_answers
from rrcore.auditing.attack import Attack
from rrcore.auditing.checks import Audit, audit
from rrcore.auditing.frequencies import Check
from rrcore.auditing.program import program_sampler
