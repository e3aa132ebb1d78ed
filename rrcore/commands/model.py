"""The command ``model``: a regression on collected answers whose outcome or predictors were randomized."""

import argparse
from typing import Any

from rrcore.commands.files import load_mechanism, save
from rrcore.commands.sample import add_sample, sampled
from rrcore.commands.sources import read_records
from rrcore.commands.values import add_confidence, adder, named_parts
from rrcore.estimate.regression import fit
from rrcore.mark import warning
from rrcore.wording.json_values import finite


def add_model(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``model``, what it runs and how its result is printed."""
    add = adder(command)
    add("--mechanism", "the mechanism file", "FILE", required=True)
    add("--in", "collected answers, one or many files", "FILE", dest="input", required=True, nargs="+")
    add("--formula", "outcome and predictors, for example 'smokes ~ age + sex*region'", "FORMULA", required=True)
    add("--kind", "logistic or linear [logistic]", ("logistic", "linear"), default="logistic")
    add("--reference", "category that the others of a column are compared with [the first]", "NAME=CATEGORY", many=True)
    add("--csv", "write the coefficients as a table", "FILE")
    add_confidence(command)
    add_sample(command)
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    answers = sampled(read_records(options.input, load_mechanism(options.mechanism)), options)
    reference = named_parts(options.reference, "--reference", "NAME=CATEGORY")
    found = fit(options.formula, answers, kind=options.kind, reference=reference)
    alpha = 1 - options.confidence
    if options.csv:
        save(options.csv, found.to_csv(alpha, mark=answers.mark))
    return {
        "simulation": answers.mark or None,
        "formula": found.formula,
        "regression": found.kind,
        "reference": found.reference,
        "answers": found.nobs,
        "confidence": options.confidence,
        "coefficients": finite(found.rows(alpha)),
        "log_likelihood": finite(found.llf),
        "notes": list(found.notes),
        "summary": found.summary(alpha),
    }


def _tell(result: dict[str, Any]) -> str:
    return "\n".join([warning(result["simulation"])] * bool(result["simulation"]) + [result["summary"]])
