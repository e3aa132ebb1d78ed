"""The public face: light, complete, explained by examples that run; and the README's ten lines run as they are printed."""

import doctest
import importlib
import pickle
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat
import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import rrcore
import rrcore as rr
from rrcore.answers import nigeria

ROOT = Path(__file__).parents[1]
HEAVY = {"numpy", "scipy", "pandas", "pyarrow", "plotly", "sklearn", "networkx", "openpyxl", "streamlit"}


def test_importing_loads_nothing_heavy_and_names_load_when_asked():
    code = (
        "import sys, rrcore; assert set(rrcore.__all__) <= set(dir(rrcore)); early = set(sys.modules); "
        "rrcore.InputError; print(*early); print(*sys.modules)"
    )
    early, late = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert not HEAVY & set(early.split())
    assert not HEAVY & set(late.split())
    assert "rrcore.errors" in late.split()


def test_every_name_stands_in_the_room_that_says_so():
    listed = [(room, name) for room, names in rrcore._ROOMS.items() for name in names.split()]
    assert sorted(name for _, name in listed) == rrcore.__all__
    for room, name in listed:
        assert getattr(rrcore, name) is getattr(importlib.import_module(f"rrcore.{room}"), name)
        assert getattr(rrcore, name).__module__.startswith(f"rrcore.{room}")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rrcore.nothing


@pytest.mark.parametrize("name", rrcore.__all__)
def test_every_public_name_is_explained_with_an_example(name):
    assert ">>>" in (getattr(rrcore, name).__doc__ or "")


WITH_EXAMPLES = [
    found.name
    for found in pkgutil.walk_packages(rrcore.__path__, "rrcore.")
    if ">>>" in Path(importlib.util.find_spec(found.name).origin).read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", ["rrcore", *WITH_EXAMPLES])
def test_examples_run(module):
    result = doctest.testmod(importlib.import_module(module), raise_on_error=False)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_examples_of_every_public_name_are_among_those_that_run():
    assert {getattr(rrcore, name).__module__ for name in rrcore.__all__} <= set(WITH_EXAMPLES)


def test_the_lines_of_the_readme_run(capsys):
    (lines,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    code = [line for line in lines.splitlines() if line.strip() and not line.startswith(("import", "from"))]
    assert len(code) <= 10
    names = {
        "frame": pd.DataFrame({"sex": ["f", "m", "f", "m"] * 50, "age": [20, 30, 40, 50, 60] * 40, "smokes": [True, False] * 100})
    }
    exec(lines, names)
    assert "nats" in capsys.readouterr().out
    assert isinstance(names["figure"], go.Figure)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("notebook", sorted((ROOT / "examples").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_run_and_are_kept_without_outputs(notebook, tmp_path, monkeypatch):
    book = nbformat.read(notebook, as_version=4)
    assert not any(cell.get("outputs") for cell in book.cells)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources=resources).execute()
    assert not any(output.output_type == "error" for cell in book.cells for output in cell.get("outputs", []))


def slips():
    """What newcomers write, and the sentence they get."""
    table = rr.load_demo("titanic")
    mechanism = rr.Plan.for_levels(table, 2.0).build()
    rng = np.random.default_rng(0)
    release = rr.perturb(table, mechanism, rng=rng)
    estimate = release.estimate(["Sex", "Survived"])
    return {
        "interval(95)": (lambda: estimate.interval(95), "confidence is 95"),
        "interval(nan)": (lambda: estimate.interval(float("nan")), "confidence is nan"),
        "people_for(0)": (lambda: estimate.people_for(0), "error is 0"),
        "another truth": (lambda: estimate.to_pandas(truth=table.shares(["Class"])), r"shape \(4,\): expected \(2, 2\)"),
        "a plot of another truth": (lambda: estimate.plot(truth=[1, 2]), r"shape \(2,\): expected \(2, 2\)"),
        "one name": (lambda: release.estimate("Sex"), "choose among Class, Sex"),
        "a seed": (lambda: rr.perturb(table, mechanism, rng=0), "rng is 0: give a numpy Generator"),
        "a plan": (lambda: rr.perturb(table, rr.Plan.for_levels(table, 2.0), rng=rng), r"Plan is given in place of a mechanism"),
        "one category": (lambda: rr.build("optimal", (1, 2), [1, 1]), "has 1 categories"),
        "no attributes": (lambda: rr.build("optimal", (), []), "is missing"),
        "a mechanism nobody knows": (lambda: rr.compare(rr.Plan.for_levels(table, 2.0), ["foo"]), "no mechanism 'foo'"),
        "people as text": (lambda: rr.Plan.for_levels(table, 1.0, respondents="10"), "number of people is '10'"),
    }


@pytest.mark.parametrize("slip", slips())
def test_a_slip_is_one_sentence(slip):
    call, sentence = slips()[slip]
    with pytest.raises(rr.InputError, match=sentence):
        call()


def test_what_is_handed_out_cannot_change_the_next_answer():
    table = rr.load_demo("titanic")
    release = rr.perturb(table, rr.Plan.for_levels(table, 2.0).build(), rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="read-only"):
        release.counts(["Sex"])[0] = 0
    estimate = release.estimate(["Sex"])
    assert estimate in [estimate]
    assert pickle.loads(pickle.dumps(rr.NotIdentifiableError("lost.", ((0, 1),)))).lost == ((0, 1),)
    assert rr.Plan.for_levels(table, 1.0, respondents=np.int64(500)).respondents == 500


@pytest.fixture(scope="module")
def road():
    """Every object of the road from a table to estimates, of the widest demo table."""
    table = rr.load_demo("census")
    plan = rr.Plan.for_levels(table, 2.0)
    mechanism, file = plan.build(), rr.MechanismFile.from_plan(plan)
    release = rr.perturb(table, mechanism, rng=np.random.default_rng(0))
    answers = rr.read_answers(rr.randomise(file, table).to_arrow(), file)
    estimate = release.estimate(table.schema.names[:3])
    small = rr.Plan.for_levels(table.select(["sex", "income"]), 1.0)
    fitted = rr.fit("connected to an armed group ~ education", nigeria())
    return [
        table, table.schema, *table.schema.attributes, plan, mechanism, file, file.certificate, *(weights for _, weights in file.groups),
        release, answers, estimate, estimate.closest(), release.tidy(), *rr.compare(small, ["kronecker", "joint"]), fitted,
        release.model(), rr.Safeguards(), rr.Questions(4.0, ((0, 1),)),
        rr.audit_file(rr.MechanismFile.from_plan(small), 1_000),
    ]  # fmt: skip


def test_nothing_public_fills_the_screen_where_it_is_shown(road):
    shown = {type(each).__name__: repr(each) for each in road}
    assert {name: text for name, text in shown.items() if len(text) > 240 or "\n" in text} == {}
    assert shown["Dataset"].startswith("<Dataset: Invented census, 32,561 people, 8 attributes: work class (9), ")


def test_a_mechanism_file_comes_of_a_plan_is_saved_and_opened(tmp_path):
    table = rr.load_demo("titanic")
    file = rr.MechanismFile.from_plan(rr.Plan.for_levels(table, 2.0), made_by="me", note="Pilot")
    assert file == rr.MechanismFile(table.schema, file.groups, "me", "Pilot")
    file.save(tmp_path / "m.json")
    assert rr.MechanismFile.open(str(tmp_path / "m.json")) == file
    with pytest.raises(rr.InputError, match="already a file"):
        file.save(tmp_path / "m.json")
    with pytest.raises(rr.InputError, match="cannot be read"):
        rr.MechanismFile.open(tmp_path / "nowhere.json")


def test_answers_are_read_from_a_path_a_frame_or_several(tmp_path):
    table = rr.load_demo("titanic")
    file = rr.MechanismFile.from_plan(rr.Plan.for_levels(table, 2.0))
    released = rr.randomise(file, table)
    (tmp_path / "answers.csv").write_text(released.to_csv(), encoding="utf-8")
    counts = released.counts(["Sex", "Survived"])
    for source in (tmp_path / "answers.csv", str(tmp_path / "answers.csv"), released.to_pandas(), released.to_arrow()):
        answers = rr.read_answers(source, file)
        np.testing.assert_array_equal(answers.counts(["Sex", "Survived"]), counts)
    frame = released.to_pandas().assign(town="Oslo")
    both = rr.read_answers([frame, (released.to_csv().encode(), "more.csv")], file)
    np.testing.assert_array_equal(both.counts(["Sex", "Survived"]), 2 * counts)
    with pytest.raises(rr.InputError, match="a int was given: give a path"):
        rr.read_answers([3], file)


def test_many_marginals_as_one_long_table():
    table = rr.load_demo("titanic")
    release = rr.perturb(table, rr.Plan.for_levels(table, 2.0).build(), rng=np.random.default_rng(0))
    long = release.tidy(["Class", ["Sex", "Survived"]], 0.8, population=True)
    frame = long.to_pandas()
    assert frame.columns.tolist()[:5] == ["marginal", "Class", "Sex", "Survived", "people"]
    pair, estimate = frame[frame.marginal == "Sex × Survived"], release.estimate(["Sex", "Survived"])
    np.testing.assert_array_equal(pair["estimate"], estimate.shares.ravel())
    for found, wanted in zip((pair["low"], pair["high"]), estimate.interval(0.8, population=True), strict=True):
        np.testing.assert_array_equal(found, wanted.ravel())
    assert pair["Class"].isna().all()
    assert pair["Sex"].tolist() == ["Male", "Male", "Female", "Female"]
    assert set(release.tidy().columns["marginal"]) == set(table.schema.names)
    renamed = rr.Dataset(rr.Schema((rr.Attribute("low", ("a", "b")), rr.Attribute("people", ("a", "b")))), [[0, 1], [1, 0]])
    named = rr.perturb(renamed, rr.build("kronecker", (2, 2), [1, 1]), rng=np.random.default_rng(0)).tidy()
    assert list(named.columns)[:4] == ["marginal", "low (answer)", "people (answer)", "people"]
    with pytest.raises(rr.InputError, match="No marginal is named"):
        release.tidy([])
