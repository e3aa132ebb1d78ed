"""The commands ``collect`` (randomise true answers for real) and ``read`` (estimates from collected answers)."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rrcore.answers import (
    GROUP,
    Answers,
    Collected,
    MarginalSummary,
    about_sample,
    collection_dict,
    count_answers,
    count_groups,
    pair_summaries,
    read_answers,
    read_groups,
    summarise_marginal,
)
from rrcore.answers.answers import starts_as_lines
from rrcore.commands.always import add_always, always_entries
from rrcore.commands.documents import add_document, check_report, front, wordings
from rrcore.commands.files import STANDARD, load, load_mechanism, save, tidied, title
from rrcore.commands.progress import shown
from rrcore.commands.releasing import release
from rrcore.commands.sample import add_sample, sample_columns, sampled
from rrcore.commands.tables import add_encoding, entries, finite
from rrcore.commands.workers import workers
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import shares_together
from rrcore.limits import MAX_FILE_BYTES
from rrcore.promise import MechanismGroups
from rrcore.table import pairs
from rrcore.table.mark import warning
from rrcore.table.stream import open_stream, read_in_batches
from rrcore.wording import count_text, counted, interval_text, percent, points, written_total_text


def add_collect(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``collect``, what it runs and how its result is printed. There is no seed."""
    command.add_argument("--mechanism", required=True, metavar="FILE", help="a mechanism file")
    command.add_argument(
        "--in",
        dest="input",
        required=True,
        metavar="FILE",
        help="the true answers: a table of any size, a folder of such, or JSON lines",
    )
    command.add_argument(
        "--out",
        required=True,
        metavar="FILE",
        help="where the randomised answers go: Parquet if the name ends in .parquet, else CSV; a name with / behind it, such as "
        "released.parquet/, is that of a folder of such files, which several workers fill faster than one file",
    )
    command.add_argument(
        "--ledger", metavar="FILE_OR_URL", help="record the release in this ledger when its file is there, and only then"
    )
    command.add_argument(
        "--population", default="", metavar="TEXT", help="with --ledger: the group of people, for example 'panel 2026'"
    )
    command.add_argument(
        "--second-draw",
        action="store_true",
        help="with --ledger: randomise answers anew that were randomised by this mechanism file before, which costs its total again",
    )
    add_encoding(command)
    command.set_defaults(run=_collect, tell=_tell_collect, checks_outputs=True, spreads=True)


def add_read(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``read``."""
    command.add_argument(
        "--mechanism",
        required=True,
        action="append",
        metavar="[GROUP=]FILE",
        help="a mechanism file; one for each group, for example north=n.json, where groups of respondents had files of their own",
    )
    command.add_argument(
        "--group",
        default=GROUP,
        metavar="COLUMN",
        help="with several mechanism files: the column of a table that names the group (default: %(default)s); lines of the form name "
        "their file themselves",
    )
    command.add_argument(
        "--in",
        dest="input",
        required=True,
        nargs="+",
        metavar="FILE",
        help="collected answers: files or folders of any size",
    )
    command.add_argument(
        "--marginal", help="attributes whose joint distribution is estimated, for example a,b; else each on its own"
    )
    command.add_argument("--by", metavar="COLUMN", help="estimate anew for each value of this column, which was not randomised")
    add_always(command)
    command.add_argument("--pairs", action="store_true", help="dependence of every pair, and the test of independence")
    command.add_argument("--against", choices=("population", "people"), default="population", help="what errors are against")
    add_sample(command)
    command.add_argument(
        "--counts-out",
        metavar="FILE",
        help="also keep the counts that estimates are made from, as an Arrow file; a run that was stopped is then taken up",
    )
    add_document(command, "findings in words and numbers")
    command.add_argument(
        "--internal",
        action="store_true",
        help="with --report: also name the files, and where rows were left out; not for handing out",
    )
    add_encoding(command)
    command.set_defaults(run=_read, tell=_tell_read, spreads=True)


def _collect(options: argparse.Namespace) -> dict[str, Any]:
    mechanism = load_mechanism(options.mechanism)
    with tidied(), workers(options) as executor:
        trailer, new = release(options, mechanism, executor, shown())
    return {
        "records": trailer.rows,
        "mechanism": mechanism.sha256,
        "draw": trailer.draw,
        "drawn_now": new,
        "recorded": options.ledger is not None,
        "total": mechanism.certificate.to_dict(mechanism.schema.names)["total"],
    }


def _tell_collect(result: dict[str, Any]) -> str:
    if not result["drawn_now"]:
        return "The file was there already, and is recorded in the ledger now; nothing was drawn."
    told = (
        f"{counted(result['records'], 'record', 'records')} randomised, total {written_total_text(result['total']['nats'])} nats"
        f"{', recorded in the ledger' if result['recorded'] else ''}; sha256 {result['mechanism']}"
    )
    if result["recorded"]:
        return told
    return f"{told}\nGive out this draw only: a second one of the same answers costs its total again. --ledger keeps account of that."


def _read(options: argparse.Namespace) -> dict[str, Any]:
    check_report(options)
    answers: Collected = _counted(options) if options.counts_out or _large(options.input) else _recorded(options)
    mechanism = answers.mechanism
    population = options.against == "population"
    asked = [entries(options.marginal)] if options.marginal else [[name] for name in mechanism.schema.names]
    marginals, unread = _summaries(answers, asked, population)
    dependence = pair_summaries(answers) if options.pairs else ()
    result = collection_dict(answers, marginals, dependence, population=population)
    result["cannot_be_read"] = unread
    result["about_the_sample"] = about_sample(answers, marginals[0].estimate) if marginals else []
    result["always"] = always_entries(options, answers, population=population)
    if options.by:
        asked = [list(marginal.schema.names) for marginal in marginals]
        parts = _split(answers, options, asked)
        result["by"] = {"column": options.by, "groups": _groups(parts, asked, population)}
    if options.report:
        from rrcore.report import every_question, report_after

        told_of = every_question(answers, marginals[0] if options.marginal else None)
        asked_as = wordings(options, mechanism.schema.names)
        told = report_after(
            answers, told_of, dependence, front(options), wordings=asked_as, population=population, internal=options.internal
        )
        save(options.report, told)
    return result


def _large(names: list[str]) -> bool:
    """Whether one of the files, or all of them together, are too large to be read whole."""
    files = [name for name in names if name != STANDARD]
    return (
        any(map(read_in_batches, files))
        or sum(Path(name).stat().st_size for name in files if Path(name).is_file()) > MAX_FILE_BYTES
    )


def _first(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            return file.read(99)
    except OSError as error:
        raise InputError(f"The file '{name}' cannot be read ({error.strerror}): check its name and place.") from error


def _counted(options: argparse.Namespace) -> Collected:
    """Answers of any size, as the counts that are needed."""
    unmet = {
        "a sample that was not drawn at random from all": not sample_columns(options).simple,
        "groups with mechanism files of their own": len(options.mechanism) > 1,
        "standard input": STANDARD in options.input,
    }
    for what in (what for what, asked in unmet.items() if asked):
        raise InputError(f"These answers are read in batches, as counts, and {what} cannot be read so: leave that out.")
    for name in options.input:
        if Path(name).is_file() and starts_as_lines(_first(name)):
            raise InputError(
                f"The file '{name}' holds lines of the form, and only tables are read in batches: split it into smaller files."
            )
    mechanism = load_mechanism(options.mechanism[0])
    wanted: list[tuple[str, ...]] = [(name,) for name in mechanism.schema.names]
    wanted += [tuple(entries(options.marginal))] if options.marginal else []
    wanted += pairs(mechanism.schema) if options.pairs else []
    if options.counts_out == STANDARD:
        raise InputError("Counts are not written to standard output: name a file with --counts-out.")
    out = Path(options.counts_out) if options.counts_out else None
    streams = [open_stream(name, encoding=options.encoding) for name in options.input]
    with workers(options) as executor:
        return count_answers(streams, mechanism, wanted, out=out, executor=executor, report=shown())


def _recorded(options: argparse.Namespace) -> Answers:
    """Answers whose records are held, with the sample that they are from."""
    return sampled(_answers(options, [(load(name), title(name)) for name in options.input]), options)


def _answers(options: argparse.Namespace, files: list[tuple[bytes, str]]) -> Answers:
    """By one mechanism file, or by those of the groups of respondents."""
    if len(options.mechanism) == 1:
        return read_answers(files, load_mechanism(options.mechanism[0]), encoding=options.encoding)
    named = [_named(text) for text in options.mechanism]
    mechanisms = MechanismGroups([(name, load_mechanism(path)) for name, path in named])
    return read_groups(files, mechanisms, column=options.group, encoding=options.encoding)


def _named(text: str) -> tuple[str, str]:
    """A group's name and its file; the name of the file where there is none."""
    name, given, path = text.partition("=")
    return (name, path) if given and not Path(text).exists() else (Path(text).stem, text)


def _summaries(
    answers: Collected, asked: list[list[str]], population: bool
) -> tuple[list[MarginalSummary], list[dict[str, Any]]]:
    """What can be read, and why the rest cannot. Raises NotIdentifiableError where nothing can."""
    found, unread = list[MarginalSummary](), list[dict[str, Any]]()
    for names in asked:
        try:
            found.append(summarise_marginal(answers, names))
        except NotIdentifiableError as error:
            together = shares_together(answers, names[0], population=population) if len(names) == 1 else ()
            if len(asked) == 1 and not together:
                raise
            told = [
                {"categories": list(one.categories), "share": one.share, "low": one.low, "high": one.high} for one in together
            ]
            unread.append(
                {"attributes": names, "why": str(error), "together": told, "sentences": [one.sentence for one in together]}
            )
    if not found and not any(each["together"] for each in unread):
        raise InputError(unread[0]["why"])
    return found, unread


def _split(answers: Collected, options: argparse.Namespace, asked: list[list[str]]) -> Mapping[str, Collected]:
    """The answers by the values of a column that was not randomised."""
    if not isinstance(answers, Answers):
        with workers(options) as executor:
            streams = [open_stream(name, encoding=options.encoding) for name in options.input]
            return count_groups(streams, answers.mechanism, options.by, asked, executor=executor, report=shown())
    known = [grouping.name for grouping in answers.groupings]
    if options.by not in known:
        raise InputError(f"There is no column '{options.by}' that was not randomised: choose among {', '.join(known) or 'none'}.")
    return answers.split(options.by)


def _groups(parts: Mapping[str, Collected], asked: list[list[str]], population: bool) -> list[dict[str, Any]]:
    found = []
    for value, part in parts.items():
        marginals = [summarise_marginal(part, names).table(population=population) for names in asked]
        found.append({"value": value, "answers": part.n, "marginals": [_finite(table) for table in marginals]})
    return found


def _finite(table: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {name: [finite(value) if isinstance(value, float) else value for value in column] for name, column in table.items()}


def _tell_read(result: dict[str, Any]) -> str:
    lines = [warning(result["simulation"])] if result["simulation"] else []
    lines += [f"{counted(result['answers'], 'answer', 'answers')} used, total {written_total_text(result['total'])} nats"]
    lines += [f"left out: {count_text(each['rows'])} rows, {each['reason']} ({each['first']})" for each in result["left_out"]]
    lines += result["about_the_sample"]
    for marginal in result["marginals"]:
        if marginal["answers"] < result["answers"]:
            lines.append(f"{', '.join(marginal['attributes'])}: {counted(marginal['answers'], 'answer', 'answers')}")
        lines += _cells(marginal["cells"], len(marginal["attributes"]))
        lines += [marginal["weakest"]["note"]] if marginal["weakest"] and marginal["weakest"]["note"] else []
    for each in result["cannot_be_read"]:
        lines += [each["why"], *(f"{each['attributes'][0]} {sentence}" for sentence in each["sentences"])]
    lines += [each["sentence"] for each in result["always"]]
    for group in result.get("by", {}).get("groups", []):
        lines.append(f"{result['by']['column']} {group['value']}: {counted(group['answers'], 'answer', 'answers')}")
        for marginal, table in zip(result["marginals"], group["marginals"], strict=True):
            lines += [f"  {line}" for line in _cells(table, len(marginal["attributes"]))]
    for pair in result["pairs"]:
        told = "not identifiable" if pair["v"] is None else f"V {pair['v']:.3f} ({pair['low']:.3f} to {pair['high']:.3f})"
        p_value = "" if pair["p_value"] is None else f", p {pair['p_value']:.3g}"
        lines.append(f"{' with '.join(pair['attributes'])}: {told}{p_value}{'; ' + pair['note'] if pair['note'] else ''}")
    return "\n".join(lines)


def _cells(table: dict[str, list[Any]], w: int) -> list[str]:
    names = list(table)[:w]
    lines = []
    for i, share in enumerate(table["blend"]):
        label = ", ".join(f"{name} {table[name][i]}" for name in names)
        error, ends = table["standard error"][i], (table["blend low"][i], table["blend high"][i])
        told = "unknown" if error is None or not math.isfinite(error) else points(error)
        lines.append(
            f"{label}: {percent(share)} ({interval_text(*ends)}), unbiased {percent(table['estimate'][i])}, standard error {told}"
        )
    return lines
