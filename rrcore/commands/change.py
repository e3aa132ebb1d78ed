"""The command ``change``: how shares changed between two waves of a survey."""

import argparse
import math
from typing import Any

from rrcore.answers import Waves, compare_waves
from rrcore.commands.files import load_mechanism
from rrcore.commands.sample import add_sample, sampled
from rrcore.commands.sources import read_records
from rrcore.commands.table_options import entries
from rrcore.commands.values import add_confidence, adder
from rrcore.promise import WAYS, MechanismFile
from rrcore.table.mark import marks_in, warning
from rrcore.wording import Quantity, count_text, counted, percent
from rrcore.wording.json_values import fields_of, finite


def add_change(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``change``, what it runs and how its result is printed."""
    add = adder(command)
    add("--first", "answers of the earlier wave", "FILE", required=True)
    add("--second", "answers of the later wave", "FILE", required=True)
    add("--mechanism", "the mechanism file of both", "FILE", required=True)
    add("--second-mechanism", "the mechanism file of the later wave, where it is another one", "FILE")
    add("--id", "a column that is the same for the same person in both; without it they are two samples", "COLUMN")
    add("--way", "how chance was drawn over the waves", WAYS, default="fresh")
    add("--marginal", "attributes whose joint distribution is compared, for example a,b; else each on its own")
    add_sample(command)
    add_confidence(command)
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    mechanism = load_mechanism(options.mechanism)
    later = load_mechanism(options.second_mechanism) if options.second_mechanism else mechanism
    first, second = read_records([options.first], mechanism), sampled(read_records([options.second], later), options)
    if not options.id:  # linked people have the weights of the later wave
        first = sampled(first, options)
    asked = [entries(options.marginal)] if options.marginal else [[name] for name in _common(mechanism, later)]
    found = [compare_waves(first, second, names, identifier=options.id or "", way=options.way) for names in asked]
    return {
        "simulation": marks_in([first.mark, second.mark]) or None,
        "way": options.way,
        "confidence": options.confidence,
        "linked": bool(options.id),
        **fields_of(found[0], "both only_first only_second"),
        "marginals": [_entry(waves, options.confidence) for waves in found],
    }


def _common(first: MechanismFile, second: MechanismFile) -> list[str]:
    """What both waves ask; where they have nothing in common, what the first one asks, so that the difference is named."""
    return [name for name in first.schema.names if name in second.schema.names] or list(first.schema.names)


def _entry(waves: Waves, confidence: float) -> dict[str, Any]:
    moves = None
    if waves.moves is not None:
        low, high = waves.moves.interval(confidence, population=True)
        moves = {
            "cells": [list(names) for _, names in sorted(waves.moves.cells(waves.moves.shares.size))],
            "share": waves.moves.shares.ravel().tolist(),
            "low": low.ravel().tolist(),
            "high": high.ravel().tolist(),
        }
    return {
        "attributes": list(waves.change.schema.names),
        "sentence": waves.sentence(confidence),
        "change": finite(waves.change.table(confidence)),
        "moves": moves,
        "note": waves.note,
    }


def _tell(result: dict[str, Any]) -> str:
    if result["linked"]:
        alone = f"{count_text(result['only_first'])} only in the first, {count_text(result['only_second'])} only in the second"
        lines = [f"{counted(result['both'], 'person', 'people')} in both waves ({alone})"]
    else:
        lines = [f"two samples, of {count_text(result['only_first'])} and {counted(result['only_second'], 'answer', 'answers')}"]
    if result["simulation"]:
        lines = [warning(result["simulation"]), *lines]
    for marginal in result["marginals"]:
        lines.append(marginal["sentence"])
        lines += _cells(marginal["change"], len(marginal["attributes"]))
        if marginal["moves"] is not None:
            lines += _moves(marginal["moves"])
        lines += [marginal["note"]] if marginal["note"] else []
    return "\n".join(lines)


def _cells(table: dict[str, list[Any]], w: int) -> list[str]:
    names, lines = list(table)[:w], []
    for i, change in enumerate(table["change"]):
        label = ", ".join(f"{name} {table[name][i]}" for name in names)
        ends = (math.nan if table[end][i] is None else table[end][i] for end in ("low", "high"))  # None: of single answers
        text = Quantity("share", label).changed(change, *ends)
        lines.append(f"{label}: {percent(table['first'][i])}, then {percent(table['second'][i])}; change in points {text}")
    return lines


def _moves(moves: dict[str, list[Any]]) -> list[str]:
    ends = zip(moves["cells"], moves["share"], moves["low"], moves["high"], strict=True)
    half = len(moves["cells"][0]) // 2
    return [
        f"first {', '.join(cell[:half])}, then {', '.join(cell[half:])}: {Quantity('share', 'moves').estimated(share, low, high)}"
        for cell, share, low, high in ends
    ]
