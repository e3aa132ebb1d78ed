"""Key-value data: the keys of every user, with their values (Key-Value, section II-B)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Booleans, Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_KEY_VALUES, MAX_KEYS
from rrcore.table.text_table import TextColumn, TextTable, to_numbers
from rrcore.wording import counted


@dataclass(frozen=True, eq=False)
class KeyValueData:
    """n users and the values of their keys.

    Parameters
    ----------
    keys : tuple of str
        d different names.
    values : ndarray of shape (n, d)
        Float32 in [-1, 1]. NaN if a user does not have a key.
    notes : tuple of str
        Sentences on what was changed when the data were read.

    Raises
    ------
    InputError
        If there are no users, no keys, too many keys, or equal keys.
    """

    keys: tuple[str, ...]
    values: NDArray[np.float32]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.keys or len(set(self.keys)) < len(self.keys) or len(self.keys) > MAX_KEYS:
            raise InputError(
                f"Expected 1 to {MAX_KEYS:,} different keys, got {len(self.keys):,}, {len(set(self.keys)):,} different."
            )
        if not len(self.values):
            raise InputError("The data contain no users. Use data with at least one.")

    @property
    def n(self) -> int:
        """Number of users."""
        return len(self.values)

    @property
    def d(self) -> int:
        """Number of keys."""
        return len(self.keys)

    @cached_property
    def frequency(self) -> Floats:
        """Share of users with each key, shape (d,)."""
        return np.array([np.count_nonzero(~np.isnan(column)) / self.n for column in self.values.T])

    @cached_property
    def mean(self) -> Floats:
        """Mean value among users with each key, shape (d,), NaN for a key that nobody has."""
        return np.array([_mean(column) for column in self.values.T])

    def select(self, keys: Sequence[str]) -> KeyValueData:
        """Return these users with the named keys only."""
        places = {key: i for i, key in enumerate(self.keys)}
        unknown = [key for key in keys if key not in places]
        if unknown:
            raise InputError(f"There is no key '{unknown[0]}'. Choose one of {', '.join(self.keys[:20])}.")
        return KeyValueData(tuple(keys), self.values[:, [places[key] for key in keys]])

    def states(self, *, rng: np.random.Generator) -> NDArray[np.int8]:
        """Return states after discretizing the values as in eq. (1), shape (n, d).

        The codes are 0 for -1, 1 for no key, and 2 for +1, which are the index I of section IV-C.
        """
        found = np.ones(self.values.shape, dtype=np.int8)
        for column, out in zip(self.values.T, found.T, strict=True):
            present = ~np.isnan(column)
            up = rng.random(int(present.sum()), dtype=np.float32) < (1 + column[present]) / 2
            out[present] = np.where(up, 2, 0)
        return found


def _mean(column: NDArray[np.float32]) -> float:
    present = column[~np.isnan(column)]
    return float(present.mean(dtype=np.float64)) if present.size else float("nan")


def invented(
    n: int,
    d: int,
    *,
    frequency: float = 0.5,
    mean: float = 0.0,
    spread: float = 0.3,
    rng: np.random.Generator,
) -> KeyValueData:
    """Invent a data set as in section VI.

    Parameters
    ----------
    n, d : int
        Numbers of users and keys.
    frequency, mean : float
        Centers of the frequencies in [0.001, 1] and of the means in [-1, 1].
    spread : float
        Variation of frequencies and means between keys, and of values between users, in [0, 1].
    rng : Generator
        The source of randomness.
    """
    if not (1 <= d <= MAX_KEYS and n >= 1 and n * d <= MAX_KEY_VALUES):
        raise InputError(
            f"Expected 1 to {MAX_KEYS:,} keys and at most {MAX_KEY_VALUES:,} users × keys, got {n:,} users and {d:,} keys."
        )
    frequencies, means = invented_keys(d, frequency=frequency, mean=mean, spread=spread, rng=rng)
    values = np.full((n, d), np.nan, dtype=np.float32, order="F")
    for i in range(d):
        has = rng.random(n, dtype=np.float32) < frequencies[i]
        noise = rng.standard_normal(int(has.sum()), dtype=np.float32) * np.float32(spread * (1 - abs(means[i])) / 2)
        values[has, i] = np.clip(np.float32(means[i]) + noise, -1, 1)
    return KeyValueData(tuple(f"key {i + 1}" for i in range(d)), values)


def invented_keys(
    d: int, *, shape: str = "gaussian", frequency: float, mean: float, spread: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return frequencies and means of the keys of an invented set.

    The frequencies are "gaussian" or "uniform".
    """
    if not (0.001 <= frequency <= 1 and -1 <= mean <= 1 and 0 <= spread <= 1):
        raise InputError(
            "Expected a frequency from 0.001 to 1, a mean from -1 to 1 and a spread from 0 to 1, got "
            f"{frequency:g}, {mean:g} and {spread:g}."
        )
    noise = 2 * rng.uniform(-1, 1, d) if shape == "uniform" else rng.standard_normal(d)
    frequencies = np.clip(frequency + spread / 2 * noise * min(frequency, 1 - frequency), 0.001, 1)
    means = np.clip(mean + spread / 2 * rng.standard_normal(d) * (1 - abs(mean)), -1, 1)
    return frequencies, means


def read_long(
    table: TextTable,
    *,
    user: str,
    key: str,
    value: str,
    low: float,
    high: float,
    keys: Sequence[str] | None = None,
    most: int = 100,
) -> KeyValueData:
    """Read a table with one row per rating.

    If a user has several rows for a key, the last row counts.

    Parameters
    ----------
    table : TextTable
        The ratings.
    user, key, value : str
        Names of the columns.
    low, high : float
        Declared bounds of the values, which are rescaled to -1 and 1.
    keys : sequence of str, optional
        The declared keys. Other keys are dropped. By default, the ``most`` frequent keys are taken from the private data, and the
        notes contain a warning.
    most : int
        Largest number of keys to take from the data.

    Raises
    ------
    InputError
        If a column is missing, a value is not a number or out of bounds, or no user or key is left.
    """
    users, names, numbers = table.column(user), table.column(key), table.column(value)
    rescaled = _rescaled(numbers, low, high)
    whole = (users.codes >= 0) & (names.codes >= 0) & (numbers.codes >= 0)
    chosen, note = _chosen(names, whole, keys, most)
    notes = [] if whole.all() else [f"{int((~whole).sum()):,} rows without a user, key or value were dropped."]
    notes += note
    if not chosen:
        raise InputError("The data contain none of the declared keys. Declare at least one key of the data.")
    place = {text: i for i, text in enumerate(chosen)}
    column = np.array([place.get(text, -1) for text in names.values], dtype=np.int64)
    used = np.flatnonzero(whole & (column[names.codes] >= 0))
    everybody = np.unique(users.codes[users.codes >= 0])
    row, own = np.searchsorted(everybody, users.codes[used]), column[names.codes[used]]
    if repeated := len(used) - len(np.unique(row * len(chosen) + own)):
        notes.append(f"{repeated:,} rows repeat the user and key of an earlier one. The last one counts.")
    values = np.full((len(everybody), len(chosen)), np.nan, dtype=np.float32)
    values[row, own] = rescaled[numbers.codes[used]]
    if nobody := int(np.isnan(values).all(axis=1).sum()):
        notes.append(f"{nobody:,} users have none of these keys. They count as users without keys.")
    return KeyValueData(tuple(chosen), values, tuple(notes))


def _chosen(names: TextColumn, whole: Booleans, keys: Sequence[str] | None, most: int) -> tuple[list[str], list[str]]:
    """Return the declared keys, or the ``most`` frequent ones of the rows that are ``whole``, with notes."""
    if keys is None:
        popular = np.argsort(-np.bincount(names.codes[whole], minlength=len(names.values)), kind="stable")[:most]
        note = (
            f"The {counted(len(popular), 'most frequent key is', 'most frequent keys are')} taken from the data, which reveals them: "
            "declare the keys in a real collection."
        )
        return [names.values[i] for i in sorted(popular)], [note]
    chosen = [text.strip() for text in keys if text.strip()]
    missing = [text for text in chosen if text not in set(names.values)]
    more = f" and {len(missing) - 1} more." if len(missing) > 1 else "."
    return chosen, [f"Nobody has the declared key '{missing[0]}'{more}"] if missing else []


def _rescaled(column: TextColumn, low: float, high: float) -> Floats:
    """Return the numbers in the strings of ``column``, rescaled from low .. high to -1 .. 1."""
    if not (np.isfinite([low, high]).all() and low < high):
        raise InputError(f"The bounds of the values are {low:g} and {high:g}. Choose two finite numbers, the lower one first.")
    if not column.values:
        raise InputError(f"The column '{column.name}' is empty. Choose the column with the values.")
    numbers = to_numbers(column.values)
    if numbers is None:
        wrong = next(text for text in column.values if to_numbers((text,)) is None)
        raise InputError(
            f"The column '{column.name}' contains '{wrong[:40]}', which is not a number. Choose the column with the values, "
            "or clear that cell.",
            quoted=wrong[:40],
        )
    outside = (numbers < low) | (numbers > high)
    if outside.any():
        raise InputError(
            f"Expected values from {low:g} to {high:g} in '{column.name}', got {numbers.min():g} to {numbers.max():g}."
        )
    return 2 * (numbers - low) / (high - low) - 1
