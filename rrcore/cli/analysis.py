"""The commands ``analyze``, ``fit`` and ``audit``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter

from rrcore import answers as collected
from rrcore import auditing
from rrcore.answers.anysize import read_or_count_answers
from rrcore.auditing import check_answers, program_sampler
from rrcore.cli import options
from rrcore.cli.output import Result, Row, estimates, note, progress, save, table
from rrcore.errors import NotIdentifiableError
from rrcore.estimate.estimate import estimate_table
from rrcore.estimate.regression import fit as fit_model
from rrcore.estimate.sample import Lonely
from rrcore.limits import SAMPLER_SECONDS
from rrcore.mark import warning
from rrcore.promise import MechanismFile
from rrcore.reports import questions_after, report_after
from rrcore.wording import counted, one_line, total_text
from rrcore.wording.json_values import fields_of


@Parameter(name="*", group=options.SAMPLE)
@dataclass(frozen=True, kw_only=True)
class Sample:
    """Sample design.

    Parameters
    ----------
    weights
        Column of sampling weights
    strata
        Column of strata
    clusters
        Column of clusters, such as villages
    population_sizes
        Population size in people or clusters, or table of sizes by stratum
    lonely
        Treatment of a stratum with a single cluster
    """

    weights: str = ""
    strata: str = ""
    clusters: str = ""
    population_sizes: str = ""
    lonely: Lonely = "refuse"

    def columns(self) -> collected.SampleColumns:
        """Return the columns that describe the sample."""
        totals = collected.given_totals(self.population_sizes) if self.population_sizes else None
        return collected.SampleColumns(self.weights, self.strata, self.clusters, totals, self.lonely)


NO_SAMPLE = Sample()


class AnalyzeResult(Result, tag="analyze"):
    """Estimates from randomized answers. ``simulation`` marks simulated data."""

    n: int
    mechanism: str
    simulation: str
    population: bool
    confidence: float
    marginals: list[dict[str, Any]]
    pairs: list[Row]
    pairs_shown: str

    def text(self) -> str:
        """Return a table for each joint distribution."""
        lines = list(self.sentences)
        for each in self.marginals:
            lines += ["", estimates(each["rows"])] if each["rows"] else [""]
            if ordered := each["ordered"]:
                lines += [f"{one_line(ordered['attribute'])}: {text}" for text in ordered["sentences"]]
            lines += [each["note"]] if each["note"] else []
        return "\n".join([*lines, *(["", self.pairs_shown] if self.pairs else [])])


def analyze(
    *,
    mechanism: options.File,
    files: options.AnswerFiles,
    read: options.Read = (),
    estimate: Annotated[options.Names, Parameter(group=options.OUTPUT)] = (),
    within: Annotated[options.Pairs, Parameter(group=options.OUTPUT, metavar="NAME=CATEGORY")] = (),
    by: Annotated[str, Parameter(group=options.OUTPUT)] = "",
    pairs: Annotated[bool, Parameter(group=options.OUTPUT)] = False,
    population: Annotated[bool, Parameter(group=options.OUTPUT, negative="--no-population")] = True,
    confidence: Annotated[float, Parameter(group=options.OUTPUT)] = 0.95,
    report: options.Out = "",
    sample: Sample = NO_SAMPLE,
    workers: options.Workers = "",
) -> AnalyzeResult:
    """Estimate shares and associations from randomized answers.

    Parameters
    ----------
    mechanism
        Mechanism file
    files
        Files or directories of randomized answers
    read
        Options for reading text files, such as encoding=utf-8
    estimate
        Attributes of the joint distribution to estimate [each attribute alone]
    within
        True answers of the people to include, such as Sex=Female
    by
        Unrandomized column whose values define groups
    pairs
        Association of every pair of attributes, with a test of independence
    population
        Intervals for the population, or only for the respondents
    confidence
        Confidence level of the intervals
    report
        HTML file for the report
    workers
        Number of worker processes, or address of a Dask scheduler
    """
    file, how = MechanismFile.load(mechanism), {"population": population, "confidence": confidence}
    names, asked = file.schema.names, [list(estimate)] if estimate else [[name] for name in file.schema.names]
    wanted: list[Sequence[str]] = [*((name,) for name in names), *([*each, *dict(within)] for each in asked)]
    wanted += combinations(names, 2) if pairs else ()
    with options.executor(workers) as pool:
        reading: dict[str, Any] = {"by": by, **dict(read), "executor": pool, "report": progress()}
        answers = read_or_count_answers(files, file, wanted, sample=sample.columns(), **reading)
    marginals, refused = list[dict[str, Any]](), list[NotIdentifiableError]()
    for each in asked:
        try:
            marginals.append(_marginal(answers, each, dict(within), by, how))
        except NotIdentifiableError as error:
            refused.append(error)
            marginals.append({"attributes": each, "rows": [], "ordered": None, "note": str(error)})
    if len(refused) == len(asked):
        raise refused[0]
    found = collected.pair_summaries(answers, report=progress()) if pairs else None
    if report:
        first = collected.summarise_marginal(answers, estimate) if estimate else None
        save(report, report_after(answers, questions_after(answers, first), found, population=population))
    few, many = collected.unmatched_sentences(answers)
    for sentence in many:
        note(sentence)
    total = "unbounded" if file.certificate.epsilon_total is None else total_text(file.epsilon_total)
    lines = [warning(answers.mark)] if answers.mark else []
    lines += [f"{counted(answers.n, 'answer', 'answers')}, ε of the record {total}, {100 * confidence:g}% intervals"]
    lines += [f"Left out: {counted(each.rows, 'row', 'rows')}, {each.reason} ({each.first})." for each in answers.rejected]
    return AnalyzeResult(
        n=answers.n,
        mechanism=file.sha256,
        simulation=answers.mark,
        population=population,
        confidence=confidence,
        marginals=marginals,
        pairs=[] if found is None else found.to_dicts(),
        pairs_shown="" if found is None else table(collected.pair_texts(found, "p")),
        sentences=[*lines, *few, *(collected.about_sample(answers, answers.estimate(names[0])) if answers.sample else [])],
        out=report,
    )


def _marginal(
    answers: collected.Answers,
    names: list[str],
    within: Mapping[str, str],
    by: str,
    how: Mapping[str, Any],
) -> dict[str, Any]:
    """Estimate one joint distribution: of all people, within a group, or by a column that was not randomized."""
    if by or within:
        if by:
            collected.check_extra([by], [column.name for column in answers.groupings])
            found = collected.summarise_groups(answers.split(by), names, by, population=how["population"])
        else:
            found = answers.estimate(names, within=within, **how)
        return {"attributes": names, "rows": found.to_dicts(), "ordered": None, "note": found.note}
    summary = collected.summarise_marginal(answers, names)
    columns = estimate_table(summary.estimate, projections=False, **how)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    ordered = collected.ordered_summary_dict(summary, **how)
    return {"attributes": names, "rows": rows, "ordered": ordered, "note": summary.note}


class FitResult(Result, tag="fit"):
    """Coefficients of a regression. ``simulation`` marks simulated data."""

    formula: str
    n: int
    reference: str
    confidence: float
    coefficients: list[Row]
    log_likelihood: float
    simulation: str


def fit(
    formula: str,
    /,
    *,
    mechanism: options.File,
    files: options.AnswerFiles,
    kind: Literal["logistic", "linear"] = "logistic",
    reference: Annotated[options.Pairs, Parameter(metavar="NAME=CATEGORY")] = (),
    confidence: float = 0.95,
    out: options.Out = "",
    sample: Sample = NO_SAMPLE,
) -> FitResult:
    """Fit a regression with a randomized outcome or randomized predictors.

    Parameters
    ----------
    formula
        Outcome and predictors, such as 'smokes ~ age + sex*region'
    mechanism
        Mechanism file
    files
        Files of randomized answers
    kind
        Type of regression
    reference
        Reference category of a column [the first]
    confidence
        Confidence level of the intervals
    out
        CSV file for the coefficients
    """
    answers = collected.with_sample(collected.read_answers(list(files), mechanism, report=progress()), sample.columns())
    found = fit_model(formula, answers, kind=kind, reference=dict(reference), confidence=confidence)
    if out:
        save(out, found.to_csv(mark=answers.mark))
    return FitResult(
        formula=found.formula,
        n=found.nobs,
        reference=found.reference,
        confidence=confidence,
        coefficients=found.to_arrow().to_pylist(),
        log_likelihood=found.llf,
        simulation=answers.mark,
        sentences=[*([warning(answers.mark)] if answers.mark else []), found.summary()],
        out=out,
    )


class AuditResult(Result, tag="audit"):
    """Findings of tests of a mechanism file, a sampler or a set of answers."""

    sha256: str
    sound: bool
    n: int
    checks: list[dict[str, Any]]

    @property
    def failed(self) -> bool:  # type: ignore[override]
        """Return True if any claim fails, so that the command exits with code 1."""
        return not self.sound


def audit(
    *,
    mechanism: options.File,
    runs: int = 100_000,
    sampler: str = "",
    timeout: int = SAMPLER_SECONDS,
    answers: options.Files = (),
) -> AuditResult:
    """Test whether a mechanism file, a sampler or answers keep the claimed ε.

    Parameters
    ----------
    mechanism
        Mechanism file
    runs
        Number of true records to randomize
    sampler
        Program to test instead of the built-in sampler (CSV in, CSV out)
    timeout
        Time limit for the --sampler program, in seconds
    answers
        Files of collected answers to test instead of a sampler
    """
    file = MechanismFile.load(mechanism)
    found: auditing.Audit | auditing.AnswersAudit
    if answers:
        found = check_answers(collected.read_answers(list(answers), file), rng=np.random.default_rng())
        n = found.n
    else:
        program = program_sampler(sampler, file, seconds=timeout) if sampler else None
        found = auditing.audit(file, runs, sampler=program, report=progress())
        n = found.runs
    checks = [fields_of(each, "title tests p_value caught sentence") for each in found.checks]
    return AuditResult(sha256=file.sha256, sound=found.sound, n=n, checks=checks, sentences=found.lines())
