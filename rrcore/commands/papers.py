"""The command ``papers``: which tables and figures of papers are here, and what they give when measured again."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from rrcore.commands.files import STANDARD, load, save, say, title
from rrcore.commands.progress import shown
from rrcore.commands.values import adder, refuse_given, seed
from rrcore.commands.workers import workers
from rrcore.wording import counted
from rrcore.wording.json_values import fields_of

if TYPE_CHECKING:
    from rrcore.research.papers import Result

_TASKS = ("list", "run")


def add_papers(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``papers``, what it runs and how its result is printed."""
    add = adder(command)
    add("task", "list every table and figure, or run: measure them and say whether they agree", _TASKS)
    add("id", "one table or figure, as the list names it; without it all of them", "ID", nargs="?")
    add("--fast", "few repeats: all of them in minutes", action="store_true")
    add("--adult", "the table UCI Adult with a header, which some of them need", "FILE")
    add("--seed", "seed of the simulations", seed, default=0)
    add("--markdown", "also write the results as a document", "FILE", dest="out")
    command.set_defaults(run=_run, tell=_tell, spreads=True)


def _run(options: argparse.Namespace) -> dict[str, Any] | None:
    from rrcore.research.papers import ENTRIES, find

    if options.task == "list":
        refuse_given(options, ["fast", "adult", "seed", "out"], "'papers list' measures nothing")
    entries = [find(options.id)] if options.id else list(ENTRIES.values())
    if options.task == "run":
        results = _measure(options, entries)
        return {"results": [result.to_dict() for result in results]} if options.json else None
    listed = [
        {"id": entry.id, "paper": entry.paper.short}
        | fields_of(entry, "place title needs_adult")
        | {"runs": entry.measure is not None}
        for entry in entries
    ]
    return {"entries": listed}


def _measure(options: argparse.Namespace, entries: list[Any]) -> list[Result]:
    """Results, each printed as soon as it is there unless all of them are printed as JSON."""
    from rrcore.research.papers import document, read_adult, run_all
    from rrcore.table import read_text_table

    adult = read_adult(read_text_table(load(options.adult), title(options.adult))) if options.adult else None
    results = []
    with workers(options) as executor:
        chosen = {"seed": options.seed, "fast": options.fast, "adult": adult}
        for result in run_all(entries, **chosen, executor=executor, report=shown()):
            results.append(result)
            if options.json or options.out == STANDARD:
                print(f"{result.entry.id}: {result.verdict}", file=sys.stderr, flush=True)
            else:
                say(_sentences(result))
    if options.out:
        save(options.out, document(results))
    return results


def _sentences(result: Result) -> str:
    from rrcore.research.papers.markdown import exact, place_text

    entry = result.entry
    lines = [f"{entry.id}: {result.verdict} ({result.seconds:.1f} s)", f"  {entry.place}. {entry.title}", f"  {result.sentence}"]
    for one in result.measured:
        points = ", ".join(f"{place_text(place)}: {y:.4g}" for place, y in zip(one.x, one.y, strict=True))
        lines.append(f"  measured {one.name}{f' ({one.panel})' if one.panel else ''}: {points}")
    for one in entry.published:
        points = ", ".join(f"{place_text(place)}: {exact(y)}" for place, y in zip(one.x, one.y, strict=True))
        lines.append(f"  printed {one.name}{f' ({one.panel})' if one.panel else ''}: {points} [{one.source}]")
    return "\n".join(lines)


def _tell(result: dict[str, Any]) -> str:
    lines, paper = [], ""
    for each in result["entries"]:
        if each["paper"] != paper:
            paper = each["paper"]
            lines.append(paper)
        needs = " (needs UCI Adult)" if each["needs_adult"] else "" if each["runs"] else " (cannot be run)"
        lines.append(f"  {each['id']}: {each['place']}. {each['title']}{needs}")
    return "\n".join([*lines, counted(len(result["entries"]), "entry", "entries")])
