"""The one kind of error a user may see: a sentence that says what was found, where, and what to do."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from numbers import Real
from typing import Any


class InputError(ValueError):
    """Bad input from a person or a file. ``str(error)`` is one complete sentence, fit for a page or a terminal.

    Parameters
    ----------
    message : str, what cannot be printed in it (a control character in a name) is written as an escape
    quoted : str, the part of ``message``, if any, that is quoted from the rows of a file and so may be somebody's answer

    Examples
    --------
    >>> import rrcore as rr
    >>> try:
    ...     rr.load_demo("atlantis")
    ... except rr.InputError as error:
    ...     print(error)
    There is no demo 'atlantis': choose among titanic, berkeley, haireye, census.
    """

    def __init__(self, message: str, *, quoted: str = "") -> None:
        super().__init__(_printable(message))
        self.quoted = _printable(quoted)

    @property
    def discreet(self) -> str:
        """The sentence without what it quotes from rows: fit for a log."""
        return str(self).replace(self.quoted, "...") if self.quoted else str(self)


class TableWarning(UserWarning):
    """Reading a table left out or grouped columns that the caller did not name.

    Examples
    --------
    >>> import warnings
    >>> import pyarrow as pa
    >>> import rrcore as rr
    >>> with warnings.catch_warnings(record=True) as found:
    ...     table = rr.read_table(pa.table({"smokes": ["no", "yes"], "here": ["yes", "yes"]}))
    >>> print(found[0].message)
    Columns left out: 'here' (Everyone has the same value, 'yes'). Choose columns with columns=.
    """


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


@contextmanager
def reading(place: object, *, kind: str = "file") -> Iterator[None]:
    """Raise InputError where the system does not give what is read meanwhile, the ``kind`` of thing at ``place``.

    Examples
    --------
    >>> try:
    ...     with reading("gone.csv"):
    ...         _ = open("gone.csv")
    ... except InputError as error:
    ...     print(error)
    The file 'gone.csv' cannot be read (No such file or directory): check its name and place.
    """
    try:
        yield
    except OSError as error:
        raise InputError(f"The {kind} '{place}' cannot be read ({error.strerror}): check its name and place.") from error


def check_number(what: str, value: Any, least: float = -math.inf, most: float = math.inf, *, whole: bool = False) -> None:
    """Raise InputError where ``value``, called ``what``, is no finite number from ``least`` to ``most``, or no ``whole`` one.

    Examples
    --------
    >>> try:
    ...     check_number("The number of people", float("nan"), 1, 100, whole=True)
    ... except InputError as error:
    ...     print(error)
    The number of people is nan: give a whole number from 1 to 100.
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    if number and least <= value <= most and abs(value) < math.inf and not (whole and value % 1):
        return
    ends = f" from {least:g} to {most:g}" if math.isfinite(most) else f" of at least {least:g}" if math.isfinite(least) else ""
    raise InputError(f"{what} is {str(value)[:40]}: give a {'whole' if whole else 'finite'} number{ends}.")


def check_positions(marginals: Sequence[Sequence[int]], k: int, what: str) -> None:
    """Raise InputError where one of ``marginals``, each the positions of its attributes, is not of different ones of k attributes."""
    for axes in marginals:
        if len(set(axes)) != len(axes) or not set(axes) <= set(range(k)):
            listed = ", ".join(map(str, axes))
            raise InputError(f"{what} is of the attributes at {listed[:40]}: give different positions from 0 to {k - 1}.")


class DocumentError(InputError):
    """A document cannot be used; the sentence names it, and the place in it."""


class NotIdentifiableError(InputError):
    """A marginal cannot be estimated because the mechanism erases one of its interactions.

    Attributes
    ----------
    message : the sentence that is said
    lost : tuple of tuples of ints, the erased interactions, each as the axes (of the requested marginal) that it involves

    Examples
    --------
    At small levels the optimum erases every pair:

    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic").select(["Sex", "Age", "Survived"])
    >>> try:
    ...     rr.Release(table, rr.build("optimal", (2, 2, 2), [0.5, 0.5, 0.5])).estimate(["Sex", "Survived"])
    ... except rr.NotIdentifiableError as error:
    ...     print(error.lost)
    ((0, 1),)
    """

    def __init__(self, message: str, lost: tuple[tuple[int, ...], ...]) -> None:
        super().__init__(message)
        self.lost = lost

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.lost)


_EXTRAS = {
    "cryptography": ("cryptography", "receiver"),
    "distributed": ("Dask", "cluster"),
    "networkx": ("networkx", "synthesis"),
    "openpyxl": ("openpyxl", "excel"),
    "pandas": ("pandas", "notebooks"),
    "pebble": ("Pebble", "app"),
    "pyreadstat": ("pyreadstat", "labels"),
    "python_calamine": ("python-calamine", "excel"),
    "plotly": ("Plotly", "plots"),
    "segno": ("segno", "receiver"),
    "shtab": ("shtab", "completion"),
    "sklearn": ("scikit-learn", "synthesis"),
    "starlette": ("Starlette", "receiver"),
    "streamlit": ("Streamlit", "app"),
    "uvicorn": ("Uvicorn", "receiver"),
}
"""Libraries that only some uses need: package -> (its name, the smallest extra of rr-workbench that installs it)."""


class MissingExtraError(InputError, ImportError):
    """A library that this use needs is not installed."""


def need(module: str, user: str, *, extra: str = "") -> Any:
    """Import a library that an extra installs, where it is used.

    Parameters
    ----------
    module : str, for example "sklearn.svm"
    user : str, what needs it, as the beginning of a sentence
    extra : str, the extra that installs all that ``user`` needs, where that is not the one of this library alone

    Raises
    ------
    MissingExtraError
        With the extra to install.

    Examples
    --------
    >>> need("networkx", "A dependency graph").is_tree.__name__
    'is_tree'
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        library, own = _EXTRAS[package]
        raise MissingExtraError(f"{user} needs {library}: install rr-workbench[{extra or own}].") from None
