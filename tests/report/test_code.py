"""Scripts and notebooks: they hold choices and no results, run as they are, and give the library's numbers."""

import contextlib
import io
import math
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from rrcore.answers import KnownTotals, SampleColumns, nigeria, read_answers
from rrcore.budget import Invention, Plan
from rrcore.estimate import cell_texts
from rrcore.mechanisms import Safeguards, build
from rrcore.promise import MechanismFile, integer_groups, randomise
from rrcore.report import RANDOMISED, TRUE, Front, TableSource, Trial, notebook, reading_steps, script, trial_steps
from rrcore.schemes import perturb
from rrcore.table import ColumnRule, load_demo, recode
from rrcore.table.opening import read_text_table
from rrcore.wording import points
from tests.answers.test_sampling import ONE, infertility

TITANIC = load_demo("titanic")
PLAN = Plan.for_levels(TITANIC, {"Class": 1, "Sex": 2, "Age": 1 / 3, "Survived": 0.1 + 0.2})
FRONT = Front("A `trial` *of* <b>it</b>", "Me", reasons="One.\nimport os")


def printed(code):
    out = io.StringIO()
    names = {"__name__": "__main__"}
    with contextlib.redirect_stdout(out):
        exec(compile(code, "script", "exec"), names)
    return out.getvalue(), names


def trial(**options):
    given = {"source": TableSource("titanic"), "people": 2201, "plan": PLAN, "marginal": ("Sex", "Survived"), "seed": 3}
    return Trial(**(given | options))


PLANS = {
    "levels": PLAN,
    "kronecker": PLAN.with_mechanism("kronecker"),
    "questions": Plan.for_questions(TITANIC, 4.0, [["Sex", "Survived"], ["Class", "Sex"]]),
    "questions by kronecker": Plan.for_questions(TITANIC, 4.0, [["Sex", "Survived"]]).with_mechanism("kronecker"),
    "safeguards": Plan.for_levels(TITANIC, 1.0, safeguards=Safeguards(0.9, ((0, 1),), (math.inf, 0.5, math.inf, 1.0))),
    "some attributes": Plan.for_levels(TITANIC.select(["Survived", "Sex"]), 1.5),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_script_makes_the_same_plan_mechanism_and_release(name):
    plan = PLANS[name]
    _, names = printed(script(trial_steps(trial(plan=plan)), TRUE))
    made = names["plan"]
    assert (made.schema, made.levels, made.mechanism, made.questions) == (
        plan.schema,
        plan.levels,
        plan.mechanism,
        plan.questions,
    )
    assert made.mechanism != "safeguarded" or made.safeguards == plan.safeguards
    chosen = TITANIC.select(plan.schema.names)
    release = perturb(chosen, plan.build(), rng=np.random.default_rng([3]))
    assert (names["release"].dataset.codes == release.dataset.codes).all()


@pytest.mark.parametrize("simultaneous", [False, True])
def test_a_script_prints_every_number_of_the_trial(simultaneous):
    text, _ = printed(script(trial_steps(trial(drawn=900, simultaneous=simultaneous)), TRUE, FRONT))
    people = TITANIC.resample(900, rng=np.random.default_rng([3, *b"people"]))
    estimate = perturb(people, PLAN.build(), rng=np.random.default_rng([3])).estimate(["Sex", "Survived"])
    truth = TITANIC.shares(["Sex", "Survived"])
    texts = cell_texts(estimate, truth, population=True, simultaneous=simultaneous)
    for row in zip(*texts.values(), strict=True):
        assert " | ".join(row) in text
    assert points(np.abs(estimate.shares - truth).max()) in text


@pytest.mark.parametrize(
    ("source", "people"),
    [
        (TableSource(demo="haireye", rules={"Hair": ColumnRule(categories=("Black", "Blond")), "Sex": ColumnRule()}), 592),
        (TableSource(invention=Invention(people=500, categories=3, seed=5)), 500),
    ],
)
def test_a_script_makes_the_same_table(source, people):
    _, names = printed(script(trial_steps(trial(source=source, people=people))[:1], TRUE).split("chosen =")[0])
    assert names["table"].n == people
    if source.demo:
        assert names["table"].schema.select(["Hair"]).attributes[0].categories == ("Black", "Blond", "(other)")


def test_a_script_reads_a_file_by_the_rules_of_the_data_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "age,in it,city\n" + "".join(f"{20 + i % 60},{'yes' if i % 3 else 'no'},x\n" for i in range(300))
    Path("my file.csv").write_text(text, encoding="utf-8")
    rules = {
        "age": ColumnRule(kind="ordinal", edges=(20.0, 40.5, 80.0)),
        'we\'re "in"': ColumnRule(merge_below=3),
        "city": ColumnRule(use=False),
    }
    names_given = {"age": "age", "in it": 'we\'re "in"'}
    source = TableSource(file="my file.csv", names=names_given, rules=rules)
    code = script(trial_steps(trial(source=source, people=300))[:1], TRUE)
    _, names = printed(code.split("chosen =")[0])
    table = recode(read_text_table(text.encode(), "my file.csv").renamed(names_given), rules)
    assert names["table"].schema == table.schema
    assert (names["table"].codes == table.codes).all()
    Path("my file.csv").write_text(text + "30,yes,x\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="This is not the table that was in play: it had 300 people"):
        printed(code.split("chosen =")[0])


def test_code_holds_no_result_and_says_first_whether_it_reads_true_answers():
    code = script(trial_steps(trial()), TRUE, FRONT)
    lines = code.splitlines()
    assert lines[0] == "# Internal: what this prints is computed from true answers. Do not hand it out."
    assert lines[1:5] == ["# A `trial` *of* <b>it</b>", "# Me", "# One.", "# import os"]
    assert not re.search(r"\d %", code.replace("95 %", ""))
    book = nbformat.reads(notebook(trial_steps(trial()), TRUE, FRONT), 4)
    nbformat.validate(book)
    assert book.cells[0].source.startswith("**Internal: what this prints is computed from true answers.")
    assert r"# A \`trial\` \*of\* &lt;b&gt;it&lt;/b&gt;" in book.cells[0].source
    assert all(cell.outputs == [] for cell in book.cells if cell.cell_type == "code")
    assert all(cell.source in code for cell in book.cells if cell.cell_type == "code")


def test_answers_are_read_again_from_a_folder_by_their_own_mechanism_file_only(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = MechanismFile(TITANIC.schema, integer_groups(build("kronecker", TITANIC.schema.sizes, np.full(4, 1.0))))
    Path("answers").mkdir()
    parts = [randomise(file, TITANIC).to_csv() for _ in range(2)]
    for i, part in enumerate(parts):
        Path("answers", f"{i}.csv").write_text(part, encoding="utf-8")
    Path("mechanism.json").write_text(file.to_json(), encoding="utf-8")
    code = script(reading_steps(file, ["Sex", "Age"], pairs=True), RANDOMISED)
    text, _ = printed(code)
    assert "put all files of collected answers into this folder" in code  # which whoever downloads the code has to make
    answers = read_answers([(part.encode(), "a.csv") for part in parts], file)
    assert "4402 used 0 left out" in text
    for row in zip(*cell_texts(answers.estimate(["Sex", "Age"]), population=True).values(), strict=True):
        assert " | ".join(row) in text
    assert text.count("Survived | ") == 3
    Path("mechanism.json").write_text(MechanismFile(file.schema, file.groups, "someone else").to_json(), encoding="utf-8")
    with pytest.raises(AssertionError, match="This is not the mechanism file that was read by"):
        printed(code)


def test_a_sample_that_is_not_simple_is_read_again_as_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("answers").mkdir()
    Path("answers", "a.csv").write_bytes(infertility())
    Path("mechanism.json").write_text(ONE.to_json(), encoding="utf-8")
    strata = tuple((str(h),) for h in range(1, 21))
    columns = SampleColumns("weight", "stratum", populations=KnownTotals(("stratum",), strata, (9e5,) * 20))
    code = script(reading_steps(ONE, ["treated"], columns=columns), RANDOMISED)
    assert "10 % (3 to 18)" in printed(code)[0]


def test_the_cells_of_a_notebook_run_one_after_the_other_and_give_the_numbers_of_the_script():
    file = nigeria().mechanism
    steps = reading_steps(file, file.schema.names, survey=True)
    book = nbformat.reads(notebook(steps, RANDOMISED), 4)
    nbformat.validate(book)
    shown, names = io.StringIO(), {"__name__": "__main__"}
    with contextlib.redirect_stdout(shown):
        for cell in book.cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, cell.id, "exec"), names)
    assert shown.getvalue() == printed(script(steps, RANDOMISED))[0]
    assert "73.8 % (71.0 to 76.6)" in shown.getvalue()
