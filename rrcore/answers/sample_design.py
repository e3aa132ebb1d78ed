"""Find the columns that describe the sample design and read population totals."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike

import numpy as np

from rrcore.answers.answers import Answers
from rrcore.answers.unrandomized import KnownTotals, SampleColumns, lacking_column
from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate import Estimate, Release, Rows, Sample
from rrcore.files import read_path
from rrcore.table.opening import read_text_table
from rrcore.table.text_table import TextColumn, to_numbers
from rrcore.wording import counted

TOTAL = "total"
"""Last column of a file of population sizes."""

FEW_IN_CLUSTER = 5  # expected answers, below which an interval is less reliable
MANY_CLUSTERS = 30  # from which that does not matter


def given_totals(source: str | PathLike[str]) -> KnownTotals:
    """Return the total given as a number, or the totals in a table.

    Parameters
    ----------
    source : number as text, or path of a table
        A table needs a column for the strata and a last column named "total".
    """
    number = str(source)
    return KnownTotals((), ((),), (float(number),)) if number.isdecimal() else read_totals(*read_path(source))


def read_totals(content: bytes, name: str) -> KnownTotals:
    """Read population totals from a table.

    The table has one column for each column of the answers, and a last column named "total". InputError is raised for other
    tables, negative or missing totals, and repeated rows.

    Examples
    --------
    >>> read_totals(b"sex,total\\nf,510\\nm,490\\n", "sex.csv").totals
    (510.0, 490.0)
    """
    table = read_text_table(content, name)
    if not table.names or table.names[-1] != TOTAL or len(table.names) > 2:
        raise InputError(
            f"Expected at most one column of strata, and a last column named '{TOTAL}', in the file '{name}', got "
            f"{', '.join(table.names[:6])}."
        )
    *keys, last = table.columns
    numbers = to_numbers(last.values)
    if numbers is None or (last.codes < 0).any() or (numbers < 0).any():
        raise InputError(f"A total in '{name}' is not a number of 0 or more. Use counts or proportions, such as 510 or 0.51.")
    gone = next((column.name for column in keys if (column.codes < 0).any()), None)
    if gone is not None:
        raise InputError(f"The column '{gone}' in '{name}' has an empty cell. Fill in every row.")
    rows = tuple(zip(*([column.values[code] for code in column.codes] for column in keys), strict=True)) if keys else ((),)
    if len(set(rows)) < table.n:
        raise InputError(f"The file '{name}' has two totals for the same {keys[0].name if keys else 'sample'}. Keep one.")
    return KnownTotals(tuple(column.name for column in keys), rows, tuple(numbers[last.codes].tolist()))


def with_sample(answers: Answers, columns: SampleColumns) -> Answers:
    """Return the answers with the sample design that ``columns`` describes.

    Raises
    ------
    InputError
        If a column does not exist or has empty cells, a weight is not a number, the sample is impossible (see ``Sample``), or the
        answers were counted by other columns.

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
    rows = answers.release.records
    if rows is None:
        if columns != answers.columns:
            raise InputError(f"'{answers.title}' was counted without the columns of this sample. Count it again with them.")
        return answers
    release = Release((replace(rows, sample=sample_of(rows, columns)),), answers.mechanism)
    return replace(answers, release=release, columns=columns)


def sample_of(rows: Rows, columns: SampleColumns, weighted: tuple[Floats, Floats] | None = None) -> Sample | None:
    """Return the sample described by the columns, or None for a simple random sample.

    Parameters
    ----------
    rows : Rows
    columns : SampleColumns
    weighted : tuple of ndarray, optional
        Sums of the weights, and of the squared weights, of the people in each row. By default, they come from the column of weights.
    """
    if columns.simple:
        return None
    if weighted is None and columns.weights:
        column = _column(rows, columns.weights, "weights")
        if (numbers := to_numbers(column.values)) is None:
            raise InputError(f"The weight column '{column.name}' contains non-numeric values. Choose another column.")
        weighted = numbers[column.codes], numbers[column.codes] ** 2
    ones = np.ones(len(rows.codes)) if rows.times is None else rows.times.astype(np.float64)
    weights, squares = weighted or (ones, ones)
    strata, names = _codes(rows, columns.strata, "strata") if columns.strata else (None, ())
    clusters = _codes(rows, columns.clusters, "clusters")[0] if columns.clusters else None
    sizes = None if columns.populations is None else _sizes(columns.populations, columns.strata, names)
    return Sample(weights, strata, clusters, sizes, columns.lonely, names, rows.times, None if rows.times is None else squares)


def _column(rows: Rows, name: str, what: str) -> TextColumn:
    """Return the column ``name``, which must have no missing values."""
    column = next((each for each in rows.extra if each.name == name), None)
    if column is None:
        known = ", ".join(f"'{each.name}'" for each in rows.extra[:12]) or "none"
        raise InputError(f"There is no column '{name}' for the {what}. Choose a column that was not randomized: {known}.")
    if column.missing:
        raise lacking_column(name, what, rows.people(np.flatnonzero(column.codes < 0)))
    return column


def _codes(rows: Rows, name: str, what: str) -> tuple[Integers, tuple[str, ...]]:
    """Return the codes of a column of categories that occur, and their names."""
    column = _column(rows, name, what)
    live, codes = np.unique(column.codes, return_inverse=True)
    return codes.astype(np.int64), tuple(column.values[code] for code in live.tolist())


def sampling_columns(answers: Answers) -> list[str]:
    """Return the unrandomized columns that contain varying numbers, as weights do."""
    columns = (column for column in answers.groupings if len(column.values) > 1)
    return [column.name for column in columns if to_numbers(column.values) is not None]


def _sizes(known: KnownTotals, strata: str, names: Sequence[str]) -> Floats:
    """Population sizes in the order of the strata."""
    if known.columns != ((strata,) if strata else ()):
        needed, given = (f"the values of '{one}'" if one else "the whole population" for one in (strata, "".join(known.columns)))
        raise InputError(f"Expected population sizes for {needed}, got sizes for {given}.")
    if not strata:
        return np.array(known.totals)
    sizes = {row[0]: total for row, total in zip(known.rows, known.totals, strict=True)}
    gone = next((name for name in names if name not in sizes), None)
    if gone is not None:
        raise InputError(f"There is no population size for the stratum '{gone}'. Add one size for each stratum of the answers.")
    return np.array([sizes[name] for name in names])


def about_sample(answers: Answers, estimate: Estimate) -> list[str]:
    """Describe the sample design and missing answers in sentences.

    A simple random sample has no sentences.

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
    Sample: weighted. It is as precise as 80 people drawn at random. The design multiplies the variance of the shares of smokes by 1.25.
    """
    texts = []
    if answers.sample is not None:
        effect = estimate.design_effect
        texts.append(
            f"Sample: {answers.sample.words()}. It is as precise as {counted(round(estimate.n / effect), 'person', 'people')} drawn at "
            f"random. The design multiplies the variance of the shares of {' × '.join(estimate.schema.names)} by {effect:.2f}."
        )
        clusters = int(answers.sample.drawn.sum()) if answers.sample.clusters is not None else MANY_CLUSTERS
        if clusters < MANY_CLUSTERS and estimate.n * estimate.projected.min() < FEW_IN_CLUSTER * clusters:
            texts.append(
                f"Some categories have fewer than {FEW_IN_CLUSTER} expected answers in each of the {clusters} clusters. Their intervals can "
                "be too short."
            )
    if answers.incomplete:
        texts.append(
            f"{counted(answers.incomplete, 'record lacks', 'records lack')} some answers. An estimate uses the records that have all answers "
            "it needs. This is right if missing answers do not depend on their true values."
        )
    return texts
