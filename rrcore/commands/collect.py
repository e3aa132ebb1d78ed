"""The commands ``collect`` (randomise true answers for real) and ``read`` (estimates from collected answers)."""

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from rrcore.answers import (
    Answers,
    MarginalSummary,
    PairSummary,
    about_sample,
    ordered_summary_dict,
    pair_summaries,
    summarise_marginal,
    summarise_model,
    summary_dict,
    too_wide_to_summarise,
    unmatched_sentences,
)
from rrcore.answers.rows import check_beside
from rrcore.commands.document_options import add_document, add_internal, check_report, front, wordings
from rrcore.commands.files import load_mechanism, save, tidied
from rrcore.commands.progress import shown
from rrcore.commands.read_options import (
    Scores,
    add_read_options,
    among_entries,
    among_lines,
    among_of,
    ordered_lines,
    scores_of,
)
from rrcore.commands.recoding import add_missing
from rrcore.commands.releasing import release
from rrcore.commands.sample import add_sample, sample_columns
from rrcore.commands.sources import read_collected
from rrcore.commands.table_options import add_encoding, add_layout, entries
from rrcore.commands.values import USUAL_CONFIDENCE, add_confidence, adder
from rrcore.commands.workers import workers
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import closest_cell_column, merged_shares
from rrcore.mark import warning
from rrcore.promise import unreleased_columns_sentence
from rrcore.promise.coder import read_as
from rrcore.wording import Quantity, count_text, counted, percent, strength_range_text, written_total_text
from rrcore.wording.json_values import fields_of, finite
from rrcore.writing import KINDS_TEXT


def add_collect(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``collect``, what it runs and how its result is printed. There is no seed."""
    add = adder(command)
    add("--mechanism", "a mechanism file", "FILE", required=True)
    add("--in", "the true answers: a table of any size, or a folder of such", "FILE", dest="input", required=True)
    add(
        "--out",
        f"where the randomized answers go: {KINDS_TEXT}",
        "FILE",
        required=True,
    )
    add(
        "--known",
        "columns that leave beside the randomised answers as they are, for example 'region': what is known about everybody anyway",
        "NAMES",
    )
    add("--ledger", "record the release in this ledger when its file is there, and only then", "FILE")
    add("--population", "with --ledger: the group of people, for example 'panel 2026'", "TEXT", default="")
    add(
        "--second-draw",
        "with --ledger: randomise answers anew that were randomised by this mechanism file before, which costs its total again",
        action="store_true",
    )
    add_missing(command, "its row is left out, as where that is no category")
    add_layout(command)
    command.set_defaults(run=_collect, tell=_tell_collect, checks_outputs=True, spreads=True)


def add_read(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``read``."""
    add = adder(command)
    add("--mechanism", "a mechanism file", "FILE", required=True)
    add("--in", "collected answers: files or folders of any size", "FILE", dest="input", required=True, nargs="+")
    add("--marginal", "attributes whose joint distribution is estimated, for example a,b; else each on its own")
    add("--by", "estimate anew for each value of this column, which was not randomised", "COLUMN")
    add_read_options(command)
    add("--pairs", "dependence of every pair, and the test of independence", action="store_true")
    add("--against", "what errors are against", ("population", "people"), default="population")
    add_confidence(command)
    add_sample(command)
    add_document(command, "findings in words and numbers")
    add_internal(command)
    add_encoding(command)
    command.set_defaults(run=_read, tell=_tell_read, spreads=True)


def _collect(options: argparse.Namespace) -> dict[str, Any]:
    mechanism = load_mechanism(options.mechanism)
    with tidied(), workers(options) as executor:
        found = release(options, mechanism, executor, shown())
    return {
        "records": found.trailer.rows,
        "mechanism": mechanism.sha256,
        "draw": found.trailer.draw,
        "recorded": options.ledger is not None,
        "read_as": read_as(mechanism.schema),
        "left_out": found.left_out,
        **({"known": unreleased_columns_sentence(entries(options.known))} if options.known else {}),
        "total": mechanism.certificate.to_dict(mechanism.schema.names)["total"],
    }


def _tell_collect(result: dict[str, Any]) -> str:
    text = (
        f"{counted(result['records'], 'record', 'records')} randomised, total {written_total_text(result['total']['nats'])} nats"
        f"{', recorded in the ledger' if result['recorded'] else ''}; sha256 {result['mechanism']}"
    )
    text += f"\n{counted(result['left_out'], 'row', 'rows')} left out, which lack an answer" if result["left_out"] else ""
    text += "".join(f"\n{sentence}" for sentence in result["read_as"])
    text += f"\n{result['known']}" if "known" in result else ""
    if result["recorded"]:
        return text
    return f"{text}\nGive out this draw only: a second one of the same answers costs its total again. --ledger keeps account of that."


def _read(options: argparse.Namespace) -> dict[str, Any]:
    check_report(options)
    usual = next((name for name in ("among", "pairs", "report") if getattr(options, name)), "")
    if usual and options.confidence != USUAL_CONFIDENCE:
        raise InputError(f"What --{usual} adds has 95 % intervals: leave out --confidence, or --{usual}.")
    mechanism = load_mechanism(options.mechanism)
    names = mechanism.schema.names
    asked = [entries(options.marginal)] if options.marginal else [[name] for name in names]
    among = among_of(options.among, mechanism.schema)
    wanted: list[Sequence[str]] = [*([name] for name in names), *asked, *(combinations(names, 2) if options.pairs else ())]
    wanted += [[*each, among[0]] for each in asked if among and among[0] not in each]
    answers = read_collected(options, mechanism, sample_columns(options), wanted, by=options.by or "")
    for sentence in unmatched_sentences(answers)[1]:
        print(sentence, file=sys.stderr)
    population = options.against == "population"
    scores = scores_of(options, mechanism.schema, asked)
    wide = [names for names in asked if too_wide_to_summarise(answers, names)]
    modelled = [summarise_model(answers, names, answers.model()) for names in wide]
    marginals, unread = _summaries(answers, [names for names in asked if names not in wide], population, options.confidence)
    dependence = pair_summaries(answers) if options.pairs else ()
    result = summary_dict(
        answers,
        marginals,
        dependence,
        population=population,
        scores=scores,
        confidence=options.confidence,
    )
    result["cannot_be_read"] = unread
    result["from_the_model"] = [
        {"attributes": list(each.schema.names), "cells": each.table(), "note": each.note} for each in modelled
    ]
    result["about_the_sample"] = about_sample(answers, marginals[0].estimate) if marginals else []
    if among:
        result["among"] = among_entries(answers, asked, among, population=population)
    if options.by:
        asked = [list(marginal.schema.names) for marginal in marginals]
        check_beside([options.by], answers.beside)
        parts = answers.split(options.by)
        groups = _groups(parts, asked, population, scores, options)
        if among:
            for group, part in zip(groups, parts.values(), strict=True):
                group["among"] = among_entries(part, asked, among, population=population)
        result["by"] = {"column": options.by, "groups": groups}
    if options.report:
        _save_report(options, answers, marginals, dependence)
    return result


def _save_report(
    options: argparse.Namespace, answers: Answers, marginals: Sequence[MarginalSummary], dependence: Sequence[PairSummary]
) -> None:
    """Write the report of findings."""
    from rrcore.report import questions_after, report_after

    page = report_after(
        answers,
        questions_after(answers, marginals[0] if options.marginal and marginals else None),
        dependence,
        front(options),
        wordings=wordings(options, answers.mechanism.schema.names),
        population=options.against == "population",
        internal=options.internal,
    )
    save(options.report, page)


def _summaries(
    answers: Answers, asked: list[list[str]], population: bool, confidence: float
) -> tuple[list[MarginalSummary], list[dict[str, Any]]]:
    """What can be read, and why the rest cannot. Raises NotIdentifiableError where nothing can."""
    found, unread = list[MarginalSummary](), list[dict[str, Any]]()
    for names in asked:
        try:
            found.append(summarise_marginal(answers, names))
        except NotIdentifiableError as error:
            how: dict[str, Any] = {"population": population, "confidence": confidence}
            together = merged_shares(answers, names[0], **how) if len(names) == 1 else ()
            if len(asked) == 1 and not together:
                raise
            shares = [fields_of(one, "categories share low high") for one in together]
            unread.append(
                {"attributes": names, "why": str(error), "together": shares, "sentences": [one.sentence for one in together]}
            )
    if unread and not found and not any(each["together"] for each in unread):
        raise InputError(unread[0]["why"])
    return found, unread


def _groups(
    parts: Mapping[str, Answers], asked: list[list[str]], population: bool, scores: Scores, options: argparse.Namespace
) -> list[dict[str, Any]]:
    found, how = [], {"population": population, "confidence": options.confidence}
    for value, part in parts.items():
        lines = [summarise_marginal(part, names) for names in asked]
        marginals = [finite(each.table(**how)) for each in lines]
        ordered = [ordered_summary_dict(each, scores, **how) for each in lines]
        found.append({"value": value, "answers": part.n, "marginals": marginals, "ordered": ordered})
    return found


def _tell_read(result: dict[str, Any]) -> str:
    lines = [warning(result["simulation"])] if result["simulation"] else []
    lines += [f"{counted(result['answers'], 'answer', 'answers')} used, total {written_total_text(result['total'])} nats"]
    lines += [f"left out: {count_text(each['rows'])} rows, {each['reason']} ({each['first']})" for each in result["left_out"]]
    lines += [f"missing: {count_text(each['rows'])} rows, {each['reason']} ({each['first']})" for each in result["unmatched"]]
    lines += result["about_the_sample"]
    for marginal in result["marginals"]:
        if marginal["answers"] < result["answers"]:
            lines.append(f"{', '.join(marginal['attributes'])}: {counted(marginal['answers'], 'answer', 'answers')}")
        lines += _cells(marginal["cells"], len(marginal["attributes"]))
        lines += ordered_lines(marginal["ordered"])
        lines += [marginal["weakest"]["note"]] if marginal["weakest"] and marginal["weakest"]["note"] else []
    for each in result["from_the_model"]:
        lines.append(each["note"])
        *categories, shares = each["cells"].values()
        for cell, share in zip(zip(*categories, strict=True), shares, strict=True):
            lines.append(f"{', '.join(map(' '.join, zip(each['attributes'], cell, strict=True)))}: {percent(share)}")
    for each in result["cannot_be_read"]:
        lines += [each["why"], *(f"{each['attributes'][0]} {sentence}" for sentence in each["sentences"])]
    lines += among_lines(result["among"]) if "among" in result else []
    for pair in result["pairs"]:
        text = (
            "not identifiable" if pair["v"] is None else f"V {pair['v']:.3f} ({strength_range_text(pair['low'], pair['high'])})"
        )
        p_value = "" if pair["p_value"] is None else f", p {pair['p_value']:.3g}"
        lines.append(f"{' with '.join(pair['attributes'])}: {text}{p_value}{'; ' + pair['note'] if pair['note'] else ''}")
    for group in result.get("by", {}).get("groups", []):
        lines.append(f"{result['by']['column']} {group['value']}: {counted(group['answers'], 'answer', 'answers')}")
        lines += [f"  {line}" for line in _group_lines(group, result["marginals"])]
    return "\n".join(lines)


def _group_lines(group: dict[str, Any], marginals: list[dict[str, Any]]) -> list[str]:
    lines = []
    for marginal, table, ordered in zip(marginals, group["marginals"], group["ordered"], strict=True):
        lines += [*_cells(table, len(marginal["attributes"])), *ordered_lines(ordered)]
    return lines + (among_lines(group["among"]) if "among" in group else [])


def _cells(table: dict[str, list[Any]], w: int) -> list[str]:
    names = list(table)[:w]
    lines, first = [], closest_cell_column(table)
    for i, share in enumerate(table[first]):
        label = ", ".join(f"{name} {table[name][i]}" for name in names)
        shown, unbiased = (
            Quantity("share", label).estimated(*(math.nan if each is None else each for each in ends))
            for ends in (
                (share, table[f"{first} low"][i], table[f"{first} high"][i]),
                (table["estimate"][i], table["low"][i], table["high"][i]),
            )
        )
        lines.append(f"{label}: {shown}, unbiased {unbiased}")
    return lines
