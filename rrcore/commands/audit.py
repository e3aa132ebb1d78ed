"""The command ``audit``: does a mechanism file, a program that says it follows one, or a set of collected answers keep its promise?"""

import argparse
from typing import Any

import numpy as np

from rrcore.answers import check_answers, read_answers
from rrcore.audit import COMMAND_STARTS, SIGHTS, STARTS, Bound, Check, Guesser, audit_file, command_sampler
from rrcore.commands.exits import CAUGHT, OK
from rrcore.commands.files import load, load_mechanism, title
from rrcore.commands.values import adder, refuse_given, whole
from rrcore.commands.workers import workers
from rrcore.errors import InputError
from rrcore.limits import AUDIT_CONFIDENCE, SAMPLER_SECONDS
from rrcore.promise import MechanismFile
from rrcore.wording import percent
from rrcore.wording.json_values import fields_of, finite


def add_audit(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``audit``, what it runs and how its result is printed."""
    add = adder(command)
    add("--mechanism", "a mechanism file", "FILE", required=True)
    add("--runs", "releases of each true record", whole("number of runs", None), default=100_000)
    add(
        "--sampler",
        "audit this program instead of the exact sampler: it reads true records as CSV with a header from standard input and writes "
        "one randomised record for each, in the same form and order, to standard output",
        "COMMAND",
    )
    add(
        "--timeout",
        "time that the program has for one batch of records",
        whole("number of seconds", None),
        default=SAMPLER_SECONDS,
        metavar="SECONDS",
    )
    add("--table", "true records that are tried one by one where not every possible one can be", "FILE")
    add("--answers", "audit these collected answers, without the true ones; nothing is run", "FILE", nargs="+")
    command.set_defaults(
        run=_run, tell=_tell, spreads=True, code=lambda result: OK if result["sound"] else CAUGHT, ends=(CAUGHT,)
    )


def _run(options: argparse.Namespace) -> dict[str, Any]:
    runs, mechanism = options.runs, load_mechanism(options.mechanism)
    if options.answers:
        if options.sampler or options.table:
            raise InputError("Collected answers are audited on their own: give --answers, or --sampler and --table, not both.")
        refuse_given(options, ["runs", "timeout"], "Nothing is run where collected answers are audited")
        return _answers(mechanism, options.answers)
    if not options.sampler:
        refuse_given(options, ["timeout"], "Without --sampler no program is run")
    sampler = (
        command_sampler(options.sampler, mechanism.schema, reports=mechanism.reports, seconds=options.timeout)
        if options.sampler
        else None
    )
    table = None
    if options.table:
        try:
            table = read_answers([(load(options.table), title(options.table))], mechanism, true=True).dataset.codes
        except InputError as error:
            raise InputError(error.discreet) from None  # these are true answers: no word of them goes to a terminal or its log
    starts = COMMAND_STARTS if sampler else STARTS
    with workers(options) as executor:
        audit = audit_file(mechanism, runs, sampler=sampler, table=table, starts=starts, executor=executor)
    names, enumeration = mechanism.schema.names, audit.enumeration
    written = {
        "agrees": None if enumeration is None else enumeration.agrees,
        "sentences": [audit.not_enumerated] if enumeration is None else list(enumeration.sentences()),
    }
    coverage = audit.coverage
    return {
        "sha256": mechanism.sha256,
        "sampler": options.sampler,
        "certificate": mechanism.certificate.to_dict(names),
        "text": mechanism.certificate.text(names),
        "enumeration": written,
        "headline": audit.headline(),
        "sound": audit.sound,
        "runs": runs,
        "confidence": AUDIT_CONFIDENCE,
        "contradicted": bool(audit.contradicted),
        "checks": [_check(check) for check in audit.checks],
        "coverage": {"tried": coverage.tried, "possible": str(coverage.possible), "each": coverage.each},
        "unseen": list(audit.unseen()),
        "bounds": [_bound(bound, names) for bound in audit.bounds],
        "guessers": [_guesser(guesser, names) for guesser in audit.guessers],
    }


def _answers(mechanism: MechanismFile, files: list[str]) -> dict[str, Any]:
    answers = read_answers([(load(name), title(name)) for name in files], mechanism)
    audit = check_answers(answers, rng=np.random.default_rng())
    return {
        "sha256": mechanism.sha256,
        "answers": audit.n,
        "left_out": answers.left_out,
        "headline": audit.headline(),
        "sound": audit.sound,
        "confidence": AUDIT_CONFIDENCE,
        "checks": [_check(check) for check in audit.checks],
        "unseen": [audit.unseen()],
    }


def _check(check: Check) -> dict[str, Any]:
    return {"check": check.key} | fields_of(check, "title tests p_value caught sentence")


def _bound(bound: Bound, names: tuple[str, ...]) -> dict[str, Any]:
    promise = bound.promise
    return {
        "promise": promise.about,
        "attribute": None if promise.axis is None else names[promise.axis],
        "claim": finite(promise.claim),
        "shown": bound.shown,
        "hits": [bound.hits, bound.other_hits],
        **fields_of(bound, "runs reach verdict"),
        "sentence": bound.sentence(names),
    }


def _guesser(guesser: Guesser, names: tuple[str, ...]) -> dict[str, Any]:
    entry = {"attribute": names[guesser.axis]} | fields_of(guesser, "sees before formula measured")
    return entry | {"interval": [guesser.low, guesser.high], "verdict": guesser.verdict}


def _tell(result: dict[str, Any]) -> str:
    lines = [result["text"], *result["enumeration"]["sentences"]] if "text" in result else []
    lines += [result["headline"], "Checks of what runs, whatever it claims:" if "text" in result else "Checks:"]
    lines += [f"  {check['title']}: {'CAUGHT. ' if check['caught'] else ''}{check['sentence']}" for check in result["checks"]]
    if "text" in result:
        lines += ["Bounds on what is promised:", *(f"  {bound['sentence']}" for bound in result["bounds"])]
        lines += ["Best guesses of a true answer, all being equally likely beforehand:", *map(_guess_line, result["guessers"])]
    return "\n".join([*lines, "What this cannot see:", *(f"  {sentence}" for sentence in result["unseen"])])


def _guess_line(one: dict[str, Any]) -> str:
    low, high = (percent(end) for end in one["interval"])
    return (
        f"  '{one['attribute']}' from {SIGHTS[one['sees']]}: computed {percent(one['formula'])}, measured {percent(one['measured'])} "
        f"({low} to {high}); {one['verdict']}"
    )
