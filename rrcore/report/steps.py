"""The steps that reproduce what a page shows, as code over the public library: of a simulated trial, and of reading collected answers.

They hold what a person chose and what the mechanism file says, and no number that was computed: running them computes every one again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from rrcore.answers import SIMPLE, SampleColumns
from rrcore.budget import Invention, Plan
from rrcore.promise import MechanismFile
from rrcore.schemes import make_table
from rrcore.table import ColumnRule, ReadOptions, as_table, load_demo


@dataclass(frozen=True)
class Step:
    """One step: what it does, in a sentence, and its code."""

    text: str
    code: str


@dataclass(frozen=True)
class TableSource:
    """Where a table comes from: one of a demo table, an invented one, and a file.

    Parameters
    ----------
    demo : key of ``DEMOS``
    invention : what an invented table was made from
    file : name of a file, whose place whoever runs the code puts in
    layout : where in the file the table stands
    names : column as it is called in the file -> how it is called in the table
    rules : how each column becomes an attribute; columns that are not named are left out
    """

    demo: str = ""
    invention: Invention | None = None
    file: str = ""
    layout: ReadOptions = field(default_factory=ReadOptions)
    names: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, ColumnRule] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """What a simulated release and its reading were made from.

    Parameters
    ----------
    source, people : the table and its number of people
    plan : Plan with the mechanism that was used, over some attributes of the table
    marginal : names of the attributes that were read together
    seed : of the simulated release
    drawn : how many people were drawn from the table with replacement; None where its own people answer
    population : what errors are against; always the population where people were drawn
    simultaneous : whether intervals hold for all combinations at once
    """

    source: TableSource
    people: int
    plan: Plan
    marginal: tuple[str, ...]
    seed: int
    drawn: int | None = None
    population: bool = False
    simultaneous: bool = False


def trial_steps(trial: Trial) -> tuple[Step, ...]:
    """The steps of a simulated trial.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> trial = Trial(TableSource("titanic"), table.n, rr.Plan.for_levels(table, 2.0), ("Sex", "Survived"), seed=0)
    >>> [step.text for step in trial_steps(trial)][0]
    'The table.'
    """
    names = list(trial.plan.schema.names)
    people = "chosen"
    if trial.drawn is not None:
        people = f'chosen.resample({trial.drawn}, rng=np.random.default_rng([{trial.seed}, *b"people"]))'
    population = trial.population or trial.drawn is not None
    options = _options(population, trial.simultaneous)
    return (
        Step(
            "The table.",
            f"{_table(trial.source)}\n"
            f"assert table.n == {trial.people}, 'This is not the table that was in play: it had {trial.people:,} people.'\n"
            f"chosen = table.select({names!r})",
        ),
        Step(
            "The plan and its mechanism, and what the whole record costs.",
            f"{_plan(trial.plan)}\nmechanism = plan.build()\n{_COST}",
        ),
        Step(
            "One simulated release: the same seed gives the same one. Whoever knows the seed can undo it, so it is not for publishing.",
            f"people = {people}\nrelease = rr.perturb(people, mechanism, rng=np.random.default_rng([{trial.seed}]))",
        ),
        Step(
            "Truth and estimates of every combination, with 95 % intervals.",
            f"names = {list(trial.marginal)!r}\n"
            "truth = table.shares(names)\n"
            "estimate = release.estimate(names)\n"
            f"texts = cell_texts(estimate, truth, {options})\n{_PRINT}",
        ),
        Step("How close it is.", _METRICS.replace("OPTIONS", f"population={population}")),
    )


def reading_steps(
    file: MechanismFile,
    marginal: Sequence[str],
    *,
    survey: bool = False,
    columns: SampleColumns = SIMPLE,
    population: bool = True,
    simultaneous: bool = False,
    pairs: bool = False,
) -> tuple[Step, ...]:
    """The steps of reading collected answers.

    Parameters
    ----------
    file : the mechanism file, which whoever runs the code has as mechanism.json; the answers, as files of a folder called answers
    marginal : names of the attributes that are read together
    survey : whether the answers are the real survey that comes with the program
    columns : which columns of the answers say how people were drawn
    population, simultaneous : as in ``Trial``
    pairs : whether every pair is looked at as well
    """
    steps = [
        *_read(file, survey, columns),
        Step(
            "Estimates of every combination, with 95 % intervals.",
            f"estimate = answers.estimate({list(marginal)!r})\ntexts = cell_texts(estimate, {_options(population, simultaneous)})\n{_PRINT}",
        ),
    ]
    if pairs:
        steps.append(Step("What goes together: Cramér's V with its 95 % interval, and the p-value of independence.", _PAIRS))
    return tuple(steps)


def _read(file: MechanismFile, survey: bool, columns: SampleColumns) -> tuple[Step, ...]:
    """Reading collected answers, and how people were drawn."""
    read = (
        "answers = nigeria()\nmechanism = answers.mechanism"
        if survey
        else "mechanism = rr.MechanismFile.from_json(Path('mechanism.json').read_bytes())\n"
        f"assert mechanism.sha256 == '{file.sha256}', 'This is not the mechanism file that was read by.'\n"
        "files = sorted(Path('answers').iterdir())  # put all files of collected answers into this folder\n"
        "answers = rr.read_answers([(path.read_bytes(), path.name) for path in files], mechanism)"
    )
    known = Step(
        "The answers, and the mechanism file that they were randomised by.",
        f"{read}\nprint(answers.n, 'used', answers.left_out, 'left out')",
    )
    if columns.simple:
        return (known,)
    return known, Step("How people were drawn.", f"answers = with_sample(answers, {_call(columns)})")


IMPORTS = """from dataclasses import replace
from pathlib import Path

import numpy as np

import rrcore as rr
from rrcore.answers import KnownTotals, SampleColumns, nigeria, pair_summaries, with_sample
from rrcore.budget import Invention
from rrcore.estimate import METRICS, PROJECTIONS, cell_texts, coverage, metric_text
from rrcore.schemes import make_table
from rrcore.table import ColumnRule, ReadOptions, as_table, read_text_table, recode
from rrcore.wording import odds_text, percent, total_text"""
"""Everything that a step may use; a document imports what its own steps do."""

_COST = "print('total', total_text(mechanism.total_level), 'nats, odds up to', odds_text(mechanism.total_level))"
_PRINT = "print(*texts, sep=' | ')\nfor row in zip(*texts.values(), strict=True):\n    print(*row, sep=' | ')"
_METRICS = """columns = {'released': estimate.released, 'shrinkage': estimate.closest().shares, 'unbiased': estimate.shares}
columns |= {name: project(estimate.shares) for name, project in PROJECTIONS.items()}
print('', *columns, sep=' | ')
for name, measure in METRICS.items():
    print(name, *(metric_text(name, measure(truth, shares)) for shares in columns.values()), sep=' | ')
covered = [percent(coverage(truth, *one.interval(OPTIONS))) for one in (estimate.closest(), estimate)]
print('95 % intervals that cover the truth', '', *covered, sep=' | ')"""
_PAIRS = """for pair in pair_summaries(answers):
    print(*pair.names, f'{pair.v:.3f} ({pair.low:.3f} to {pair.high:.3f})', f'{pair.p_value:.4f}', sep=' | ')"""


def _options(population: bool, simultaneous: bool) -> str:
    return f"population={population}" + (", simultaneous=True" if simultaneous else "")


def _table(source: TableSource) -> str:
    """Code that makes ``table``."""
    if source.file:
        layout = "" if source.layout == ReadOptions() else f", {_call(source.layout)}"
        called = {old: new for old, new in source.names.items() if old != new}
        return (
            f"FILE = {source.file!r}  # put in the place of your file\n"
            f"text = read_text_table(Path(FILE).read_bytes(), Path(FILE).name{layout}){f'.renamed({called!r})' if called else ''}\n"
            f"rules = {{name: ColumnRule(use=False) for name in text.names}} | {_rules(source.rules, {})}\n"
            "table = recode(text, rules)"
        )
    invention = source.invention
    made = f"make_table({_call(invention)})" if invention is not None else f"rr.load_demo({source.demo!r})"
    _, first = as_table(make_table(invention) if invention is not None else load_demo(source.demo))
    changed = _rules(source.rules, first)
    if changed == "{}":
        return f"table = {made}"
    return f"text, rules = as_table({made})\ntable = recode(text, rules | {changed})"


def _rules(rules: Mapping[str, ColumnRule], first: Mapping[str, ColumnRule]) -> str:
    """Code of the ``rules`` that are not those of ``first``, which leaves out what it does not name."""
    texts = [f"    {name!r}: {_call(rule)},\n" for name, rule in rules.items() if rule != first.get(name, ColumnRule(use=False))]
    return f"{{\n{''.join(texts)}}}" if texts else "{}"


def _plan(plan: Plan) -> str:
    """Code that makes ``plan``, as far as its mechanism goes."""
    if plan.questions is not None:
        names = plan.schema.names
        asked = [[names[i] for i in axes] for axes in plan.questions.marginals]
        served = f"plan = rr.Plan.for_questions(chosen, {plan.questions.total!r}, {asked!r})"
        return served if plan.mechanism == "design" else f"{served}.with_mechanism({plan.mechanism!r})"
    levels = "".join(f"    {name!r}: {level!r},\n" for name, level in zip(plan.schema.names, plan.levels, strict=True))
    how = f"mechanism={plan.mechanism!r}"
    if plan.mechanism == "safeguarded":
        how = f"safeguards={_call(plan.safeguards)}"
    return f"levels = {{\n{levels}}}  # nats\nplan = rr.Plan.for_levels(chosen, levels, {how})"


def _call(made: Any) -> str:
    """Code that makes a dataclass again: what differs from its defaults."""
    texts = []
    for one in fields(made):
        value = getattr(made, one.name)
        default = one.default_factory() if one.default_factory is not MISSING else one.default
        if value != default:
            texts.append(f"{one.name}={_literal(value)}")
    prefix = "rr." if type(made).__name__ == "Safeguards" else ""
    return f"{prefix}{type(made).__name__}({', '.join(texts)})"


def _literal(value: Any) -> str:
    """``repr``, and infinity as code."""
    if isinstance(value, tuple):
        inner = ", ".join(map(_literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return "float('inf')" if value == float("inf") else repr(value)
