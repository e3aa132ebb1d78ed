"""The public face: light, complete, explained by examples that run; and the README's ten lines run as they are printed."""

import doctest
import importlib
import inspect
import pickle
import pkgutil
import pydoc
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import nbclient
import nbformat
import numpy as np
import pandas as pd
import pytest
from numpydoc.validate import validate

import rrcore
import rrcore as rr
from rrcore.answers import nigeria
from rrcore.budget import build, compare

ROOT = Path(__file__).parents[1]
HEAVY = {"numpy", "scipy", "pandas", "pyarrow", "plotly", "sklearn", "networkx", "openpyxl", "streamlit"}


def test_importing_loads_nothing_heavy():
    code = "import sys, rrcore; early = set(sys.modules); rrcore.InputError; print(*early); print(*sys.modules)"
    early, late = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert not HEAVY & set(early.split())
    assert not HEAVY & set(late.split())
    assert "rrcore.errors" in late.split()


PUBLIC = dir(rrcore)


def test_public_names_load_from_their_modules():
    listed = [(module, name) for module, names in rrcore._MODULES.items() for name in names.split()]
    assert sorted(name for _, name in listed) == PUBLIC
    for module, name in listed:
        assert getattr(rrcore, name) is getattr(importlib.import_module(f"rrcore.{module}"), name)
        assert getattr(rrcore, name).__module__.startswith(f"rrcore.{module}")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rrcore.nothing


def test_help_fits_on_a_screen_and_lists_every_name():
    shown = pydoc.plain(pydoc.render_doc(rrcore))
    assert len(shown.splitlines()) <= 120
    assert set(PUBLIC) <= set(re.findall(r"\w+", shown))


CHECKS = {
    *("GL01", "GL02", "GL03", "GL05", "GL06", "GL07", "GL08", "SS03", "SS04", "SS05", "SS06"),
    *("PR01", "PR02", "PR03", "PR04", "PR06", "PR07", "PR08", "PR09", "PR10", "RT01", "RT02", "RT03", "RT05", "YD01"),
}


def documented(name):
    """Yield the dotted names of what ``name`` is, and of its public methods and properties."""
    found = getattr(rrcore, name)
    yield f"{found.__module__}.{name}"
    for member in dir(found) if inspect.isclass(found) else ():
        held = inspect.getattr_static(found, member)
        function = next((getattr(held, part) for part in ("__func__", "fget", "func") if hasattr(held, part)), held)
        if not member.startswith("_") and inspect.isfunction(function) and function.__module__.startswith("rrcore"):
            yield f"{found.__module__}.{name}.{member}"


@pytest.mark.parametrize("name", PUBLIC)
def test_docstrings_follow_numpydoc(name):
    errors = {each: [error for error in validate(each)["errors"] if error[0] in CHECKS] for each in documented(name)}
    assert {each: found for each, found in errors.items() if found} == {}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_examples(name):
    assert ">>>" in (getattr(rrcore, name).__doc__ or "")


WITH_EXAMPLES = [
    found.name
    for found in pkgutil.walk_packages(rrcore.__path__, "rrcore.")
    if ">>>" in Path(importlib.util.find_spec(found.name).origin).read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", ["rrcore", *WITH_EXAMPLES])
def test_examples_run(module):
    """The audit of a sampler among them accuses by chance once in a million."""
    result = doctest.testmod(importlib.import_module(module), raise_on_error=False)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_examples_of_every_public_name_are_among_those_that_run():
    assert {getattr(rrcore, name).__module__ for name in PUBLIC} <= set(WITH_EXAMPLES)


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


@cache
def slips():
    """What newcomers write, and the sentence they get."""
    table = rr.load_demo("titanic")
    mechanism = rr.Plan(table, 2.0).build()
    release, file = rr.simulate(table, mechanism), rr.MechanismFile.from_plan(rr.Plan(table, 2.0))
    estimate = release.estimate(["Sex", "Survived"])
    return {
        "interval(95)": (lambda: estimate.interval(95), "confidence is 95"),
        "interval(nan)": (lambda: estimate.interval(float("nan")), "confidence is nan"),
        "people_for(0)": (lambda: estimate.people_for(0), "error is 0"),
        "another truth": (lambda: estimate.to_pandas(truth=table.shares(["Class"])), r"shape \(2, 2\), .* got \(4,\)"),
        "a plot of another truth": (lambda: estimate.plot(truth=[1, 2]), r"shape \(2, 2\), .* got \(2,\)"),
        "a seed": (lambda: rr.simulate(table, mechanism, rng="x"), "rng is x"),
        "counts as truth": (lambda: estimate.to_pandas(truth=release.counts(["Sex", "Survived"])), "sum 2201"),
        "words as truth": (lambda: release.estimate("Sex").to_pandas(truth=["a", "b"]), "U1"),
        "confidence without a group": (lambda: release.estimate("Sex", confidence=0.5), "confidence is 0.5"),
        "population without a group": (lambda: release.estimate("Sex", population=True), "population is True"),
        "a schema": (lambda: rr.simulate(table, table.schema), "plan .* Schema"),
        "a simulation swapped": (lambda: rr.simulate(rr.Plan(table, 2.0), table), "plan .* Dataset"),
        "a simulation of a file": (lambda: rr.simulate(table, file), "plan .* MechanismFile"),
        "a simulation of an array": (lambda: rr.simulate(table.codes, mechanism), "table .* ndarray"),
        "a plan of a dictionary": (lambda: rr.Plan({}, 1.0), "table .* dict"),
        "a plan to randomize": (lambda: rr.randomize(table, rr.Plan(table, 2.0)), r"mechanism .* Plan.*from_plan"),
        "a mechanism to randomize": (lambda: rr.randomize(table, mechanism), r"mechanism .* Optimal.*from_plan"),
        "a plan to read with": (lambda: rr.read_answers(table.to_arrow(), rr.Plan(table, 2.0)), r"mechanism .* Plan.*from_plan"),
        "a file of a mechanism": (lambda: rr.MechanismFile.from_plan(mechanism), "got Optimal"),
        "a plan read as a file": (lambda: rr.MechanismFile.from_json(rr.Plan(table, 2.0).to_json()), r"rr\.Plan\.load"),
        "a file read as a plan": (lambda: rr.Plan.from_json(file.to_json()), r"rr\.MechanismFile\.load"),
        "a fit swapped": (lambda: rr.fit(release, "Survived ~ Sex"), "formula .* Release"),
        "a fit to true answers": (lambda: rr.fit("Survived ~ Sex", table), "data .* Dataset"),
        "a category alone": (lambda: rr.fit("Survived ~ Sex", release, reference="Male"), "reference is 'Male'"),
        "a term for a row": (lambda: rr.fit("Survived ~ Sex", release).odds_ratio("Sex"), "row is Sex"),
        "preserve": (lambda: rr.Plan(table, 2.0, mechanism="preserve"), "mean 'preserving'"),
        "one category": (lambda: build("optimal", (1, 2), [1, 1]), "got 1"),
        "no attributes": (lambda: build("optimal", (), []), "got none"),
        "a mechanism nobody knows": (lambda: compare(rr.Plan(table, 2.0), ["foo"]), "no mechanism 'foo'"),
        "people as text": (lambda: rr.Plan(table, 1.0, n="10"), "n is '10'"),
    }


@pytest.mark.parametrize("slip", slips())
def test_a_slip_is_one_sentence(slip):
    call, sentence = slips()[slip]
    with pytest.raises(rr.InputError, match=sentence):
        call()


@pytest.mark.parametrize("out", [None, "released.csv"])
def test_an_unknown_category_is_named(out, tmp_path):
    table = rr.load_demo("titanic").select(["Sex", "Survived"])
    file = rr.MechanismFile.from_plan(rr.Plan(table, 2.0))
    frame = table.to_pandas().astype(str)
    frame.loc[5, "Survived"] = "Maybe"
    with pytest.raises(rr.InputError, match="Maybe") as caught:
        rr.randomize(frame, file, out=out and tmp_path / out)
    assert "'Survived'" in str(caught.value)
    assert "Maybe" not in caught.value.discreet


def test_paths_and_data_frames_stand_for_tables_and_plans(tmp_path):
    table = rr.load_demo("titanic")
    frame, plan, path = table.to_pandas(), rr.Plan(table, 2.0), tmp_path / "table.csv"
    plan.save(tmp_path / "plan.json")
    frame.to_csv(path, index=False)
    assert rr.Plan(frame, 2.0) == plan
    assert rr.Plan(str(path), 2.0).n == 2201
    release = rr.simulate(table, plan)
    for given in (frame, path):
        assert rr.simulate(given, plan).to_pandas().equals(release.to_pandas())
    assert repr(plan.build()).startswith("<Optimal: preserving-2 (Pairwise-preserving), 4 attributes")


def test_every_form_of_the_truth_is_read_by_its_labels(tmp_path):
    table = rr.load_demo("titanic")
    frame, estimate = table.to_pandas().astype(str), rr.simulate(table, rr.Plan(table, 2.0)).estimate(["Sex", "Survived"])
    frame.to_csv(tmp_path / "table.csv", index=False)
    right = table.shares(["Sex", "Survived"]).ravel()
    crossed = pd.crosstab(frame.Survived, frame.Sex, normalize=True)
    counted = frame[["Survived", "Sex"]].value_counts(normalize=True)
    for truth in (table, frame, tmp_path / "table.csv", crossed, crossed.T, counted):
        assert estimate.to_pandas(truth=truth).truth.to_numpy() == pytest.approx(right)
    with pytest.raises(rr.InputError, match="Maybe"):
        estimate.to_pandas(truth=counted.rename({"Yes": "Maybe"}))


def test_what_is_handed_out_cannot_change_the_next_answer():
    table = rr.load_demo("titanic")
    release = rr.simulate(table, rr.Plan(table, 2.0).build(), rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="read-only"):
        release.counts(["Sex"])[0] = 0
    estimate = release.estimate(["Sex"])
    assert estimate in [estimate]
    assert pickle.loads(pickle.dumps(rr.NotIdentifiableError("lost.", ((0, 1),)))).lost == ((0, 1),)
    assert rr.Plan(table, 1.0, n=np.int64(500)).n == 500


@pytest.fixture(scope="module")
def road():
    """Every object of the road from a table to estimates, of the widest demo table."""
    census = rr.load_demo("census")
    table = rr.Dataset(census.schema, census.codes[:2000], census.title)
    plan = rr.Plan(table, 2.0)
    mechanism, file = plan.build(), rr.MechanismFile.from_plan(plan)
    release = rr.simulate(table, mechanism, rng=np.random.default_rng(0))
    answers = rr.read_answers(rr.randomize(table, file).to_arrow(), file)
    estimate = release.estimate(table.schema.names[:2])
    few = table.select(["sex", "income"])
    small = rr.Plan(few, 1.0)
    fitted = rr.fit("connected to an armed group ~ education", nigeria())
    return [
        table, table.schema, *table.schema.attributes, plan, mechanism, file, file.certificate, *(weights for _, weights in file.groups),
        release, answers, estimate, estimate.closest(), *compare(small, ["independent", "joint"]), fitted,
        rr.simulate(few, small).model(), rr.Safeguards(),
        rr.audit(rr.MechanismFile.from_plan(small), 1_000),
    ]  # fmt: skip


def test_nothing_public_fills_the_screen_where_it_is_shown(road):
    shown = {type(each).__name__: repr(each) for each in road}
    assert {name: text for name, text in shown.items() if len(text) > 240 or "\n" in text} == {}
    assert shown["Dataset"].startswith("<Dataset: Invented census, 2,000 people, 8 attributes: work class (9), ")


PARTS = {"LieWeights", "CountWeights", "MatrixWeights", "PointEstimate", "Option", "TableModel", "Safeguards"}
"""Types that are no public names, or hold arguments only."""


def test_notebooks_show_small_tables(road):
    shown = {type(each).__name__: each._repr_html_() for each in road if type(each).__name__ not in PARTS}
    assert {name for name, html in shown.items() if html.count("<table>") != 1 or html.count("<tr>") > 25} == set()


def test_a_mechanism_file_comes_of_a_plan_is_saved_and_opened(tmp_path):
    table = rr.load_demo("titanic")
    file = rr.MechanismFile.from_plan(rr.Plan(table, 2.0), made_by="me", note="Pilot")
    assert file == rr.MechanismFile(table.schema, file.groups, "me", "Pilot")
    file.save(tmp_path / "m.json")
    assert rr.MechanismFile.load(str(tmp_path / "m.json")) == file
    with pytest.raises(rr.InputError, match="already exists"):
        file.save(tmp_path / "m.json")
    with pytest.raises(rr.InputError, match="cannot be read"):
        rr.MechanismFile.load(tmp_path / "nowhere.json")


def test_answers_are_read_from_a_path_a_frame_or_several(tmp_path):
    table = rr.load_demo("titanic")
    file = rr.MechanismFile.from_plan(rr.Plan(table, 2.0))
    released = rr.randomize(table, file)
    (tmp_path / "answers.csv").write_text(released.to_csv(), encoding="utf-8")
    counts = released.counts(["Sex", "Survived"])
    for source in (tmp_path / "answers.csv", str(tmp_path / "answers.csv"), released.to_pandas(), released.to_arrow()):
        answers = rr.read_answers(source, file)
        np.testing.assert_array_equal(answers.counts(["Sex", "Survived"]), counts)
    frame = released.to_pandas().assign(town="Oslo")
    both = rr.read_answers([frame, (released.to_csv().encode(), "more.csv")], file)
    np.testing.assert_array_equal(both.counts(["Sex", "Survived"]), 2 * counts)
    with pytest.raises(rr.InputError, match="got int"):
        rr.read_answers([3], file)


def test_the_settled_calls_run(tmp_path, monkeypatch):
    """The share of women who died is 26 standard errors from 0, so that the regression has an estimate. False alarm: below 1e-100."""
    monkeypatch.chdir(tmp_path)
    table = rr.load_demo("titanic")
    assert rr.Plan(table, budget=4.0).build().epsilon_total == pytest.approx(4)
    assert rr.Plan(table, budget=8.0, workload=[("Age", "Sex")]).mechanism == "workload"
    plan = rr.Plan(table, epsilon=1.0)
    assert plan == rr.Plan(table, epsilon=1.0, mechanism="preserving", preserve=2)
    assert plan.compare().columns.tolist() == ["mechanism", "epsilon_total", "epsilon_informed", "margin_of_error"]
    mechanism = plan.build()
    assert mechanism.lower_bound <= mechanism.epsilon_total < sum(mechanism.epsilon)
    assert mechanism.epsilon_informed.shape == (4,)
    release = rr.simulate(table, plan, rng=0)
    estimate = release.estimate(["Sex", "Survived"])
    shown = estimate.to_pandas(truth=table)
    assert shown.columns.tolist() == ["Sex", "Survived", "truth", "randomized", "estimate", "std_error", "conf_low", "conf_high"]
    assert shown["truth"].sum() == pytest.approx(1)
    assert estimate.plot(truth=table).data
    plan = rr.Plan(table, epsilon=4.0)
    rr.MechanismFile.from_plan(plan).save("mechanism.json")
    rr.randomize(table, "mechanism.json", out="released.csv")
    answers = rr.read_answers("released.csv", "mechanism.json")
    assert answers.estimate("Survived", within={"Sex": "Female"}).estimate.sum() == pytest.approx(1)
    fitted = rr.fit("Survived ~ Sex + Class", answers)
    assert len(fitted.params) == len(fitted.bse) == len(fitted.pvalues) == len(fitted.conf_int()) == 5
    assert fitted.params.index.equals(fitted.conf_int().index)
    assert "Class: 2nd" in fitted.summary()
    assert rr.audit("mechanism.json").enumeration.agrees


def test_files_take_the_place_of_what_they_hold(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = rr.load_demo("titanic")
    plan = rr.Plan(table, epsilon=3.0)
    plan.save("plan.json")
    assert rr.Plan.load("plan.json") == plan
    assert rr.simulate(table, "plan.json", rng=None).n == table.n
    rr.MechanismFile.from_plan(plan).save("mechanism.json")
    Path("people.csv").write_text(table.to_csv(), encoding="utf-8")
    rr.randomize("people.csv", "mechanism.json", out="released.csv")
    assert rr.read_answers("released.csv", "mechanism.json").n == table.n
