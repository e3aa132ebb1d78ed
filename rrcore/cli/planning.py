"""The commands ``describe``, ``plan``, ``mechanism`` and ``simulate``."""

from collections.abc import Sequence
from statistics import NormalDist
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from rrcore.answers.anysize import open_true_answers
from rrcore.budget import Plan
from rrcore.budget.plan import PlanFields, widest_error
from rrcore.cli import options
from rrcore.cli.output import CheckFailedError, Result, Row, estimates, progress, save, table
from rrcore.designs import designed_mechanism
from rrcore.documents import DocumentError
from rrcore.errors import InputError
from rrcore.estimate import Release
from rrcore.mark import TRUE_SHARES
from rrcore.promise import MechanismFile
from rrcore.promise.certificate import Claim
from rrcore.promise.name_matching import answers_coder
from rrcore.simulation import generator, simulate_counts
from rrcore.table import Attribute, Schema
from rrcore.table.anysize import code_table, describe_table
from rrcore.table.scanning import Coded, CodedTable
from rrcore.wording import count_text, counted, epsilon_text, one_line, points, saving_text, total_text

_Z = NormalDist().inv_cdf(0.975)


class DescribeResult(Result, tag="describe"):
    """The columns of a table."""

    n: int
    columns: list[dict[str, Any]]


def describe(*, source: options.Source, read: options.Read = (), workers: options.Workers = "") -> DescribeResult:
    """Describe the columns of a table.

    Parameters
    ----------
    source
        Table: a CSV, TSV, XLSX or Parquet file, a directory, or demo:titanic
    read
        Options for reading the file, such as header=yes or sheet=Data
    workers
        Number of worker processes, or address of a Dask scheduler
    """
    with options.executor(workers) as pool:
        title, n, notes, columns = describe_table(options.opened(source), executor=pool, report=progress(), **dict(read))
    lines = [f"{title}: {count_text(n)} rows, {len(columns)} columns", *notes]
    for each in columns:
        what = f"{count_text(each['size'])} categories" if each["use"] else "left out"
        lines += [
            f"{one_line(each['name'])}: {what}, {count_text(each['missing'])} missing",
            *(f"  {one['message']}" for one in each["warnings"]),
        ]
    return DescribeResult(n=n, columns=columns, sentences=lines)


class PlanResult(Result, tag="plan"):
    """A mechanism and its privacy loss. The sample size is null if unknown."""

    plan: PlanFields
    n: int | None
    margin_of_error: float | None
    gains: dict[str, float]
    mechanisms: list[Row]

    def text(self) -> str:
        """Return the headline and a table of the attributes."""
        columns = {"attribute": [each.name for each in self.plan.attributes]}
        columns["categories"] = [str(len(each.categories)) for each in self.plan.attributes]
        for head, name in (("ε", "epsilon_achieved"), ("ε, other answers known", "epsilon_informed")):
            columns[head] = [epsilon_text(max(getattr(each, name), 0.0)) for each in self.plan.attributes]
        lines = [*self.sentences, "", table(columns)]
        lines += [
            f"{one_line(names)}: {gain:.2f} times the signal of independent randomization" for names, gain in self.gains.items()
        ]
        if self.mechanisms:
            heads = ("epsilon_total", "epsilon_informed", "margin_of_error")
            numbers = {head: [f"{row[head]:.3g}" for row in self.mechanisms] for head in heads}
            lines += ["", table({"mechanism": [str(row["mechanism"]) for row in self.mechanisms], **numbers})]
        return "\n".join(lines)


def plan(
    *,
    source: options.Source = "",
    columns: options.Columns = (),
    bins: options.Bins = (),
    read: options.Read = (),
    rare: Annotated[Literal["refuse", "merge", "keep"], Parameter(group=options.TABLE)] = "refuse",
    sizes: Annotated[options.Sizes, Parameter(group=options.TABLE)] = (),
    categories: Annotated[options.Categories, Parameter(group=options.TABLE)] = (),
    n: Annotated[int | None, Parameter(group=options.TABLE)] = None,
    epsilon: options.Epsilon = None,
    budget: Annotated[float | None, Parameter(group=options.MECHANISM)] = None,
    weights: Annotated[options.ByAttribute, Parameter(group=options.MECHANISM)] = None,
    workload: Annotated[options.Sets, Parameter(group=options.MECHANISM)] = (),
    mechanism: options.MechanismName = "",
    preserve: options.Preserve = None,
    compare: Annotated[bool, Parameter(group=options.OUTPUT)] = False,
    out: options.Out = "",
) -> PlanResult:
    """Plan a mechanism for given epsilons or a privacy budget.

    Parameters
    ----------
    source
        Table to plan for, such as people.csv or demo:titanic
    columns
        Columns to randomize, or names for --sizes [all suitable columns]
    bins
        Interval limits for a numeric column, such as age=18,40,65
    read
        Options for reading the file, such as header=yes or sheet=Data
    rare
        Treatment by --out of categories with fewer than 5 people
    sizes
        Number of categories of each attribute, instead of a table
    categories
        Categories of an attribute, such as sex=f|m
    n
        Sample size [number of rows of the table]
    epsilon
        One ε for all attributes, or one per attribute
    budget
        ε of the whole record, instead of --epsilon
    weights
        Shares of the attributes in the budget [equal]
    workload
        Joint distributions for which the budget is optimized
    mechanism
        Mechanism: independent, preserving, optimal, closed-form, joint, heuristic or workload [preserving]
    preserve
        Number of attributes whose joint distributions keep their accuracy [2]
    compare
        Comparison with all other mechanisms
    out
        Plan file to write, for the dashboard and rrcore mechanism
    """
    if bool(sizes) == bool(source or categories):
        raise InputError("Expected exactly one source of attributes. Use --in, --categories or --sizes.")
    if source:
        kept, cut = rare if out else "keep", {"bins": dict(bins), "categories": dict(categories)}
        found, people, _ = code_table(options.opened(source), columns, rare=kept, **cut, **dict(read))  # type: ignore[arg-type]
        schema, n = found.schema, people if n is None else n
    else:
        schema = _schema(columns, sizes, categories)
    if out and n is None:
        raise InputError("A plan file needs a sample size. Add --n, for example --n 1000.")
    people = 1 if n is None else n
    asked = Plan(schema, epsilon, people, mechanism, preserve=preserve, budget=budget, weights=weights, workload=workload)
    made = asked.build(report=progress())
    if out:
        save(out, asked.to_json(made))
    independent = float(sum(asked.epsilon))
    saving = saving_text(1 - made.epsilon_total / independent)
    lines = [
        f"{asked.title}: ε of the record {total_text(made.epsilon_total)}",
        f"Independent randomization: ε of the record {total_text(independent)}" + (f" ({saving})" if not workload else ""),
    ]
    margin = None if n is None else _Z * widest_error(made, n)
    if margin is not None:
        widest = points(margin, "percentage points") if margin < 1 else "more than 100 percentage points"
        lines.append(
            f"95% margin of error of a pair with {counted(n or 0, 'person', 'people')}, if all answers are equally common: {widest}"
        )
    lines += [f"Plan written to {out}. It shows the names of all categories."] if out else []
    return PlanResult(
        plan=asked.fields(made),
        n=n,
        margin_of_error=margin,
        gains={",".join(names): made.gains(schema.axes(names)) for names in asked.workload},  # type: ignore[attr-defined]
        mechanisms=asked.compare().to_dict("records") if compare else [],
        sentences=lines,
        out=out,
    )


def _schema(names: Sequence[str], sizes: Sequence[int], categories: options.Categories) -> Schema:
    """Return attributes with given categories or numbers of categories."""
    if categories:
        return Schema(tuple(Attribute(name, tuple(own)) for name, own in categories))
    numbered = [tuple(str(i) for i in range(1, size + 1)) for size in sizes]
    names = names or [str(i) for i in range(1, len(sizes) + 1)]
    return Schema(tuple(map(Attribute, names, numbered)))


class MechanismResult(Result, tag="mechanism"):
    """The certificate of a mechanism file, with exact fractions."""

    sha256: str
    certificate: Claim


def mechanism(
    *,
    plan: Annotated[options.File, Parameter(group=options.MECHANISM)] = "",
    design: Annotated[options.Pairs, Parameter(group=options.MECHANISM, metavar="NAME=DESIGN:NUMBERS")] = (),
    categories: Annotated[options.Categories, Parameter(group=options.MECHANISM)] = (),
    made_by: Annotated[str, Parameter(group=options.OUTPUT)] = "",
    note: Annotated[str, Parameter(group=options.OUTPUT)] = "",
    out: options.Out = "",
    check: Annotated[options.File, Parameter(group=options.OUTPUT)] = "",
    exact: Annotated[bool, Parameter(group=options.OUTPUT)] = False,
) -> MechanismResult:
    """Create or check a mechanism file.

    Parameters
    ----------
    plan
        Plan file
    design
        Standard design of an attribute, such as smokes=warner:0.7
    categories
        With --design: categories of an attribute, such as smokes=no|yes
    made_by
        Author of the file
    note
        Note in the file
    out
        Mechanism file to write
    check
        Mechanism file to check
    exact
        Exact fractions in the certificate
    """
    if check:
        try:
            made = MechanismFile.load(check)
        except DocumentError as error:
            raise CheckFailedError(str(error)) from error
    elif out and bool(plan) != bool(design):
        if plan:
            made = MechanismFile.from_plan(Plan.load(plan), made_by=made_by, note=note, report=progress())
        else:
            made = designed_mechanism(dict(design), dict(categories), made_by=made_by, note=note)
        made.save(out)
    else:
        raise InputError("Expected --check FILE, or --out FILE with either --plan or --design.")
    found, names = made.certificate, made.schema.names
    lines = [found.text(names, exact=exact), f"sha256 {made.sha256}"]
    return MechanismResult(sha256=made.sha256, certificate=found.claim(names), sentences=lines, out=out)


class SimulateResult(Result, tag="simulate"):
    """Estimates from a simulated release, with the true shares of the table."""

    n: int
    epsilon_total: float
    rows: list[Row]

    def text(self) -> str:
        """Return a table of the estimates."""
        return "\n".join([*self.sentences, estimates(self.rows)])


def simulate(
    *,
    source: options.Source,
    read: options.Read = (),
    columns: options.Columns = (),
    plan: Annotated[options.File, Parameter(group=options.MECHANISM)] = "",
    epsilon: options.Epsilon = None,
    mechanism: options.MechanismName = "",
    preserve: options.Preserve = None,
    estimate: Annotated[options.Names, Parameter(group=options.OUTPUT)],
    rng: Annotated[int, Parameter(group=options.OUTPUT)] = 0,
    workers: options.Workers = "",
) -> SimulateResult:
    """Simulate a release of a table and compare estimates with the truth.

    Parameters
    ----------
    source
        Table, such as people.csv or demo:titanic
    read
        Options for reading the file, such as header=yes or sheet=Data
    columns
        Columns to randomize [all suitable columns]
    plan
        Plan file, instead of columns, epsilons and mechanism
    epsilon
        One ε for all attributes, or one per attribute
    mechanism
        Mechanism: independent, preserving, optimal, closed-form, joint or heuristic [preserving]
    preserve
        Number of attributes whose joint distributions keep their accuracy [2]
    estimate
        Attributes of the joint distribution to estimate
    rng
        Seed of the simulation
    workers
        Number of worker processes, or address of a Dask scheduler
    """
    found: CodedTable
    with options.executor(workers) as pool:
        if plan and (columns or epsilon or mechanism or preserve):
            raise InputError("A plan file already contains columns, epsilons and a mechanism. Leave out these options or --plan.")
        if plan:
            asked = Plan.load(plan)
            stream = open_true_answers(options.opened(source), asked.schema, **dict(read))
            found = Coded(stream, answers_coder(stream, asked.schema))
        else:
            found, n, _ = code_table(options.opened(source), columns, executor=pool, report=progress(), **dict(read))
            asked = Plan(found.schema, epsilon, n, mechanism, preserve=preserve)
        asked.schema.axes(estimate)
        made, seed = asked.build(report=progress()), generator(rng)
        counts = simulate_counts(found, made, [estimate], rng=seed, executor=pool, report=progress())
    release = Release(counts.released, made)
    rows = release.estimate(estimate).to_arrow(truth=counts.truth.of(estimate) / counts.truth.n).to_pylist()
    people = counted(release.n, "person", "people")
    lines = [f"# {TRUE_SHARES}", f"{people}, ε of the record {total_text(made.epsilon_total)}"]
    return SimulateResult(n=release.n, epsilon_total=made.epsilon_total, rows=rows, sentences=lines)
