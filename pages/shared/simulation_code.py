"""The choices that the Python code of the current simulation repeats: the table with its source, the plan and the seed."""

from pages.shared import projects
from pages.shared.state import Work, of_page
from pages.shared.uploads import Asked
from rrcore.budget import Plan
from rrcore.reports import TableSource, Trial


def trial(work: Work, plan: Plan) -> Trial:
    """The choices of the current simulation of ``plan``, which need a table."""
    table, draft = work.dataset, work.draft
    assert table is not None
    n = work.simulated
    drawn = None if n == table.n else n
    source = _source(work, of_page(Asked))
    return Trial(source, table.n, plan, draft.marginal, draft.seed, drawn=drawn, population=draft.population)


def _source(work: Work, asked: Asked) -> TableSource:
    """Where the table comes from."""
    assert work.table is not None
    if work.source != "upload":
        demo, invention = (projects.demo_of(work), None) if work.source == "demo" else ("", asked.invented)
        return TableSource(demo, invention, names=projects.names_given(work.table), rules=work.rules)
    found = asked.reading.found
    if found is None:
        return TableSource(file=f"{work.title}.csv", rules=work.rules)
    columns = dict(zip(asked.reading.names, work.table.names, strict=True))
    ending = {"workbook": "xlsx", "Parquet file": "parquet"}.get(found.kind, "csv")
    return TableSource(file=f"{work.title}.{ending}", layout=asked.reading.options, names=columns, rules=work.rules)
