"""Does a mechanism file, a program that follows it, or a set of randomized answers keep its claimed epsilons?"""

from rrcore.audit.answers import AnswersAudit, check_answers
from rrcore.audit.attack import Attack
from rrcore.audit.audit import Audit, audit_file
from rrcore.audit.frequencies import Check
from rrcore.audit.program import program_sampler
