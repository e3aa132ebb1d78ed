"""All checks of a program that randomises, whatever it claims: its runs against the integers of a mechanism file."""

from collections.abc import Sequence

import numpy as np

from rrcore.arrays import Codes
from rrcore.audit.all_records import check_records
from rrcore.audit.attacks import check_runs
from rrcore.audit.check import CHECKS, Check
from rrcore.audit.claims import Claim
from rrcore.audit.expected import Expected
from rrcore.audit.learned import PAIRS, Learned, choose_records, learn_levels, learn_pairs, learned_sentence
from rrcore.audit.lies import check_lies, check_people, check_replacements
from rrcore.audit.sequence import check_sequence, check_starts
from rrcore.audit.shared_lies import check_shared
from rrcore.audit.single_records import check_alone
from rrcore.audit.trials import Coverage, Randomiser, Record, try_records
from rrcore.errors import check_number
from rrcore.estimate.uncertainty import check_confidence
from rrcore.limits import AUDIT_CONFIDENCE
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.work import Report, part, quiet

STARTS = 200
"""Short calls of a mechanism that runs here; starting another program takes longer, so it is started ``COMMAND_STARTS`` times."""

COMMAND_STARTS = 24
"""Times that another program is started for a few records each."""

_PER_RECORD = 10  # releases of single records, in runs
_PER_PAIR = 8  # an eighth of the runs goes to each record that is told apart from others
_MOST_PER_PAIR = 100_000


def check_sampler(
    randomise: Randomiser,
    file: MechanismFile,
    runs: int,
    *,
    table: Codes | None = None,
    starts: int = STARTS,
    pairs: int = PAIRS,
    confidence: float = AUDIT_CONFIDENCE,
    rng: np.random.Generator,
    report: Report = quiet,
) -> tuple[tuple[Check, ...], Coverage, tuple[Learned, ...]]:
    """Hold runs of ``randomise`` against what ``file`` says, without believing that it is what runs.

    Parameters
    ----------
    randomise : Randomiser
    runs : int, releases of random records; a tenth as many records are tried one by one where there are too many to try all
    table : records that are tried one by one before others, shape (m, k)
    starts : number of short calls; there are up to some nine times as many with one, two or three records, see ``plan_calls``
    pairs : most pairs of records that are told apart
    confidence : an honest mechanism passes all checks with this probability at least
    rng : draws the true records

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.audit.sampler import check_sampler
    >>> from rrcore.audit.attacks import exact_sampler
    >>> from rrcore.answers import nigeria
    >>> file = nigeria().mechanism
    >>> checks, coverage, _ = check_sampler(exact_sampler(file), file, 2000, rng=np.random.default_rng(0))
    >>> coverage.sentence()
    'Every one of the 2 possible records was tried, 400 times each.'
    """
    check_confidence(confidence)
    check_runs(runs)
    check_number("The number of pairs", pairs, 1, whole=True)
    expected, claim = Expected(file), Claim.of_file(file)
    alpha = (1 - confidence) / len(CHECKS)
    report(0.0, "Releasing random records and extreme ones")
    extremes = extreme_records(claim)
    trials = try_records(randomise, expected, extremes, runs, rng=rng)
    report(0.15, "Holding lies against the mechanism file")
    lies = check_lies(trials, expected, alpha=alpha, rng=rng)
    people = check_people(trials, expected, alpha=alpha)
    replacements = check_replacements(trials, expected, alpha=alpha)
    sequence = check_sequence(trials, expected, alpha=alpha)
    shared = check_shared(trials, expected, alpha=alpha)
    report(0.3, "Starting again and again")
    again = check_starts(randomise, expected, starts, alpha=alpha, rng=rng)
    alone = check_alone(randomise, trials, expected, starts, alpha=alpha, rng=rng)
    report(0.4, "Trying records one by one")
    single, coverage = check_records(randomise, expected, _PER_RECORD * runs, alpha=alpha, table=table, rng=rng)
    records = choose_records(extremes, file.sizes, claim.leakage, claim.total, pairs=pairs, rng=rng)
    each, half = min(_MOST_PER_PAIR, max(8, runs // _PER_PAIR)), 1 - alpha / 2
    sizes = expected.report_sizes
    levels = learn_levels(trials.true, trials.released, file.sizes, claim.levels, confidence=half, report_sizes=sizes)
    rest = part(report, 1, 2)
    learned = *levels, *learn_pairs(randomise, sizes, *records, each, confidence=half, rng=rng, report=rest)
    caught = any(one.contradicted for one in learned)
    last = Check(
        "learned", len(learned), float(not caught), alpha, learned_sentence(learned, expected.names, expected.categories)
    )
    return (lies, people, replacements, sequence, shared, again, alone, single, last), coverage, learned


def extreme_records(claim: Claim) -> tuple[Record, ...]:
    """Records with nothing but first, and nothing but last categories, and those by which the promises are tested."""
    tested: Sequence[Record] = [record for promise in claim.promises() for record in promise.records]
    last = tuple(size - 1 for size in claim.sizes)
    return tuple(dict.fromkeys([(0,) * claim.k, last, *(tuple(map(int, record)) for record in tested)]))
