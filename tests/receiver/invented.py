"""A survey that nobody answered, to test what is made of one."""

import datetime as dt

import numpy as np

from rrcore.answers import Answers
from rrcore.budget import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.receiver.monitoring import SurveySoFar
from rrcore.table import INVENTED, Attribute, Dataset, Schema, TextColumn

_DAY = dt.timedelta(1)


def invented_survey(today: dt.date, *, rng: np.random.Generator, days: int = 19) -> SurveySoFar:
    """A survey that nobody answered, to try the looks of one: two questions, ``days`` full days of some 45 answers and part of today.

    Parameters
    ----------
    today : its last day
    rng : numpy.random.Generator that draws numbers of answers, true answers and lies
    """
    schema = Schema((Attribute("violence", ("no", "yes")), Attribute("sought help", ("no", "from family", "from a service"))))
    mechanism = build("preserving-2", schema.sizes, (2.0, 1.5))
    numbers = rng.negative_binomial(12, 12 / (12 + 45), size=days + 1)
    numbers[-1] = numbers[-1] // 2
    opened = numbers + rng.binomial(numbers, 0.11)
    true = rng.choice(6, size=numbers.sum(), p=[0.70, 0.03, 0.01, 0.15, 0.07, 0.04])
    codes = mechanism.sample(np.column_stack(np.unravel_index(true, schema.sizes)).astype(np.int32), rng=rng)
    dates = [today - (days - i) * _DAY for i in range(days + 1)]
    column = TextColumn("day", np.repeat(np.arange(days + 1, dtype=np.int32), numbers), tuple(day.isoformat() for day in dates))
    file = MechanismFile(schema, integer_groups(mechanism))
    by_day, begun = (dict(zip(dates, each.tolist(), strict=True)) for each in (numbers, opened))
    questions = {"violence": "Has anybody in your home hurt you in the last twelve months?", "sought help": "Did you seek help?"}
    return SurveySoFar(
        INVENTED, file, questions, by_day, begun, Answers.of(Dataset(schema, codes, INVENTED), file, [column]), None
    )
