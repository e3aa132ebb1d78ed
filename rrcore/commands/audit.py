"""The command ``audit``: does a mechanism file, a program that follows it, or a set of randomized answers keep its claimed epsilons?"""

import argparse
from typing import Any

import numpy as np

from rrcore.answers import read_answers
from rrcore.audit import Check, audit_file, check_answers, program_sampler
from rrcore.commands.exits import CAUGHT, OK
from rrcore.commands.files import load, load_mechanism, title
from rrcore.commands.values import adder, refuse_given, whole
from rrcore.limits import AUDIT_CONFIDENCE, SAMPLER_SECONDS
from rrcore.promise import MechanismFile
from rrcore.wording.json_values import fields_of, finite


def add_audit(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``audit``, what it runs and how its result is printed."""
    add = adder(command)
    add("--mechanism", "a mechanism file", "FILE", required=True)
    add("--runs", "number of true records to randomize", whole("number of runs", None), default=100_000)
    add("--sampler", "program to test in place of the exact sampler: reads and writes CSV", "COMMAND")
    add("--timeout", "time limit of the program", whole("number of seconds", None), default=SAMPLER_SECONDS, metavar="SECONDS")
    add("--answers", "collected answers to compare with the file, without running anything", "FILE", nargs="+")
    command.set_defaults(run=_run, tell=_tell, code=lambda result: OK if result["sound"] else CAUGHT, ends=(CAUGHT,))


def _run(options: argparse.Namespace) -> dict[str, Any]:
    mechanism = load_mechanism(options.mechanism)
    if options.answers:
        refuse_given(options, ["runs", "sampler", "timeout"], "--answers runs no sampler")
        return _answers(mechanism, options.answers)
    sampler = None
    if options.sampler:
        sampler = program_sampler(options.sampler, mechanism, seconds=options.timeout)
    else:
        refuse_given(options, ["timeout"], "Without --sampler no program is run")
    audit = audit_file(mechanism, options.runs, sampler=sampler)
    return {
        "sha256": mechanism.sha256,
        "sampler": options.sampler,
        "certificate": mechanism.certificate.to_dict(mechanism.schema.names),
        "headline": audit.headline(),
        "sound": audit.sound,
        "runs": audit.runs,
        "confidence": AUDIT_CONFIDENCE,
        "enumerated": None if audit.enumeration is None else audit.enumeration.agrees,
        "checks": [_check(check) for check in audit.checks],
        "attacks": [
            {**fields_of(each, "name bets right shown contradicted"), "claim": finite(each.claim)} for each in audit.attacks
        ],
        "text": [mechanism.certificate.text(mechanism.schema.names), *audit.lines()],
    }


def _answers(mechanism: MechanismFile, files: list[str]) -> dict[str, Any]:
    answers = read_answers([(load(name), title(name)) for name in files], mechanism)
    audit = check_answers(answers, rng=np.random.default_rng())
    lines = [f"  {check.title}: {'CAUGHT. ' if check.caught else ''}{check.sentence}" for check in audit.checks]
    return {
        "sha256": mechanism.sha256,
        "answers": audit.n,
        "left_out": answers.left_out,
        "headline": audit.headline(),
        "sound": audit.sound,
        "confidence": AUDIT_CONFIDENCE,
        "checks": [_check(check) for check in audit.checks],
        "text": [audit.headline(), *lines, audit.unseen()],
    }


def _check(check: Check) -> dict[str, Any]:
    return fields_of(check, "title tests p_value caught sentence")


def _tell(result: dict[str, Any]) -> str:
    return "\n".join(result["text"])
