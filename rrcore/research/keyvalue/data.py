"""Key-value data: who has which keys, and with what value (Key-Value, section II-B)."""

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

SHAPES = {"gaussian": "normal around the middle", "uniform": "all equally likely", "power": "few keys frequent, most rare"}
"""Key of an invented set -> how frequencies are spread over the keys."""


@dataclass(frozen=True, eq=False)
class KeyValueData:
    """n users and the values of their keys.

    Parameters
    ----------
    keys : tuple of d names, all different
    values : ndarray of shape (n, d), float32, in [-1, 1]; NaN where a user does not have a key
    notes : sentences about what reading did

    Raises
    ------
    InputError
        For no user, no key, too many keys, or two that are alike.
    """

    keys: tuple[str, ...]
    values: NDArray[np.float32]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.keys or len(set(self.keys)) < len(self.keys) or len(self.keys) > MAX_KEYS:
            raise InputError(f"There are {len(self.keys):,} keys: give 1 to {MAX_KEYS:,}, all different.")
        if not len(self.values):
            raise InputError("There are no users: at least one row must name a user.")

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
        """Mean value among users with each key, shape (d,); NaN for a key that nobody has."""
        return np.array([_mean(column) for column in self.values.T])

    def select(self, keys: Sequence[str]) -> KeyValueData:
        """These users with the named keys only."""
        places = {key: i for i, key in enumerate(self.keys)}
        unknown = [key for key in keys if key not in places]
        if unknown:
            raise InputError(f"There is no key '{unknown[0]}': choose among {', '.join(self.keys[:20])}.")
        return KeyValueData(tuple(keys), self.values[:, [places[key] for key in keys]])

    def states(self, *, rng: np.random.Generator) -> NDArray[np.int8]:
        """Values discretised as in eq. (1), shape (n, d): 0 for -1, 1 for no key, 2 for +1, as in the index I of section IV-C."""
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
    shape: str = "gaussian",
    frequency: float = 0.5,
    mean: float = 0.0,
    spread: float = 0.3,
    rng: np.random.Generator,
) -> KeyValueData:
    """A generated set (section VI): frequencies and means of the keys vary around those asked for.

    Parameters
    ----------
    n, d : users and keys
    shape : a key of ``SHAPES``
    frequency, mean : middle of the frequencies in [0.001, 1] and of the means in [-1, 1]
    spread : how far frequencies and means vary between keys, and values between users, in [0, 1]
    """
    if not (1 <= d <= MAX_KEYS and n >= 1 and n * d <= MAX_KEY_VALUES):
        raise InputError(
            f"{n:,} users with {d:,} keys cannot be made: give at most {MAX_KEYS:,} keys and {MAX_KEY_VALUES:,} values."
        )
    frequencies, means = invented_keys(d, shape=shape, frequency=frequency, mean=mean, spread=spread, rng=rng)
    values = np.full((n, d), np.nan, dtype=np.float32, order="F")
    for i in range(d):
        has = rng.random(n, dtype=np.float32) < frequencies[i]
        noise = rng.standard_normal(int(has.sum()), dtype=np.float32) * np.float32(spread * (1 - abs(means[i])) / 2)
        values[has, i] = np.clip(np.float32(means[i]) + noise, -1, 1)
    return KeyValueData(tuple(f"key {i + 1}" for i in range(d)), values)


def invented_keys(
    d: int, *, shape: str, frequency: float, mean: float, spread: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Frequencies and means of the keys of an invented set, shape (d,) each; parameters as in ``invented``."""
    if shape not in SHAPES:
        raise InputError(f"There is no shape '{shape}': choose among {', '.join(SHAPES)}.")
    if not (0.001 <= frequency <= 1 and -1 <= mean <= 1 and 0 <= spread <= 1):
        raise InputError("Frequencies are from 0.001 to 1, means from -1 to 1, the spread from 0 to 1: change the one outside.")
    if shape == "power":
        frequencies = np.minimum(1.0, frequency * d * np.arange(1, d + 1) ** -1.0 / np.sum(np.arange(1, d + 1) ** -1.0))
    elif shape == "uniform":
        frequencies = frequency + spread * rng.uniform(-1, 1, d) * min(frequency, 1 - frequency)
    else:
        frequencies = frequency + spread / 2 * rng.standard_normal(d) * min(frequency, 1 - frequency)
    frequencies = np.clip(frequencies, 0.001, 1)
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
    """One row a rating: user, key, value.

    Values are rescaled from ``low`` .. ``high``, which are declared and not looked up, to -1 .. 1. If a user has a key twice, the last
    row counts.

    Parameters
    ----------
    keys : the declared keys; other keys are left out. Without them the ``most`` frequent keys are taken from the data, which looks at
        private data; the notes say so.

    Raises
    ------
    InputError
        For a missing column, a value that is not a number or outside the bounds, no user or no key left.
    """
    users, names, numbers = table.column(user), table.column(key), table.column(value)
    rescaled = _rescaled(numbers, low, high)
    whole = (users.codes >= 0) & (names.codes >= 0) & (numbers.codes >= 0)
    chosen, note = _chosen(names, whole, keys, most)
    notes = [] if whole.all() else [f"{int((~whole).sum()):,} rows without a user, key or value were left out."]
    notes += note
    if not chosen:
        raise InputError("No key is left: declare at least one key that occurs in the data.")
    place = {text: i for i, text in enumerate(chosen)}
    column = np.array([place.get(text, -1) for text in names.values], dtype=np.int64)
    used = np.flatnonzero(whole & (column[names.codes] >= 0))
    everybody = np.unique(users.codes[users.codes >= 0])
    row, own = np.searchsorted(everybody, users.codes[used]), column[names.codes[used]]
    if repeated := len(used) - len(np.unique(row * len(chosen) + own)):
        notes.append(f"{repeated:,} rows repeat the user and key of an earlier one; the last of them counts.")
    values = np.full((len(everybody), len(chosen)), np.nan, dtype=np.float32)
    values[row, own] = rescaled[numbers.codes[used]]
    if nobody := int(np.isnan(values).all(axis=1).sum()):
        notes.append(f"{nobody:,} users have none of these keys; they count as users without any.")
    return KeyValueData(tuple(chosen), values, tuple(notes))


def _chosen(names: TextColumn, whole: Booleans, keys: Sequence[str] | None, most: int) -> tuple[list[str], list[str]]:
    """The declared keys, or the ``most`` frequent ones of the rows that are ``whole``; and what is to be said about them."""
    if keys is None:
        popular = np.argsort(-np.bincount(names.codes[whole], minlength=len(names.values)), kind="stable")[:most]
        note = (
            f"{counted(len(popular), 'key is', 'keys are')} taken from the data, the most frequent there. Which keys are frequent is private "
            "too: declare the keys in a real collection."
        )
        return [names.values[i] for i in sorted(popular)], [note]
    chosen = [text.strip() for text in keys if text.strip()]
    missing = [text for text in chosen if text not in set(names.values)]
    more = f" and {len(missing) - 1} more." if len(missing) > 1 else "."
    return chosen, [f"Nobody has the declared key '{missing[0]}'{more}"] if missing else []


def read_wide(table: TextTable, keys: Sequence[str], *, low: float, high: float) -> KeyValueData:
    """One row per user, one column per key, empty where the user does not have it. Errors as ``read_long``."""
    if not keys:
        raise InputError("No key is chosen: choose at least one column of values.")
    values = np.full((table.n, len(keys)), np.nan, dtype=np.float32)
    for i, name in enumerate(keys):
        column = table.column(name)
        present = column.codes >= 0
        values[present, i] = _rescaled(column, low, high)[column.codes[present]]
    return KeyValueData(tuple(keys), values)


def _rescaled(column: TextColumn, low: float, high: float) -> Floats:
    """The numbers that the texts of ``column`` write, from low .. high to -1 .. 1."""
    if not (np.isfinite([low, high]).all() and low < high):
        raise InputError(f"The bounds of the values are {low:g} and {high:g}: give a lower and a higher number.")
    if not column.values:
        raise InputError(f"The column '{column.name}' is empty: choose the column with the values.")
    numbers = to_numbers(column.values)
    if numbers is None:
        wrong = next(text for text in column.values if to_numbers((text,)) is None)
        raise InputError(
            f"The column '{column.name}' holds '{wrong[:40]}', which is not a number: choose the column with the values, or clear that cell.",
            quoted=wrong[:40],
        )
    outside = (numbers < low) | (numbers > high)
    if outside.any():
        raise InputError(f"The column '{column.name}' has {numbers.min():g} to {numbers.max():g}: expected {low:g} to {high:g}.")
    return 2 * (numbers - low) / (high - low) - 1
