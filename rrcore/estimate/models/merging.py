"""Rare categories taken as one, of columns that were not randomised and of attributes that were."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from rrcore.arrays import Codes, Floats, Integers
from rrcore.channel import Channel
from rrcore.errors import InputError
from rrcore.estimate.models.covariates import Covariate
from rrcore.estimate.release import Release
from rrcore.limits import MAX_MODEL_CELLS, MAX_MODEL_ENTRIES, MAX_PROPOSED_CELLS
from rrcore.table import Attribute, Dataset, Schema

OTHER = "other"
"""What categories that are taken as one are called."""

RARE = 0.05
"""Share of the people below which a category is rare."""


@dataclass(frozen=True, eq=False)
class MergedRelease(Release[Any]):
    """A release whose attributes have some categories taken as one, in what was asked and in what was reported.

    Parameters
    ----------
    dataset, mechanism, sample, partial : as in ``Release``; the records already merged
    whole : Release, as it was
    kept : by name of a merged attribute, the new code of every old one
    """

    whole: Release[Any] = None  # type: ignore[assignment]
    kept: Mapping[str, Integers] = None  # type: ignore[assignment]

    def channel(self, names: Sequence[str]) -> Channel:
        """The merged channel: exact where answers of the same class are reported in other classes alike, as in k-ary response."""
        for name in names:
            if name in self.kept:
                _check_alike(self.whole.channel([name]), self.kept[name], name)
        return _MergedChannel.of(self.whole.channel(names), [self.kept.get(name) for name in names])


def _check_alike(whole: Channel, classes: Integers, name: str) -> None:
    """Raises InputError where answers of one class are reported in the classes of one attribute in different ways."""
    size = int(classes.max()) + 1
    reported = whole.push(np.eye(len(classes)))
    by_class = np.stack([reported[classes == code].sum(axis=0) for code in range(size)])
    firsts = np.array([np.flatnonzero(classes == code)[0] for code in range(size)])
    if np.abs(by_class - by_class[:, firsts[classes]]).max() > 1e-9:
        raise InputError(
            f"The design reports the categories of '{name}' that are to be merged in different ways, so they cannot be taken as one: merge "
            "others, or none."
        )


@dataclass(frozen=True, eq=False)
class _MergedChannel:
    """As much of a channel as a model uses: ``push`` and ``lost`` on the merged categories."""

    whole: Channel
    matrix: Floats
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, whole: Channel, maps: Sequence[Integers | None]) -> Any:
        """Raises InputError where merged answers are not reported alike, so that what they are reported as depends on which they are."""
        each = [np.arange(size) if own is None else own for size, own in zip(whole.sizes, maps, strict=True)]
        sizes = tuple(int(own.max()) + 1 for own in each)
        if prod(sizes) > MAX_MODEL_CELLS or prod(sizes) * prod(whole.sizes) > MAX_MODEL_ENTRIES:
            return cls(whole, np.zeros((1, 1)), sizes)  # refused by whoever asks for the matrix
        firsts = [
            np.array([np.flatnonzero(own == code)[0] for code in range(size)]) for own, size in zip(each, sizes, strict=True)
        ]
        lasts = [
            np.array([np.flatnonzero(own == code)[-1] for code in range(size)]) for own, size in zip(each, sizes, strict=True)
        ]
        matrix = _pushed(whole, each, sizes, firsts)
        if np.abs(_pushed(whole, each, sizes, lasts) - matrix).max() > 1e-9:
            raise InputError(
                "The design reports the categories that are to be merged in different ways: merge categories of one only."
            )
        return cls(whole, matrix, sizes)

    def push(self, table: Floats) -> Floats:
        return np.asarray(
            (self.matrix @ table.reshape(prod(self.sizes), -1)).reshape(*self.sizes, *table.shape[len(self.sizes) :])
        )

    def lost(self) -> tuple[tuple[int, ...], ...]:
        return self.whole.lost()


def _pushed(whole: Channel, maps: Sequence[Integers], sizes: tuple[int, ...], chosen: Sequence[Integers]) -> Floats:
    """What one true answer of each class is reported as, by classes: shape (cells, cells)."""
    cells = prod(sizes)
    table = np.zeros((prod(whole.sizes), cells))
    table[
        np.ravel_multi_index(tuple(axis.ravel() for axis in np.meshgrid(*chosen, indexing="ij")), whole.sizes), np.arange(cells)
    ] = 1
    reported = whole.push(table.reshape(*whole.sizes, cells)).reshape(-1, cells)
    classes = np.ravel_multi_index(tuple(axis.ravel() for axis in np.meshgrid(*maps, indexing="ij")), sizes)
    found = np.zeros((cells, cells))
    np.add.at(found, classes, reported)
    return found


def merged(
    releases: Sequence[Release[Any]], columns: dict[str, Covariate], merge: Mapping[str, Sequence[str]]
) -> tuple[list[Release[Any]], dict[str, Covariate]]:
    """Answers and columns with the categories that ``merge`` names, by attribute or column, taken as one.

    Raises InputError for an unknown name or category, fewer than two categories, or reports that are not the categories asked about.
    """
    columns, schema = dict(columns), releases[0].schema
    for name, categories in merge.items():
        if name in schema.names:
            known = schema.select([name]).attributes[0].categories
        elif name in columns:
            known = columns[name].values
        else:
            raise InputError(f"There is no '{name[:80]}' whose categories could be merged.")
        unknown = next((category for category in categories if category not in known), None)
        if unknown is not None:
            raise InputError(f"'{name}' has no category '{unknown[:40]}' to merge: choose among {', '.join(known[:20])}.")
        if not 2 <= len(set(categories)) < len(known):
            raise InputError(
                f"Of '{name}' {len(set(categories))} of {len(known)} categories are to be merged: merge two or more, not all."
            )
        if name in columns and name not in schema.names:
            columns[name] = _merged_column(columns[name], set(categories))
    own = {name: set(categories) for name, categories in merge.items() if name in schema.names}
    return [_merged_release(release, own) if own else release for release in releases], columns


def _map(known: Sequence[str], merging: set[str]) -> tuple[tuple[str, ...], Integers]:
    """The new categories, the merged ones last, and the new code of every old one."""
    kept = tuple(category for category in known if category not in merging)
    name = OTHER if OTHER not in kept else f"{OTHER} together"
    codes = np.array([kept.index(category) if category in kept else len(kept) for category in known], dtype=np.int64)
    return (*kept, name), codes


def _merged_column(column: Covariate, merging: set[str]) -> Covariate:
    values, codes = _map(column.values, merging)
    return Covariate(column.name, np.where(column.codes < 0, -1, codes[column.codes]), None, values)


def _merged_release(release: Release[Any], merging: Mapping[str, set[str]]) -> MergedRelease:
    if release.reports != release.schema:
        raise InputError("The reports are not the categories that were asked about, so none of these can be merged.")
    attributes: list[Attribute] = []
    maps: dict[str, Integers] = {}
    for attribute in release.schema.attributes:
        if attribute.name in merging:
            categories, maps[attribute.name] = _map(attribute.categories, merging[attribute.name])
            attribute = Attribute(attribute.name, categories)
        attributes.append(attribute)

    def recoded(codes: Codes) -> Codes:
        found = codes.copy()
        for axis, name in enumerate(release.schema.names):
            if name in maps:
                found[:, axis] = np.where(codes[:, axis] < 0, -1, maps[name][codes[:, axis]])
        return found

    dataset = Dataset(Schema(tuple(attributes)), recoded(release.dataset.codes))
    partial = None if release.partial is None else recoded(release.partial)
    return MergedRelease(dataset, release.mechanism, sample=release.sample, partial=partial, whole=release, kept=maps)


def rare_categories(release: Release[Any], columns: Mapping[str, Covariate], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Categories that could be taken as one, as ``fit`` takes them.

    Those that fewer than ``RARE`` of the people have, as far as the answers say,
    and the next rarest until they are not rare together; but where the randomised attributes have too many
    combinations for a model, as many of the rarest as leave few enough, the widest attribute first.

    Parameters
    ----------
    columns : as ``read_covariates`` gives them
    names : outcome and predictors of the model

    Returns
    -------
    dict of name -> categories, in their order; without the names of which nothing is to be merged
    """
    shares = {name: each for name in dict.fromkeys(names) if (each := _shares(release, columns, name))}
    wide = {name: len(own) for name, own in shares.items() if name in release.schema.names}
    too_many = prod(wide.values()) > MAX_MODEL_CELLS
    if too_many:
        kept = wide
        while prod(kept.values()) > MAX_PROPOSED_CELLS and max(kept.values()) > 2:
            kept[max(kept, key=lambda name: kept[name])] -= 1
    else:
        kept = {name: sum(share >= RARE for share in own.values()) + 1 for name, own in shares.items()}
    found: dict[str, tuple[str, ...]] = {}
    for name, size in kept.items():
        own = shares[name]
        many = len(own) - size + 1
        if many > 1 or (many == 1 and not too_many):  # one rare category alone goes with the next rarest
            ordered = sorted(own, key=lambda category: own[category])
            many = max(many, 2)
            while many < len(own) - 1 and sum(own[category] for category in ordered[:many]) < RARE:
                many += 1  # what is taken as one would be rare itself
            rarest = ordered[:many]
            if len(rarest) < len(own):
                found[name] = tuple(category for category in own if category in rarest)
    return found


def merged_note(merge: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """What was taken as one, in a sentence each.

    >>> merged_note({"region": ("isle", "cape")})
    ("Taken as one category, 'other', of 'region': isle, cape.",)
    """
    return tuple(f"Taken as one category, '{OTHER}', of '{name}': {', '.join(own)}." for name, own in merge.items())


def _shares(release: Release[Any], columns: Mapping[str, Covariate], name: str) -> dict[str, float]:
    """Estimated shares of the categories of an attribute or column; nothing for numbers."""
    if name in release.schema.names:
        if (0,) in release.channel([name]).lost():
            return {}
        estimate = release.estimate([name]).shares
        return dict(zip(release.schema.select([name]).attributes[0].categories, estimate.tolist(), strict=True))
    column = columns[name]
    if column.numbers is not None:
        return {}
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.values))
    return {value: float(count / counts.sum()) for value, count in zip(column.values, counts, strict=True)}
