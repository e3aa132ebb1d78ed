"""Errors for users: what was found, where, and what to do."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from numbers import Real
from typing import Any


class InputError(ValueError):
    """Invalid input from a person or a file, described in sentences for the user.

    Parameters
    ----------
    message : str
        What happened, and what to do. Control characters are escaped.
    quoted : str
        The part of ``message`` that quotes rows of a file and may therefore contain a person's answer.

    Examples
    --------
    >>> import rrcore as rr
    >>> try:
    ...     rr.load_demo("atlantis")
    ... except rr.InputError as error:
    ...     print(error)
    There is no demo 'atlantis'. Choose one of titanic, berkeley, haireye, census.
    """

    def __init__(self, message: str, *, quoted: str = "") -> None:
        super().__init__(_printable(message))
        self.quoted = _printable(quoted)

    @property
    def discreet(self) -> str:
        """The message without quotations from rows, safe to log."""
        return str(self).replace(self.quoted, "...") if self.quoted else str(self)


class TableWarning(UserWarning):
    """Columns were left out or grouped that the caller did not name.

    Examples
    --------
    >>> import warnings
    >>> import pyarrow as pa
    >>> import rrcore as rr
    >>> with warnings.catch_warnings(record=True) as found:
    ...     table = rr.read_table(pa.table({"smokes": ["no", "yes"], "here": ["yes", "yes"]}))
    >>> print(found[0].message)
    Columns left out: 'here' (All people have the same value, 'yes'). Choose columns with columns=.
    """


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


@contextmanager
def reading(place: object, *, kind: str = "file") -> Iterator[None]:
    """Raise InputError if the system cannot read the ``kind`` of thing at ``place``.

    Examples
    --------
    >>> try:
    ...     with reading("gone.csv"):
    ...         _ = open("gone.csv")
    ... except InputError as error:
    ...     print(error)
    The file 'gone.csv' cannot be read (No such file or directory). Check its name and location.
    """
    try:
        yield
    except OSError as error:
        raise InputError(f"The {kind} '{place}' cannot be read ({error.strerror}). Check its name and location.") from error


def check_number(what: str, value: Any, least: float = -math.inf, most: float = math.inf, *, whole: bool = False) -> None:
    """Raise InputError unless ``value`` is a number from ``least`` to ``most``.

    The number must be finite, and whole if ``whole`` is True. The message calls it ``what``.

    Examples
    --------
    >>> try:
    ...     check_number("The number of people", float("nan"), 1, 100, whole=True)
    ... except InputError as error:
    ...     print(error)
    The number of people is nan. Choose a whole number from 1 to 100.
    """
    number = (
        isinstance(value, Real) and not isinstance(value, bool) and not (isinstance(value, int) and value.bit_length() > 1000)
    )
    if number and least <= value <= most and abs(value) < math.inf and not (whole and value % 1):
        return
    ends = f" from {least:g} to {most:g}" if math.isfinite(most) else f" of at least {least:g}" if math.isfinite(least) else ""
    raise InputError(f"{what} is {str(value)[:40]}. Choose a {'whole ' if whole else '' if ends else 'finite '}number{ends}.")


def check_codes(codes: Any, sizes: Sequence[int]) -> None:
    """Raise InputError unless ``codes`` is an array of records, with a category of each attribute."""
    if codes.ndim != 2 or codes.shape[1] != len(sizes) or codes.dtype.kind not in "iu":
        raise InputError(f"Expected integer codes of shape (n, {len(sizes)}), got {codes.dtype} of shape {codes.shape}.")
    for i, size in enumerate(sizes if len(codes) else ()):
        if (low := codes[:, i].min()) < 0 or (high := codes[:, i].max()) >= size:
            raise InputError(f"A code of attribute {i + 1} is {low if low < 0 else high}. Expected 0 to {size - 1}.")


def check_positions(marginals: Sequence[Sequence[int]], k: int, what: str) -> None:
    """Raise InputError unless each marginal has different attribute positions.

    The positions are 0 to k - 1.
    """
    for axes in marginals:
        if len(set(axes)) != len(axes) or not set(axes) <= set(range(k)):
            listed = ", ".join(map(str, axes))
            raise InputError(f"{what} contains the positions {listed[:40]}. Choose distinct positions from 0 to {k - 1}.")


def unknown(thing: str, name: object, known: Sequence[str]) -> InputError:
    """Return the error for an unknown name, with the most similar known name.

    Examples
    --------
    >>> print(unknown("attribute", "Sx", ["Class", "Sex"]))
    There is no attribute 'Sx'. Did you mean 'Sex'? Choose one of Class, Sex.
    """
    close = get_close_matches(str(name), known, 1)
    hint = f"Did you mean '{close[0]}'? " if close else ""
    listed = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
    return InputError(f"There is no {thing} '{str(name)[:80]}'. {hint}Choose one of {listed}.")


def wrong_kind(argument: str, value: object, wanted: str) -> InputError:
    """Return the error for an argument of another type.

    Examples
    --------
    >>> print(wrong_kind("formula", 3, "a string such as 'smokes ~ age'"))
    formula is of type int. Pass a string such as 'smokes ~ age'.
    """
    return InputError(f"{argument} is of type {type(value).__name__}. Pass {wanted}.")


class DocumentError(InputError):
    """A document cannot be used. The message names the document and the field."""


class NotIdentifiableError(InputError):
    """A marginal cannot be estimated, because an interaction is lost.

    Parameters
    ----------
    message : str
        What happened, and what to do.
    lost : tuple of tuples of int
        Interactions about which the randomized answers carry no information, each as axes of the marginal.

    Examples
    --------
    At small epsilons, the mechanism with the lowest total epsilon leaves no information about pairs:

    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic").select(["Sex", "Age", "Survived"])
    >>> plan = rr.Plan(table, epsilon=0.5, mechanism="optimal")
    >>> try:
    ...     rr.simulate(table, plan).estimate(["Sex", "Survived"])
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
    "cryptography": ("cryptography", "survey"),
    "distributed": ("Dask", "cluster"),
    "networkx": ("networkx", "all"),
    "openpyxl": ("openpyxl", "files"),
    "pandas": ("pandas", "app"),
    "pebble": ("Pebble", "app"),
    "pyreadstat": ("pyreadstat", "files"),
    "python_calamine": ("python-calamine", "files"),
    "plotly": ("Plotly", "app"),
    "segno": ("segno", "survey"),
    "sklearn": ("scikit-learn", "all"),
    "starlette": ("Starlette", "survey"),
    "streamlit": ("Streamlit", "app"),
    "uvicorn": ("Uvicorn", "survey"),
}
"""Libraries that only some uses need: package -> (its name, the smallest extra of rr-workbench that installs it)."""


class MissingExtraError(InputError, ImportError):
    """An optional library that is needed here is not installed."""


def need(module: str, user: str) -> Any:
    """Import a library that belongs to an optional extra.

    Parameters
    ----------
    module : str
        Name of the module, such as "sklearn.svm".
    user : str
        Feature that needs the library, as the beginning of a sentence.

    Raises
    ------
    MissingExtraError
        If the library is not installed. The message names the extra.

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
        library, extra = _EXTRAS[package]
        raise MissingExtraError(f"{user} needs {library}. Install rr-workbench[{extra}].") from None
