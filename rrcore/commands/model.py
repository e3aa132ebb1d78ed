"""The command ``model``: a regression on collected answers whose outcome or predictors were randomised."""

import argparse
import math
from collections.abc import Sequence
from typing import Any

from rrcore.answers import Answers
from rrcore.commands.document_options import add_document, add_internal, check_report, front, wordings
from rrcore.commands.files import load_mechanism, save
from rrcore.commands.sample import add_sample, sampled
from rrcore.commands.sources import read_records
from rrcore.commands.table_options import entries
from rrcore.commands.values import USUAL_CONFIDENCE, add_confidence, adder
from rrcore.errors import InputError
from rrcore.estimate import margin
from rrcore.estimate.models import (
    FAMILIES,
    Averages,
    Fit,
    Penalty,
    correlations,
    fit,
    headline,
    rare_categories,
    read_covariates,
    read_terms,
)
from rrcore.estimate.models.model import Refusing
from rrcore.table.mark import marks_in, warning
from rrcore.wording import Quantity, amount_beside, amount_range_text, counted, factor_range_text, minus, p_text
from rrcore.wording.json_values import fields_of, finite

_PENALTIES: dict[str, Penalty] = {"none": "", "ridge": "ridge"}
_REFUSING: dict[str, Refusing] = {"anyone": "anyone", "others": "others"}


def add_model(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``model``, what it runs and how its result is printed."""
    add = adder(command)
    add("--mechanism", "a mechanism file; one for each group, with its --in", "FILE", required=True, action="append")
    add("--in", "collected answers, one or many files", "FILE", dest="input", required=True, action="append", nargs="+")
    add("--outcome", "a randomised attribute, or another column of the answers", "NAME", required=True)
    add(
        "--predictors",
        "attributes and columns, separated by commas; also age^2, 'age > 40', 'region: north' to compare with north, and a*b for two with "
        "their interaction",
        "LIST",
        required=True,
    )
    add("--family", "kind of regression", FAMILIES, default="logistic")
    add("--reference", "the answer that the others are compared with (default the first)", "CATEGORY", default="")
    add("--refusal", "estimate how many people always say this; needs two groups", "ANSWER", default="")
    add("--refusing", "with --refusal: anyone, or people with other true answers", _REFUSING, default="anyone")
    add("--penalty", "draw log odds weakly towards 0, where an effect has no finite estimate", _PENALTIES, default="none")
    add("--merge-rare", "take rare categories of outcome and predictors as one; says which", action="store_true")
    add("--random", "give every group of this column an intercept of its own", "COLUMN", default="")
    add("--average", "average predictions with everybody given each value of this predictor", "PREDICTOR")
    add("--by", "average predictions within the groups of this column", "COLUMN")
    add("--test", "test together whether these terms have any effect, for example age,age^2", "LIST")
    add("--correlate", "correlations of these attributes and columns, in pairs", "LIST")
    add("--csv", "write the coefficients as a table", "FILE")
    add_confidence(command)
    add_sample(command)
    add_document(command, "the regression, with every question in words and numbers,")
    add_internal(command)
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    check_report(options)
    if options.report and options.confidence != USUAL_CONFIDENCE:
        raise InputError("What --report adds has 95 % intervals: leave out --confidence, or --report.")
    if options.report and len(options.mechanism) > 1:
        raise InputError("A report is of answers to one mechanism: give --mechanism and --in once, or leave out --report.")
    if len(options.mechanism) != len(options.input):
        raise InputError(
            f"{counted(len(options.mechanism), 'mechanism file is', 'mechanism files are')} given and answers to {len(options.input)}: "
            "give --mechanism and --in once for each group."
        )
    groups = []
    for mechanism, names in zip(options.mechanism, options.input, strict=True):
        groups.append(sampled(read_records(names, load_mechanism(mechanism)), options))
    predictors = entries(options.predictors)
    found = fit(
        groups,
        options.outcome,
        predictors,
        family=options.family,
        reference=options.reference,
        always=options.refusal,
        refusing=_REFUSING[options.refusing],
        penalty=_PENALTIES[options.penalty],
        random=options.random,
        merge=_rare(groups, options.outcome, predictors) if options.merge_rare else {},
    )
    mark = marks_in(answers.mark for answers in groups)
    if options.csv:
        save(options.csv, found.to_csv(options.confidence, mark=mark))
    if options.report:
        _report(groups, found, options)
    correlated = _correlations(groups, entries(options.correlate), options.confidence) if options.correlate else {}
    return {"simulation": mark or None} | _result(found, options) | correlated


def _report(groups: Sequence[Answers], found: Fit, options: argparse.Namespace) -> None:
    from rrcore.report import questions_after, report_after

    (answers,) = groups
    asked = wordings(options, answers.schema.names)
    questions = questions_after(answers)
    page = report_after(answers, questions, (), front(options), wordings=asked, internal=options.internal, regressions=[found])
    save(options.report, page)


def _rare(groups: Sequence[Answers], outcome: str, predictors: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The rare categories of the first group; others have the same attributes."""
    first = groups[0]
    columns = read_covariates(first.groupings, first.n)
    known = [*first.schema.names, *columns]
    terms = [term for text in predictors for term in read_terms(text, known) if not term.numeric and term.by is None]
    return rare_categories(first, columns, [name for name in (outcome, *(term.column for term in terms)) if name in known])


def _correlations(groups: Sequence[Answers], names: Sequence[str], confidence: float) -> dict[str, Any]:
    if len(groups) > 1:
        raise InputError("Correlations are of answers to one mechanism: give --mechanism and --in once.")
    rows = []
    for one in correlations(groups[0], names):
        low, high = one.interval(confidence)
        rows.append(
            {
                "names": list(one.names), "correlation": one.value, "standard_error": one.standard_error, "low": low, "high": high,
                "p_value": one.p_value, "naive": finite(one.naive), "answers": one.n,
            }
        )  # fmt: skip
    return {"correlations": rows}


def _result(found: Fit, options: argparse.Namespace) -> dict[str, Any]:
    result: dict[str, Any] = {
        "outcome": found.model.outcome,
        "family": found.model.family,
        "reference": found.reference,
        "answers": found.n,
        "confidence": options.confidence,
        "sentence": headline(found, options.confidence),
        "coefficients": finite(found.rows(options.confidence)),
        "log_likelihood": finite(found.log_likelihood),
        "parameters": found.parameters,
        "notes": list(found.notes),
    }
    if found.refusals:
        result["always"] = {"answer": found.model.always, "share": found.refusals[0], "standard_error": found.refusals[1]}
    if found.deviation:
        result["random"] = {"column": found.model.random, "deviation": found.deviation[0], "standard_error": found.deviation[1]}
    if options.test:
        terms = entries(options.test)
        result["test"] = {"terms": terms} | fields_of(found.test(*terms), "kind statistic freedom p_value")
    if options.average:
        result["average"] = {"predictor": options.average, "rows": _averages(found.average(options.average), options.confidence)}
    if options.by:
        result["by"] = {"column": options.by, "rows": _averages(found.average(by=options.by), options.confidence)}
    return result


def _averages(averages: Averages, confidence: float) -> list[dict[str, Any]]:
    return list(map(finite, averages.rows(confidence)))


def _tell(result: dict[str, Any]) -> str:
    lines = [warning(result["simulation"])] if result["simulation"] else []
    lines += [result["sentence"], f"{counted(result['answers'], 'answer', 'answers')} used", *result["notes"]]
    several = len({row["outcome"] for row in result["coefficients"]}) > 1
    for row in result["coefficients"]:
        name = f"{row['outcome']}, {row['term']}" if several else row["term"]
        naive = (
            "" if row["naive"] is None else f"; on the released answers {amount_beside(row['naive'], row['low'], row['high'])}"
        )
        odds = (
            f", odds x {factor_range_text(row['odds ratio'], row['odds low'], row['odds high'])}" if "odds ratio" in row else ""
        )
        lines.append(
            f"{name}: {amount_range_text(row['coefficient'], row['low'], row['high'])}, p {_p_value(row['p-value'])}{odds}{naive}"
        )
    share = Quantity("share", "", "the population")
    if always := result.get("always"):
        said, half = always["share"], float(margin(always["standard_error"], result["confidence"]))
        lines.append(f"always say '{always['answer']}': {share.estimated(said, said - half, said + half)}")
    if test := result.get("test"):
        lines.append(
            f"{' and '.join(test['terms'])} together ({test['kind']}): chi-square {test['statistic']:.2f}, {test['freedom']:.3g} degrees of "
            f"freedom, p {_p_value(test['p_value'])}"
        )
    for row in result.get("correlations", []):
        alone = "" if row["naive"] is None else minus("; on the released answers {naive:.3f}".format(**row))
        lines.append(
            f"{' and '.join(row['names'])}: correlation {minus('{correlation:.3f} ({low:.3f} to {high:.3f})'.format(**row))}, standard error "
            f"{row['standard_error']:.3f}, p {_p_value(row['p_value'])}{alone}"
        )
    for key, name in (("average", "predictor"), ("by", "column")):
        if table := result.get(key):
            for row in table["rows"]:
                written = share.estimated if result["family"] == "logistic" else amount_range_text
                lines.append(f"{table[name]} {row['at']}, {row['outcome']}: {written(row['average'], row['low'], row['high'])}")
    return "\n".join(lines)


def _p_value(value: float | None) -> str:
    return "unknown" if value is None or math.isnan(value) else p_text(value)
