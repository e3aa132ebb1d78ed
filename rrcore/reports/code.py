"""Python code that reproduces a page, as a script or as a notebook.

The code contains a person's choices, and no results.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from rrcore.answers import SIMPLE, SampleColumns
from rrcore.budget import Invention, Plan
from rrcore.reports.shared_parts import BLANK, Front, templates, visible
from rrcore.simulation import make_table
from rrcore.table import ColumnRule, ReadOptions, as_table, load_demo

TRUE = "Internal: the results of this code are computed from true answers. Do not hand them out."
"""The first line of code that reads a true table."""

RANDOMIZED = "This code reads randomized answers only, and no true answers."
"""The first line of code that reads collected answers."""

_MARKS = re.compile(r"([\\`*_\[\]$~#|])")


@dataclass(frozen=True)
class TableSource:
    """Source of a table: a demo table, an invented table or a file.

    Parameters
    ----------
    demo : str
        Key of ``DEMOS``.
    invention : Invention, optional
        Specification of an invented table.
    file : str
        File name.
    layout : ReadOptions
        How the file is read.
    names : mapping
        Name of the column in the file -> name in the table.
    rules : mapping
        How each column becomes an attribute. Columns without a rule are left out, unless no column has one.
    """

    demo: str = ""
    invention: Invention | None = None
    file: str = ""
    layout: ReadOptions = field(default_factory=ReadOptions)
    names: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, ColumnRule] = field(default_factory=dict)

    @property
    def plain(self) -> bool:
        """True if the source is an unchanged demo table or invented table."""
        if self.file or self.names or not self.rules:
            return not (self.file or self.names)
        _, first = as_table(load_demo(self.demo) if self.invention is None else make_table(self.invention))
        return dict(self.rules) == first


@dataclass(frozen=True)
class Trial:
    """The choices behind a simulation and its estimates.

    Parameters
    ----------
    source : TableSource
    n : int
        Number of people in the table.
    plan : Plan
    marginal : tuple of str
        Attributes of the joint distribution.
    seed : int
    drawn : int, optional
        Number of people drawn from the table. By default, the people of the table are randomized.
    population : bool
        Whether intervals include sampling error.
    """

    source: TableSource
    n: int
    plan: Plan
    marginal: tuple[str, ...]
    seed: int
    drawn: int | None = None
    population: bool = True


def trial_code(trial: Trial) -> str:
    """Return code that simulates a plan once and estimates one joint distribution.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> print(trial_code(Trial(TableSource("titanic"), table.n, rr.Plan(table, 2.0), ("Sex", "Survived"), seed=0)))
    # %% The table
    import rrcore as rr
    table = rr.load_demo('titanic')
    assert table.n == 2201, 'This is another table: the page had 2201 people.'
    table = table.select(['Class', 'Sex', 'Age', 'Survived'])
    <BLANKLINE>
    # %% The plan and ε of the whole record
    plan = rr.Plan(table, 2.0, preserve=2)
    print(plan.build().epsilon_total)
    <BLANKLINE>
    # %% One simulation. Anyone who knows the seed can undo it, so do not publish it.
    release = rr.simulate(table, plan, rng=0)
    <BLANKLINE>
    # %% True and estimated proportions
    print(release.estimate(['Sex', 'Survived']).to_pandas(truth=table, population=True))
    """
    plan = trial.plan
    alike, names = len(set(plan.epsilon)) == 1, plan.schema.names
    epsilon = plan.epsilon[0] if alike else dict(zip(names, plan.epsilon, strict=True))
    return (
        templates().get_template("trial.py.j2").render(trial=trial, source=trial.source, plan=plan, names=names, epsilon=epsilon)
    )


def analysis_code(
    files: Sequence[str],
    names: Sequence[str],
    columns: SampleColumns = SIMPLE,
    *,
    within: str = "",
    column: str = "",
    model: str = "",
) -> str:
    """Return code that analyzes collected answers.

    Parameters
    ----------
    files : sequence of str
        Names of the files of answers. If empty, the code uses the survey that RR Workbench includes.
    names : sequence of str
        Attributes of the joint distribution.
    columns : SampleColumns
        Columns that describe the sample.
    within, column : str
        An attribute, or a column that was not randomized, whose groups are estimated separately.
    model : str
        Arguments of ``rr.fit``, to fit a regression instead.

    Examples
    --------
    >>> print(analysis_code(["released.csv"], ["Sex"]))
    # %% The estimates
    import rrcore as rr
    answers = rr.read_answers(['released.csv'], 'mechanism.json')
    print(answers.estimate(['Sex']).to_pandas(population=True))
    """
    stored = next((name for name in files if name.endswith(".survey")), "")
    tables = [name for name in files if not name.endswith((".json", ".zip"))] or ["released.csv"]
    values = {"files": files, "stored": stored, "tables": tables, "names": list(names), "columns": columns}
    return templates().get_template("analysis.py.j2").render(values, within=within, column=column, model=model)


def script(code: str, first: str, front: Front = BLANK) -> str:
    """Return ``code`` as a Python script in cells.

    The script begins with the line ``first`` and the head as comments.

    ``first`` is ``TRUE``, ``RANDOMIZED`` or the warning of a simulation.

    Examples
    --------
    >>> print(script("# %% One and one\\nprint(1 + 1)", RANDOMIZED))
    # %% [markdown]
    # This code reads randomized answers only, and no true answers.
    <BLANKLINE>
    # %% One and one
    print(1 + 1)
    <BLANKLINE>
    """
    typed = {name: " ".join(visible(text).split()) for name, text in vars(front).items()}
    lines = [first, *(f"{name.capitalize()}: {text}" for name, text in typed.items() if text)]
    return "\n".join(["# %% [markdown]", *(f"# {line}" for line in lines), "", code, ""])


def notebook(code: str) -> str:
    """Return a ``script`` as a Jupyter notebook (JSON, format 4.5) without any output."""
    cells: list[dict[str, object]] = []
    for part in re.split("^# %% ", code, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        if title == "[markdown]":
            text = "\n\n".join(_markdown(line.removeprefix("# ")) for line in body.splitlines())
            cells.append(_cell(len(cells), "markdown", text.strip()))
        else:
            cells.append(_cell(len(cells), "markdown", title))
            cells.append(_cell(len(cells), "code", body.strip()))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1)


def _markdown(text: str) -> str:
    """Return a line for Markdown in which nothing is markup."""
    return _MARKS.sub(r"\\\1", escape(text, quote=False))


def _cell(number: int, kind: str, source: str) -> dict[str, object]:
    code: dict[str, object] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": source, **code}
