"""The sample behind collected answers: which columns of their files say how people were drawn, and what is known of the population."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rrcore.answers.answers import Answers
from rrcore.answers.columns import KnownTotals, SampleColumns, lacking_column
from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate import Estimate
from rrcore.estimate.sample import Sample
from rrcore.table.opening import read_text_table
from rrcore.table.text_table import TextColumn, to_numbers
from rrcore.wording import counted

TOTAL = "total"
"""Last column of a file of population sizes."""


def read_totals(content: bytes, name: str) -> KnownTotals:
    """Totals from a table: one column for each column of the answers, and a last one called "total".

    Raises InputError for another table, a total that is no number of 0 or more, or a row that is there twice.

    Examples
    --------
    >>> read_totals(b"sex,total\\nf,510\\nm,490\\n", "sex.csv").totals
    (510.0, 490.0)
    """
    table = read_text_table(content, name)
    if not table.names or table.names[-1] != TOTAL or len(table.names) > 2:
        raise InputError(
            f"The file '{name}' has the columns {', '.join(table.names[:6])}: give the column of the strata and a last "
            f"one called '{TOTAL}'."
        )
    *keys, last = table.columns
    numbers = to_numbers(last.values)
    if numbers is None or (last.codes < 0).any() or (numbers < 0).any():
        raise InputError(f"A total in '{name}' is not a number of 0 or more: write people or shares, such as 510 or 0.51.")
    gone = next((column.name for column in keys if (column.codes < 0).any()), None)
    if gone is not None:
        raise InputError(f"A value of '{gone}' in '{name}' is missing: give one in every row.")
    rows = tuple(zip(*([column.values[code] for code in column.codes] for column in keys), strict=True)) if keys else ((),)
    if len(set(rows)) < table.n:
        raise InputError(
            f"The file '{name}' has two totals for the same {' and '.join(c.name for c in keys) or 'sample'}: give one."
        )
    return KnownTotals(tuple(column.name for column in keys), rows, tuple(numbers[last.codes].tolist()))


def with_sample(answers: Answers, columns: SampleColumns) -> Answers:
    """The answers with the sample that ``columns`` describe; where they are counted, by these columns.

    Raises
    ------
    InputError
        Where a column is not there or lacks values, a weight is no number, or the sample cannot be, as in ``Sample``.

    Examples
    --------
    >>> from rrcore.promise import MechanismFile
    >>> from rrcore.answers import read_answers
    >>> from rrcore.designs import read_design
    >>> from rrcore.table import Attribute, Schema
    >>> schema = Schema((Attribute("smokes", ("no", "yes")),))
    >>> file = MechanismFile(schema, (((0,), read_design("smokes", "warner", 2, "3/4")),))
    >>> answers = read_answers([(b"smokes,ward,weight\\nno,a,5\\nno,a,5\\nyes,b,2\\nno,b,2\\n", "a.csv")], file)
    >>> with_sample(answers, SampleColumns(weights="weight", strata="ward")).sample.words()
    'weighted, 2 strata'
    """
    if not answers.takes(columns):
        raise InputError(f"'{answers.title}' was not counted by the columns of this sample: count it again by these.")
    further = tuple(_sampled(block, columns) for block in answers.further)
    return replace(_sampled(answers, columns), further=further)


def _sampled(answers: Answers, columns: SampleColumns) -> Answers:
    """Rows with their sample, whether they are people or kinds of people."""
    if columns.simple:
        return replace(answers, sample=None, columns=columns)
    file = _Columns(answers)
    weights, squares = file.weights(columns.weights)
    strata, names = file.codes(columns.strata, "strata") if columns.strata else (None, ())
    clusters = file.codes(columns.clusters, "clusters")[0] if columns.clusters else None
    sizes = None if columns.populations is None else _sizes(columns.populations, columns.strata, names)
    sample = Sample(weights, strata, clusters, sizes, columns.lonely, names, times=file.times, squares=squares)
    return replace(answers, sample=sample, columns=columns)


def sampling_columns(answers: Answers) -> list[str]:
    """Names of the columns that were not randomised and hold different numbers only, as far as is known: what weights can be."""
    if answers.held is None:
        return list(answers.beside)
    columns = (column for column in answers.groupings if len(column.values) > 1)
    return [column.name for column in columns if to_numbers(column.values) is not None]


class _Columns:
    """The columns that were not randomised."""

    def __init__(self, answers: Answers) -> None:
        self.columns = {column.name: column for column in answers.groupings}
        self.n, self.crowd, self.times = answers.rows, answers.crowd, answers.times

    def weights(self, name: str) -> tuple[Floats, Floats | None]:
        """The weight of every row, 1 for everybody without a column, and where rows are several people the sum of its squares."""
        if self.crowd is not None and name and name == self.crowd.weights:
            assert self.crowd.sums is not None, "a column of weights is summed"
            assert self.crowd.squares is not None, "with its squares"
            return self.crowd.sums, self.crowd.squares
        each = self.numbers(name) if name else np.ones(self.n)
        return (each, None) if self.times is None else (each * self.times, each**2 * self.times)

    def column(self, name: str, what: str) -> TextColumn:
        """The column ``name``, of which no value is missing."""
        if name not in self.columns:
            known = ", ".join(f"'{each}'" for each in list(self.columns)[:12]) or "none"
            raise InputError(f"There is no column '{name}' for the {what}: columns that were not randomised are {known}.")
        column = self.columns[name]
        if column.missing:
            gone = column.codes < 0
            raise lacking_column(name, what, int(gone.sum() if self.times is None else self.times[gone].sum()))
        return column

    def numbers(self, name: str) -> Floats:
        """A column of numbers."""
        column = self.column(name, "weights")
        numbers = to_numbers(column.values)
        if numbers is None:
            raise InputError(f"The column '{name}' of the weights holds values that are not numbers: choose another column.")
        return np.asarray(numbers[column.codes])

    def codes(self, name: str, what: str) -> tuple[Integers, tuple[str, ...]]:
        """A column of categories: codes of those that occur, and their names."""
        column = self.column(name, what)
        live, codes = np.unique(column.codes, return_inverse=True)
        return codes.astype(np.int64), tuple(column.values[code] for code in live.tolist())


def _sizes(known: KnownTotals, strata: str, names: Sequence[str]) -> Floats:
    """Population sizes in the order of the strata."""
    if known.columns != ((strata,) if strata else ()):
        given, needed = (
            ", ".join(known.columns) or "no column",
            f"the column '{strata}'" if strata else "no column beside the total",
        )
        raise InputError(f"The population sizes are by {given}, and the strata ask for {needed}: give one size for each stratum.")
    if not strata:
        return np.array(known.totals)
    sizes = {row[0]: total for row, total in zip(known.rows, known.totals, strict=True)}
    gone = next((name for name in names if name not in sizes), None)
    if gone is not None:
        raise InputError(f"There is no population size for the stratum '{gone}': give one for each stratum of the answers.")
    return np.array([sizes[name] for name in names])


def about_sample(answers: Answers, estimate: Estimate) -> list[str]:
    """What a reader should know of how people were drawn and of answers that are missing, in sentences; none for a simple random sample.

    Examples
    --------
    >>> from rrcore.promise import MechanismFile
    >>> from rrcore.answers import read_answers
    >>> from rrcore.designs import read_design
    >>> from rrcore.table import Attribute, Schema
    >>> schema = Schema((Attribute("smokes", ("no", "yes")),))
    >>> file = MechanismFile(schema, (((0,), read_design("smokes", "warner", 2, "3/4")),))
    >>> rows = b"smokes,weight\\n" + b"no,1\\nno,3\\nyes,1\\nyes,3\\n" * 25
    >>> answers = with_sample(read_answers([(rows, "a.csv")], file), SampleColumns(weights="weight"))
    >>> print(*about_sample(answers, answers.estimate(["smokes"])))
    The sample: weighted. It tells as much as 80 people drawn at random, since its design multiplies the variance of the shares of \
smokes by 1.25.
    """
    texts = []
    if answers.sample is not None:
        effect = estimate.design_effect
        texts.append(
            f"The sample: {answers.sample.words()}. It tells as much as {counted(round(estimate.n / effect), 'person', 'people')} drawn at "
            f"random, since its design multiplies the variance of the shares of {' × '.join(estimate.schema.names)} by {effect:.2f}."
        )
    if answers.incomplete:
        texts.append(
            f"{counted(answers.incomplete, 'record lacks', 'records lack')} some answers. Each counts wherever what it lacks is not needed, "
            "which is right as long as lacking an answer has nothing to do with what it would have been."
        )
    return texts


def sample_dict(answers: Answers) -> dict[str, Any] | None:
    """How people were drawn, ready for JSON; None for a simple random sample."""
    sample = answers.sample
    if sample is None:
        return None
    return {
        "words": sample.words(),
        "weighted": sample.weighted,
        "strata": 0 if sample.strata is None else int(sample.drawn.size),
        "clusters": 0 if sample.clusters is None else int(sample.drawn.sum()),
        "finite": bool(sample.fractions.any()),
        "effect_of_weights": sample.kish_effect,
    }
