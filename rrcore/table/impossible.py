"""Combinations of answers that cannot occur, such as a widow of ten: declared by a person, never learnt from answers silently."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rrcore.errors import InputError
from rrcore.limits import MAX_IMPOSSIBLE, MAX_MARGINAL
from rrcore.table.plain.place import shortened
from rrcore.wording import counted

_MOST_NAMED = 4  # attributes that a sentence names


@dataclass(frozen=True, slots=True)
class Impossible:
    """Combinations of the categories of some attributes that nobody can have.

    Parameters
    ----------
    attributes : tuple of str, the names of 2 to ``MAX_MARGINAL`` attributes
    combinations : tuple of tuples of str, at most ``MAX_IMPOSSIBLE``, all different: a category of each of the attributes, in their order

    Raises
    ------
    InputError
        With one sentence that says what is wrong.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.table import Impossible
    >>> rule = Impossible(("age", "married"), (("under 16", "yes"),))
    >>> schema = rr.Schema((rr.Attribute("age", ("under 16", "16 and over")), rr.Attribute("married", ("no", "yes"))), (rule,))
    >>> schema.impossible_cells(["married", "age"]).tolist()
    [[False, False], [True, False]]
    """

    attributes: tuple[str, ...]
    combinations: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))
        object.__setattr__(self, "combinations", tuple(tuple(each) for each in self.combinations))
        if not 2 <= len(set(self.attributes)) == len(self.attributes) <= MAX_MARGINAL:
            raise InputError(
                f"Combinations that cannot occur are of {counted(len(self.attributes), 'attribute', 'attributes')}: name 2 to "
                f"{MAX_MARGINAL} different ones."
            )
        if not 0 < len(self.combinations) <= MAX_IMPOSSIBLE:
            raise InputError(
                f"{self.called} have {len(self.combinations):,} combinations that cannot occur: give 1 to {MAX_IMPOSSIBLE:,}."
            )
        seen: set[tuple[str, ...]] = set()
        for each in self.combinations:
            if len(each) != len(self.attributes):
                raise InputError(f"A combination of {self.called} has {len(each)} categories: give one for each attribute.")
            if each in seen:
                raise InputError(f"The combination {self.combination_text(each)} is listed twice: list it once.")
            seen.add(each)

    @property
    def called(self) -> str:
        """The attributes, for a sentence."""
        return " and ".join(f"'{shortened(name)}'" for name in self.attributes[:_MOST_NAMED]) + self._more

    def combination_text(self, combination: Sequence[str]) -> str:
        """One combination, for a sentence."""
        pairs = list(zip(self.attributes, combination, strict=True))[:_MOST_NAMED]
        return " with ".join(f"{shortened(name)} '{shortened(category)}'" for name, category in pairs) + self._more

    @property
    def _more(self) -> str:
        return f" and {len(self.attributes) - _MOST_NAMED} more" if len(self.attributes) > _MOST_NAMED else ""

    def renamed(self, old: str, new: str) -> Impossible:
        """The same of an attribute that was called ``old`` and is called ``new`` now."""
        return Impossible(tuple(new if name == old else name for name in self.attributes), self.combinations)


def merged_impossible(rules: Collection[Impossible]) -> tuple[Impossible, ...]:
    """One rule for each set of attributes, with what any of ``rules`` says of them."""
    found: dict[frozenset[str], Impossible] = {}
    for rule in rules:
        first = found.setdefault(frozenset(rule.attributes), rule)
        order = [rule.attributes.index(name) for name in first.attributes]
        more = (tuple(each[i] for i in order) for each in rule.combinations)
        found[frozenset(rule.attributes)] = Impossible(first.attributes, tuple(dict.fromkeys((*first.combinations, *more))))
    return tuple(found.values())
