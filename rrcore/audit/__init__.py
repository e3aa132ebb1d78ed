"""Does a mechanism keep its promise? What an observer can learn, checks by enumeration, and attempts to break it by running it."""

from rrcore.audit.bounds import reach, runs_to_catch, shown
from rrcore.audit.broken import broken, runs_to_catch_excess
from rrcore.audit.claims import Claim, Promise
from rrcore.audit.empirical import Bound, Randomiser, attack, check_runs, exact_sampler, rounded_down, simulated, tell_apart
from rrcore.audit.enumeration import Difference, Enumeration, check_enumerable, enumerate_file, enumerate_mechanism
from rrcore.audit.guessers import SIGHTS, Guesser, guess
from rrcore.audit.observer import Observer, commonest_prior, observe
from rrcore.audit.whole import Audit, audit_file
