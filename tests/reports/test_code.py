"""Scripts and notebooks: they hold choices and no results, run, and give the library's numbers."""

import contextlib
import io
import math
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from rrcore.answers import SampleColumns
from rrcore.budget import Invention, Plan
from rrcore.mechanisms import Safeguards
from rrcore.reports import RANDOMIZED, TRUE, Front, TableSource, Trial, analysis_code, notebook, script, trial_code
from rrcore.simulation import simulate
from rrcore.table import ColumnRule, load_demo, recode
from rrcore.table.opening import read_text_table
from tests.answers.test_sample_design import ONE, infertility

TITANIC = load_demo("titanic")
PLAN = Plan(TITANIC, {"Class": 1, "Sex": 2, "Age": 1 / 3, "Survived": 0.1 + 0.2})
FRONT = Front("A `trial` *of* <b>it</b>", "Me", reasons="One.\n# %% import os\nimport os")


def run(code, names=None):
    """Return what code prints and the names that it makes."""
    out, names = io.StringIO(), {"__name__": "__main__"} if names is None else names
    with contextlib.redirect_stdout(out):
        exec(compile(code, "script", "exec"), names)
    return out.getvalue(), names


def trial(**options):
    given = {"source": TableSource("titanic"), "n": 2201, "plan": PLAN, "marginal": ("Sex", "Survived"), "seed": 3}
    return Trial(**(given | options))


def table_code(source, n):
    return trial_code(trial(source=source, n=n)).split("table = table.select")[0]


PLANS = {
    "epsilon": PLAN,
    "independent": PLAN.with_(mechanism="independent"),
    "workload": Plan(TITANIC, budget=4.0, workload=[["Sex", "Survived"], ["Class", "Sex"]]),
    "workload, independent": Plan(TITANIC, budget=4.0, workload=[["Sex", "Survived"]]).with_(mechanism="independent"),
    "safeguards": Plan(TITANIC, 1.0, safeguards=Safeguards(0.9, ((0, 1),), (math.inf, 0.5, math.inf, 1.0))),
    "some attributes": Plan(TITANIC.select(["Survived", "Sex"]), 1.5),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_script_makes_the_same_plan_and_release(name):
    plan = PLANS[name]
    _, names = run(script(trial_code(trial(plan=plan)), TRUE))
    made = names["plan"]
    assert (made.schema, made.epsilon, made.mechanism, made.workload) == (
        plan.schema,
        plan.epsilon,
        plan.mechanism,
        plan.workload,
    )
    assert made.mechanism != "constrained" or made.safeguards == plan.safeguards
    release = simulate(TITANIC.select(plan.schema.names), plan.build(), rng=3)
    assert (names["release"].dataset.codes == release.dataset.codes).all()


def test_a_script_draws_the_same_people():
    _, names = run(trial_code(trial(drawn=900)))
    people = TITANIC.resample(900, rng=np.random.default_rng([3, *b"people"]))
    release = simulate(people, PLAN.build(), rng=3)
    assert (names["release"].dataset.codes == release.dataset.codes).all()


def test_a_script_makes_the_same_table():
    rules = {"color": ColumnRule(categories=("Black", "Blond")), "Sex": ColumnRule()}
    _, names = run(table_code(TableSource("haireye", names={"Hair": "color"}, rules=rules), 592))
    assert names["table"].n == 592
    assert names["table"].schema.names == ("color", "Sex")
    assert names["table"].schema.attributes[0].categories == ("Black", "Blond", "(other)")
    _, names = run(table_code(TableSource(invention=Invention(people=500, categories=3, seed=5)), 500))
    assert names["table"].n == 500


def test_a_script_reads_a_file_by_the_rules_of_the_data_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "age,in it,city\n" + "".join(f"{20 + i % 60},{'yes' if i % 3 else 'no'},x\n" for i in range(300))
    Path("my file.csv").write_text(text, encoding="utf-8")
    rules = {
        "age": ColumnRule(kind="ordinal", edges=(20.0, 40.5, 80.0)),
        'we\'re "in"': ColumnRule(merge_below=3),
        "city": ColumnRule(use=False),
    }
    renamed = {"in it": 'we\'re "in"'}
    code = table_code(TableSource(file="my file.csv", names=renamed, rules=rules), 300)
    _, names = run(code)
    table = recode(read_text_table(text.encode(), "my file.csv").renamed(renamed), rules)
    assert names["table"].schema == table.schema
    assert (names["table"].codes == table.codes).all()
    Path("my file.csv").write_text(text + "30,yes,x\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="300"):
        run(code)


def test_a_script_holds_no_result_and_says_first_what_it_reads():
    code = script(trial_code(trial()), TRUE, FRONT)
    assert [line.removeprefix("# ") for line in code.splitlines()[1:4]] == [TRUE, f"Title: {FRONT.title}", "Author: Me"]
    assert "\nimport os" not in code
    assert not re.search(r"\d ?%", code)
    book = nbformat.reads(notebook(code), 4)
    nbformat.validate(book)
    assert book.cells[0].source.startswith(TRUE)
    assert r"\`trial\` \*of\* &lt;b&gt;it&lt;/b&gt;" in book.cells[0].source
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    assert len(cells) == 4
    assert all(cell.outputs == [] and cell.source in code for cell in cells)


def test_the_cells_of_a_notebook_give_the_numbers_of_the_script():
    code = script(analysis_code((), ["connected to an armed group"]), RANDOMIZED)
    names = {"__name__": "__main__"}
    cells = [run(cell.source, names)[0] for cell in nbformat.reads(notebook(code), 4).cells if cell.cell_type == "code"]
    assert "".join(cells) == run(code)[0]
    assert "0.234056" in cells[0]


def test_a_sample_groups_and_a_regression_are_estimated_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_bytes(infertility())
    Path("mechanism.json").write_text(ONE.to_json(), encoding="utf-8")
    text, names = run(analysis_code(["a.csv", "mechanism.json"], ["treated"], SampleColumns("weight", "stratum")))
    assert names["answers"].sample.weighted
    assert f"{names['answers'].estimate('treated').shares[1]:.6f}" in text
    text, _ = run(analysis_code(["a.csv"], ["treated"], column="stratum"))
    assert text.count("treated") == 19
    text, _ = run(analysis_code(["a.csv"], (), model="'treated ~ weight', answers, kind='logistic'"))
    assert "Intercept" in text
