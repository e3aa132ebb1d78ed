"""Different designs for different groups of respondents, one of which may be asked directly: one survey, a mechanism file for each group."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Codes, Floats, Integers
from rrcore.channel import Channel, StackedChannel
from rrcore.errors import InputError
from rrcore.estimate import simplex
from rrcore.limits import MAX_GROUP_FILES
from rrcore.promise.certificate import Certificate, Ratio
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute, Schema, free_name

GROUP = "group"
"""Column of a table that says whose mechanism file each row went by."""


def group_column(asked: Schema) -> str:
    """What that column is called beside the questions of a survey: "group of people" beside a question "group"."""
    return free_name(GROUP, " of people", asked.names)


@dataclass(frozen=True)
class MechanismGroups:
    """Mechanism files over the same questions, one for each group of respondents.

    What is reported of a question is the pair of a group and a report of its file, "north: yes". A person's groups are not randomised.

    Parameters
    ----------
    files : tuple of (name of the group, MechanismFile), at least two; or a mapping

    Raises
    ------
    InputError
        If the files ask different questions, or two of them are one file.

    Examples
    --------
    Half of the people throw a die, half draw from a deck that turns the answer more often:

    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> one, two = (rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2,), [eps]))) for eps in (2.0, 1.0))
    >>> groups = MechanismGroups({"die": one, "deck": two})
    >>> groups.reports.attributes[0].categories
    ('die: no', 'die: yes', 'deck: no', 'deck: yes')
    >>> groups.certificate.levels == one.certificate.levels  # the larger ones
    True
    """

    files: tuple[tuple[str, MechanismFile], ...]

    def __init__(self, files: Mapping[str, MechanismFile] | Sequence[tuple[str, MechanismFile]]) -> None:
        object.__setattr__(self, "files", tuple(files.items() if isinstance(files, Mapping) else files))
        if not 2 <= len(self.files) <= MAX_GROUP_FILES:
            raise InputError(f"There are mechanism files for {len(self.files)} groups: give 2 to {MAX_GROUP_FILES}.")
        names = [name for name, _ in self.files]
        if len(set(names)) < len(names) or not all(name.strip() for name in names):
            raise InputError("Two groups have one name, or a group has none: give each group a name of its own.")
        first, known = self.files[0], dict[str, str]()
        for name, file in self.files:
            if _asked(file.schema) != _asked(first[1].schema):
                raise InputError(
                    f"The mechanism files of '{first[0]}' and '{name}' ask about different attributes or categories: groups of one survey "
                    "are asked the same."
                )
            if file.sha256 in known:
                raise InputError(f"'{known[file.sha256]}' and '{name}' have the same mechanism file: make one group of them.")
            known[file.sha256] = name

    @property
    def schema(self) -> Schema:
        """What everybody is asked."""
        return self.files[0][1].schema

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories a_i, one per attribute."""
        return self.schema.sizes

    @cached_property
    def reports(self) -> Schema:
        """What is reported: pairs of a group and a report."""
        found = []
        for i, asked in enumerate(self.schema.attributes):
            labels = [f"{name}: {report}" for name, file in self.files for report in file.reports.attributes[i].categories]
            found.append(Attribute(asked.name, tuple(labels)))
        return Schema(tuple(found))

    @cached_property
    def starts(self) -> Integers:
        """The code at which the reports of each group begin, ndarray of shape (G, k)."""
        sizes = np.array([file.reports.sizes for _, file in self.files], dtype=np.int64)
        return np.asarray(sizes.cumsum(axis=0) - sizes)

    def raised(self, codes: Codes, group: int) -> Codes:
        """Codes of a group's reports as codes of pairs of the group and a report; negative ones stay."""
        return np.where(codes < 0, codes.astype(np.int32), codes + self.starts[group].astype(np.int32))

    @property
    def sha256(self) -> str:
        """The fingerprints of all files, in their order, joined by "+"."""
        return "+".join(file.sha256 for _, file in self.files)

    @cached_property
    def certificate(self) -> Certificate:
        """What everybody is promised at least: of every number that of the group which gives away most."""
        found = [file.certificate for _, file in self.files]
        levels = zip(*(each.levels for each in found), strict=True)
        leakage = zip(*(each.leakage for each in found), strict=True)
        return Certificate(tuple(map(_most, levels)), tuple(map(_most, leakage)), _most([each.total for each in found]))

    def marginal_channel(self, axes: Sequence[int]) -> StackedChannel:
        """The channel for groups of equal size, before anybody has answered."""
        parts = tuple(file.marginal_channel(axes) for _, file in self.files)
        return StackedChannel(parts, np.full(len(parts), 1 / len(parts)))

    def channel_for(self, axes: Sequence[int], released: Floats) -> Channel:
        """The channel given the sizes that the groups have in the marginal ``released``, an ndarray of shares of the reports."""
        return of_group_sizes(self.marginal_channel(axes), released)


def of_group_sizes(whole: StackedChannel, released: Floats) -> StackedChannel:
    """The channel of groups, of any sizes in ``whole``, given those that they have in the marginal ``released``."""
    shares = np.array([block.sum() for block in np.split(released.ravel()[whole.places], whole.ends)])
    first = StackedChannel(whole.parts, shares / shares.sum())
    return first if first.lost() else StackedChannel(whole.parts, first.shares, simplex(first.invert(released)))


Survey = MechanismFile | MechanismGroups
"""How a survey's answers are randomised: for all alike, or group by group."""


def _asked(schema: Schema) -> tuple[object, ...]:
    """What has to be the same in all groups."""
    return schema.attributes, schema.impossible


def _most(ratios: Sequence[Ratio]) -> Ratio:
    known = [ratio for ratio in ratios if ratio is not None]
    return max(known) if len(known) == len(ratios) else None
