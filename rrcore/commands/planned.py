"""What a plan is about: the columns of a table, attributes whose categories are typed, or only numbers of categories."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from string import ascii_lowercase

from rrcore.arrays import Floats
from rrcore.commands.progress import shown
from rrcore.commands.recoding import Rules, add_recoding, recoded
from rrcore.commands.table_options import LAYOUT, add_input, entries, tell_learned
from rrcore.commands.values import adder, named_parts, refuse_given
from rrcore.commands.workers import workers
from rrcore.errors import InputError
from rrcore.limits import FEW_PEOPLE, MAX_COLUMNS, MAX_PLANNED_CATEGORIES
from rrcore.table import OTHER, Attribute, ColumnRule, Schema
from rrcore.table.recoding import Values, rare_categories
from rrcore.table.scanning import count


@dataclass(frozen=True)
class PlannedAttributes:
    """The attributes of a plan.

    Parameters
    ----------
    names, sizes : of the attributes
    declared : Schema, where categories are known
    people : how many the table has, if there is one
    rules : how its columns became attributes
    counted : shares of a joint distribution of its people, from names of attributes; None without a table
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    declared: Schema | None = None
    people: int | None = None
    rules: Rules | None = None
    counted: Callable[[Sequence[str]], Floats] | None = None

    @property
    def schema(self) -> Schema:
        """The attributes; where nothing else is known their answers are called 1, 2 and so on."""
        if self.declared is not None:
            return self.declared
        pairs = zip(self.names, self.sizes, strict=True)
        return Schema(tuple(Attribute(name, tuple(str(i + 1) for i in range(size))) for name, size in pairs))

    @property
    def labels(self) -> tuple[str, ...]:
        """What messages call the attributes."""
        return tuple(name if name != str(i) else f"attribute {i}" for i, name in enumerate(self.names, 1))

    def sets(self, text: str | None, what: str) -> tuple[tuple[int, ...], ...]:
        """Attribute sets, the ``what``, by name; without names, by number or by letter."""
        if text is None:
            return ()
        places = {name: i for i, name in enumerate(self.names)}
        if self.names == _numbered(len(self.names)):
            places |= {letter: i for i, letter in enumerate(ascii_lowercase[: len(self.names)])}
        sets = []
        for part in text.split(";"):
            members = entries(part)
            for name in members:
                if name not in places:
                    raise InputError(
                        f"The {what} names '{name[:40]}', which is not an attribute: choose among {', '.join(self.names[:20])}."
                    )
            axes = tuple(places[name] for name in members)
            if len(set(axes)) != len(axes):
                raise InputError(f"The {what} names an attribute twice in '{part.strip()[:40]}': name each once.")
            sets.append(axes)
        return tuple(sets)

    def tell_learned(self) -> None:
        """Say which categories were read off the table."""
        if self.declared is not None and self.rules is not None:
            tell_learned(self.declared, self.rules)


def add_planned(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options that ``planned`` reads."""
    add_input(command, instead="the table to plan for: ")
    adder(command)("--attributes", "with --in: its columns to ask about, for example a,b,c (default: all that can be)", entries)
    add_recoding(command)
    add_categories(command, "without --in for every attribute, with --in for the columns that you name: ")
    add = adder(command)
    add("--merge-rare", f"merge categories of fewer than {FEW_PEOPLE} people into '{OTHER}'", action="store_true")
    add("--publish-categories", f"write categories of fewer than {FEW_PEOPLE} people as they are", action="store_true")
    add("--sizes", "where no categories are known: how many each attribute has, for example 5,5,5,5", _sizes, metavar="SIZES")
    add("--names", "with --sizes: names of the attributes, for example sex,age; else 1, 2, ... or a, b, ...", entries)


def add_categories(command: argparse.ArgumentParser, when: str) -> None:
    """Give ``command`` the option that declares the categories of attributes."""
    adder(command)(
        "--categories",
        f"{when}the categories of an attribute in order, separated by |, for example 'smokes=no|yes'; one for each attribute",
        "ATTRIBUTE=A|B",
        many=True,
    )


def declared(options: argparse.Namespace) -> dict[str, Attribute]:
    """The attributes that ``--categories`` declares, by name. Raises InputError."""
    found = {}
    for name, rest in named_parts(options.categories, "--categories", "'attribute=...', for example 'smokes=no|yes'").items():
        if "|" not in rest:
            raise InputError(f"'{name}' has only the category '{rest[:40]}': separate them by |, as in '{name}=no|yes'.")
        found[name] = Attribute(name, tuple(rest.split("|")))
    return found


def planned(options: argparse.Namespace) -> PlannedAttributes:
    """What the options say. Raises InputError where they say nothing, or two things."""
    given = [name for name in ("in", "categories", "sizes") if getattr(options, "input" if name == "in" else name)]
    if len(given) != 1 and given != ["in", "categories"]:
        named = " and ".join(f"--{name}" for name in given) or "none of them"
        raise InputError(
            "What is asked is given by --in, a table, or by --categories of every attribute, or by --sizes, their numbers: "
            f"give one of these; found {named}."
        )
    if options.names and not options.sizes:
        raise InputError("--names go along with --sizes: leave them out, since attributes have names already.")
    if (options.attributes or options.bins) and not options.input:
        raise InputError("--attributes and --bins are about the columns of a table: name it with --in, or leave them out.")
    if not options.input:
        refuse_given(options, ["missing", "merge_rare", "publish_categories", *LAYOUT], "Without --in no table is read")
    if options.sizes:
        return PlannedAttributes(_names(options.names, len(options.sizes)), tuple(options.sizes))
    if options.categories and not options.input:
        return _of(Schema(tuple(declared(options).values())))
    if options.merge_rare and options.publish_categories:
        raise InputError("Both --merge-rare and --publish-categories are given: give one of them.")
    with workers(options) as executor:
        table, n, rules = recoded(options, options.attributes, executor, partial(_settled, options))

    def counted(names: Sequence[str]) -> Floats:
        return count(table, [names], report=shown()).of(names) / n

    return replace(_of(table.schema), people=n, rules=rules, counted=counted)


def _settled(options: argparse.Namespace, columns: Sequence[Values], rules: dict[str, ColumnRule]) -> dict[str, ColumnRule]:
    """Return the rules with the categories that the options name or merge.

    Raises InputError if the plan that is written would publish the names of rare categories.
    """
    found = dict(rules)
    for name, attribute in declared(options).items():
        if name not in found:
            raise InputError(f"--categories names '{name[:40]}', which is not a column: choose among {', '.join(found)[:200]}.")
        if found[name].edges and any(text.partition("=")[0].strip() == name for text in options.bins):
            raise InputError(f"'{name[:40]}' has both --bins and --categories: give one of them.")
        found[name] = replace(found[name], use=True, edges=(), categories=attribute.categories, merge_below=0)
    named = [column for column in columns if found[column.name].use and column.name in (options.attributes or found)]
    rare = {column.name: len(few) for column in named if (few := rare_categories(column, found[column.name]))}
    if options.merge_rare:
        return found | {name: replace(found[name], merge_below=FEW_PEOPLE) for name in rare}
    if rare and options.out is not None and not options.publish_categories:
        listed = ", ".join(f"'{name}' ({few})" for name, few in list(rare.items())[:10]) + (", ..." if len(rare) > 10 else "")
        raise InputError(
            f"The plan would publish categories that fewer than {FEW_PEOPLE} people have. Attributes with the number of such "
            f"categories: {listed}. Add --merge-rare to merge them into '{OTHER}', --categories to name the categories of an "
            "attribute yourself, or --publish-categories to write them as they are."
        )
    return found


def _of(schema: Schema) -> PlannedAttributes:
    return PlannedAttributes(schema.names, schema.sizes, schema)


def _numbered(k: int) -> tuple[str, ...]:
    return tuple(str(i) for i in range(1, k + 1))


def _names(names: Sequence[str] | None, k: int) -> tuple[str, ...]:
    if names is None:
        return _numbered(k)
    if len(names) != k or len(set(names)) != k:
        raise InputError(
            f"There are {len(set(names))} different names for {k} attributes: give each attribute a name of its own."
        )
    return tuple(names)


def _sizes(text: str) -> list[int]:
    sizes = list(map(_size, entries(text)))
    if len(sizes) > MAX_COLUMNS:
        raise InputError(f"There are {len(sizes):,} attributes: use at most {MAX_COLUMNS:,}.")
    return sizes


def _size(text: str) -> int:
    try:
        size = int(text)
    except ValueError:
        raise InputError(
            f"The number of categories is '{text}': give whole numbers of at least 2, for example 5,5,5,5."
        ) from None
    if not 2 <= size <= MAX_PLANNED_CATEGORIES:
        raise InputError(f"The number of categories is {size}: give whole numbers from 2 to {MAX_PLANNED_CATEGORIES:,}.")
    return size
