"""The commands mechanism, certify, collect and read: the whole way without a browser, and nothing true left behind."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rrcore.__main__ import main
from rrcore.budget import Plan
from rrcore.mechanisms import build
from rrcore.promise.integers import integer_groups
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.sampler import randomise
from rrcore.promise.weights import MatrixWeights
from rrcore.table.dataset import Dataset
from rrcore.table.demo import load_demo
from rrcore.table.opening import read_text_table
from rrcore.table.schema import Attribute, Schema
from tests.answers.test_sampling import infertility
from tests.commands.terminal import run

TITANIC = load_demo("titanic")


@pytest.fixture
def survey(tmp_path, capsys):
    """A mechanism file made of a plan, and true answers."""
    plan = Plan(TITANIC.schema, (2.0,) * 4, TITANIC.n, "pair-safe")
    (tmp_path / "plan.json").write_text(plan.to_json(), encoding="utf-8")
    (tmp_path / "true.csv").write_text(TITANIC.to_csv(), encoding="utf-8")
    code, _, err = run(capsys, "mechanism", "--plan", tmp_path / "plan.json", "--out", tmp_path / "mech.json", "--note", "n")
    assert (code, err) == (0, "")
    return tmp_path


def test_plan_to_file_to_release_to_estimates(survey, capsys):
    code, out, _ = run(capsys, "certify", "--mechanism", survey / "mech.json", "--json")
    certificate = json.loads(out)
    assert code == 0
    assert certificate["sha256"] == MechanismFile.from_json((survey / "mech.json").read_text()).sha256
    assert [entry["level"]["nats"] for entry in certificate["attributes"]] == ["2.000000000"] * 4
    code, out, _ = run(
        capsys, "collect", "--mechanism", survey / "mech.json", "--in", survey / "true.csv", "--out", survey / "out.csv"
    )
    assert code == 0
    assert out.startswith("2,201 records randomised, total 4.49 nats")
    code, out, _ = run(
        capsys, "read", "--mechanism", survey / "mech.json", "--in", survey / "out.csv", "--marginal", "Sex,Survived", "--pairs",
        "--report", survey / "report.html", "--json",
    )  # fmt: skip
    result = json.loads(out)
    shares = np.array(result["marginals"][0]["cells"]["estimate"]).reshape(2, 2)
    truth = np.array([[1364, 367], [126, 344]]) / 2201  # the published table
    errors = np.array(result["marginals"][0]["cells"]["standard error"]).reshape(2, 2)
    assert code == 0
    assert (np.abs(shares - truth) < 5 * errors).all()
    assert len(result["pairs"]) == 6
    assert "</html>" in (survey / "report.html").read_text(encoding="utf-8")


def test_two_collections_differ_and_there_is_no_seed(survey, capsys):
    arguments = ("collect", "--mechanism", survey / "mech.json", "--in", survey / "true.csv", "--out")
    for name in ("a.csv", "b.csv"):
        assert run(capsys, *arguments, survey / name)[0] == 0
    assert (survey / "a.csv").read_bytes() != (survey / "b.csv").read_bytes()
    code, out, err = run(capsys, *arguments, survey / "c.csv", "--seed", "1")
    assert (code, out) == (2, "")
    assert "unrecognized arguments: --seed" in err
    assert not (survey / "c.csv").exists()


def test_designs_of_the_field(tmp_path, capsys):
    code, out, _ = run(
        capsys, "mechanism", "--design", "q=forced:2/3,1/6,1/6", "--categories", "q=no|yes",
        "--design", "r=k-ary:3/5", "--categories", "r=a|b|c", "--out", tmp_path / "m.json",
    )  # fmt: skip
    assert code == 0
    assert "5/1" in out
    (tmp_path / "a.csv").write_text("q,r,region\nyes,a,n\nno,b,s\nno,c,n\n,a,n\n" * 20)
    code, out, _ = run(capsys, "read", "--mechanism", tmp_path / "m.json", "--in", tmp_path / "a.csv", "--by", "region")
    assert code == 0
    assert "20 records lack some answers. Each counts wherever what it lacks is not needed" in out
    assert "q: 60 answers" in out
    assert "region n: 60 answers" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mechanism", "--out", "m.json"], "Give either --plan or a --design"),
        (["mechanism", "--design", "q=warner:3/4", "--out", "m.json"], "categories of 'q' are not given"),
        (["mechanism", "--design", "q", "--out", "m.json"], "is not understood: write --design"),
        (["certify", "--mechanism", "nowhere.json"], "cannot be read"),
        (["read", "--mechanism", "{mech}", "--in", "{true}", "--by", "age"], "There is no column 'age'"),
        (["read", "--mechanism", "{mech}", "--in", "{true}", "--marginal", "Sex,age"], "There is no attribute 'age'"),
        (["collect", "--mechanism", "{true}", "--in", "{true}", "--out", "x.csv"], "is not JSON"),
        (["collect", "--mechanism", "{mech}", "--in", "{true}", "--out", "/nowhere/x.csv"], "cannot be written"),
    ],
)
def test_bad_input_ends_with_one_sentence(survey, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(survey)
    names = {"{mech}": str(survey / "mech.json"), "{true}": str(survey / "true.csv")}
    code, out, err = run(capsys, *(names.get(argument, argument) for argument in arguments))
    assert (code, out) == (2, "")
    assert message in err
    assert err.strip().endswith(".") or "--categories" in err


def test_an_incomplete_table_is_not_collected_in_part(survey, capsys):
    text = (survey / "true.csv").read_text().replace("Crew,Male", "Crew,", 1)
    (survey / "gap.csv").write_text(text)
    code, _, err = run(
        capsys, "collect", "--mechanism", survey / "mech.json", "--in", survey / "gap.csv", "--out", survey / "x.csv"
    )
    assert code == 2
    assert "Record 712 of 'gap.csv' cannot be randomized: no answer to 'Sex'" in err
    assert not (survey / "x.csv").exists()


PLANTED = ("zanzibar-7f3a", "quagmire-91bc")
"""True answers that occur nowhere else."""
TAILS = (
    f"yes,{PLANTED[0]},x\n",
    f"{PLANTED[1]},a,x\n",
    f"yes,a,{PLANTED[0]},{PLANTED[1]}\n",
    f'"{PLANTED[0]}\n',
)
"""Last lines that make the table of true answers a wrong one."""


def planted(folder: Path, tail: str = "") -> tuple[Path, Path]:
    mech = folder / "mech.json"
    designs = ("--design", "q=k-ary:3/4", "--categories", "q=no|yes", "--design", "free=k-ary:3/4", "--categories", "free=a|b")
    main(["mechanism", *designs, "--out", str(mech)])
    table = folder / "true.csv"
    rows = "".join(f"{'yes' if i % 2 else 'no'},{'a' if i % 3 else 'b'},{PLANTED[i % 2]}\n" for i in range(40))
    table.write_text(f"q,free,name\n{rows}{tail}")
    return mech, table


def traces(folder: Path, home: Path, tail: str, collect: Callable[[list[str]], tuple[int, str, str]]) -> None:
    """Of the files, output and messages of a collection none holds a planted true answer, be the table right or wrong."""
    mech, table = planted(folder, tail)
    before = set(folder.rglob("*"))
    code, *told = collect(["collect", "--mechanism", str(mech), "--in", str(table), "--out", str(folder / "out.csv")])
    assert code == (0 if not tail else 2)
    written = [path for path in set(folder.rglob("*")) - before if path.is_file()]
    assert {path.name for path in written} <= {"out.csv"}
    assert home in before
    for content in (*told, *(path.read_text() for path in written)):
        assert not any(word in content for word in PLANTED)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty folder for whatever is cached or written on the way."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setattr("tempfile.tempdir", None)
    return home


@pytest.mark.parametrize("tail", ["", *TAILS])
def test_nothing_true_is_written_logged_or_cached(tmp_path, home, capfd, caplog, tail):
    def collect(arguments):
        capfd.readouterr()
        code = main(arguments)
        return code, *capfd.readouterr()

    caplog.set_level(0)
    traces(tmp_path, home, tail, collect)
    assert not any(word in caplog.text for word in PLANTED)


@pytest.mark.slow
def test_a_program_of_its_own_leaves_no_trace_either(tmp_path, home):
    def collect(arguments):
        command = [sys.executable, "-m", "rrcore", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=60)
        return done.returncode, done.stdout, done.stderr

    traces(tmp_path, home, TAILS[-1], collect)


@pytest.mark.parametrize("text", [f"{PLANTED[0]},yes\nno,a\n", f"{PLANTED[0]},{PLANTED[0]}\nno,a\n"])
def test_a_table_without_names_does_not_have_its_first_row_told(tmp_path, capsys, text):
    mech, table = planted(tmp_path)
    table.write_text(text)
    code, _, err = run(capsys, "collect", "--mechanism", mech, "--in", table, "--out", tmp_path / "out.csv")
    assert code == 2
    assert not any(word in err for word in PLANTED)


def test_the_release_holds_randomised_answers_only(tmp_path, capsys):
    mech, table = planted(tmp_path)
    assert run(capsys, "collect", "--mechanism", mech, "--in", table, "--out", tmp_path / "out.csv")[0] == 0
    released = read_text_table((tmp_path / "out.csv").read_bytes(), "out.csv")
    true = read_text_table(table.read_bytes(), "true.csv")
    assert released.names == ("q", "free", "rr_release")
    assert any((released.column(name).codes != true.column(name).codes).any() for name in ("q", "free"))


@pytest.mark.parametrize("name", ["true.csv", "mech.json"])
def test_what_is_read_is_not_overwritten(survey, capsys, name):
    before = (survey / name).read_bytes()
    code, out, err = run(
        capsys, "collect", "--mechanism", survey / "mech.json", "--in", survey / "true.csv", "--out", survey / name
    )
    assert (code, out) == (2, "")
    assert "and nothing was written: choose another name" in err
    assert (survey / name).read_bytes() == before


@pytest.mark.parametrize("against", ["population", "people"])
def test_an_answer_that_nobody_gave_has_an_interval_that_holds_0(tmp_path, capsys, against):
    """92 answers, none of them d, each kept with probability 19/20: 0 is not ruled out, and nobody can be sure of it either."""
    mechanism, answers = tmp_path / "m.json", tmp_path / "a.csv"
    code, _, _ = run(
        capsys, "mechanism", "--design", "x=k-ary:19/20", "--categories", "x=a|b|c|d", "--out", mechanism
    )  # fmt: skip
    assert code == 0
    answers.write_text("x\n" + "a\n" * 40 + "b\n" * 32 + "c\n" * 20)
    arguments = ("read", "--mechanism", mechanism, "--in", answers, "--against", against)
    code, out, _ = run(capsys, *arguments, "--json")
    cells = json.loads(out)["marginals"][0]["cells"]
    place = cells["x"].index("d")
    assert code == 0
    assert cells["estimate"][place] == pytest.approx(-1 / 56)
    assert cells["low"][place] < 0 < cells["high"][place] < 0.1
    assert cells["standard error"][place] > 0.01
    assert 0 == cells["shrinkage low"][place] <= cells["shrinkage"][place] < cells["shrinkage high"][place] < 0.1
    line = next(line for line in run(capsys, *arguments)[1].splitlines() if line.startswith("x d: ")).replace("−", "-")
    told = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", line)]
    names = ("shrinkage", "shrinkage low", "shrinkage high", "estimate", "low", "high")
    assert told == pytest.approx([100 * cells[name][place] for name in names], abs=0.5)
    assert "-0" not in line


def test_sets_too_wide_to_invert_are_read_from_the_model(tmp_path, capsys):
    schema = Schema(tuple(Attribute(name, ("no", "yes")) for name in "abcdefghi"))
    file = MechanismFile(schema, integer_groups(build("kronecker", (2,) * 9, [2.0] * 9)))
    (tmp_path / "m.json").write_text(file.to_json())
    truth = Dataset(schema, np.random.default_rng(0).integers(0, 2, (900, 9)).astype(np.int32))
    (tmp_path / "r.csv").write_text(randomise(file, truth).to_csv())
    arguments = ("read", "--mechanism", tmp_path / "m.json", "--in", tmp_path / "r.csv", "--marginal", ",".join("abcdefghi"))
    code, out, err = run(capsys, *arguments, "--json")
    (found,) = json.loads(out)["from_the_model"]
    assert (code, err, json.loads(out)["marginals"]) == (0, "", [])
    assert sum(found["cells"]["model"]) == pytest.approx(1)
    assert found["note"].startswith("Read from the model of all pairs; no interval.")
    told = run(capsys, *arguments)[1].splitlines()
    assert told[1] == found["note"]
    assert told[2].startswith("a no, b no, c no,")
    assert len(told) == 2 + 512


def test_a_sample_that_is_not_simple(tmp_path, capsys):
    """Forced response with strata: 10.45 % weighted, 9.28 % unweighted (RRTCS, ForcedResponseDataSt)."""
    run(
        capsys,
        "mechanism",
        "--design",
        "treated=forced:3/5,1/5,1/5",
        "--categories",
        "treated=no|yes",
        "--out",
        tmp_path / "m.json",
    )
    (tmp_path / "a.csv").write_bytes(infertility())
    plain = ("read", "--mechanism", tmp_path / "m.json", "--in", tmp_path / "a.csv")
    code, out, _ = run(capsys, *plain, "--weights", "weight", "--strata", "stratum", "--report", tmp_path / "r.html")
    assert code == 0
    assert "The sample: weighted, 19 strata. It tells as much as " in out
    assert "treated yes: 10 % (3 to 18), unbiased 10 % (" in out
    assert "weighted, 19 strata" in (tmp_path / "r.html").read_text(encoding="utf-8")
    code, out, _ = run(capsys, *plain)
    assert "treated yes: 9 % (" in out
    code, out, err = run(capsys, *plain, "--weights", "nothing")
    assert code == 2
    assert "There is no column 'nothing' for the weights" in err
    (tmp_path / "sizes.csv").write_text("stratum,total\n" + "\n".join(f"{h},100000" for h in range(1, 21)))
    code, out, _ = run(
        capsys, *plain, "--weights", "weight", "--strata", "stratum", "--population-sizes", tmp_path / "sizes.csv", "--json"
    )
    assert code == 0
    assert json.loads(out)["sample"]["finite"]
    code, out, _ = run(capsys, *plain, "--population-sizes", "24877", "--json")
    assert json.loads(out)["sample"]["words"] == "equal weights, a finite population"


def test_columns_that_are_known_leave_as_they_are_and_are_read_by(survey, capsys):
    schema = TITANIC.schema.select(["Sex", "Survived"])
    file = MechanismFile(schema, integer_groups(build("kronecker", (2, 2), [1.0, 1.0])))
    (survey / "two.json").write_text(file.to_json(), encoding="utf-8")
    made = ("collect", "--mechanism", survey / "two.json", "--in", survey / "true.csv", "--out", survey / "known.csv")
    code, out, _ = run(capsys, *made, "--known", "Class,Age")
    assert code == 0
    assert "Class and Age leave as they are: everybody's are learnt." in out
    header, *rows = (survey / "known.csv").read_text(encoding="utf-8").splitlines()
    assert header == "Sex,Survived,Class,Age,rr_release"
    truth = [line.split(",") for line in (survey / "true.csv").read_text(encoding="utf-8").splitlines()[1:]]
    assert [row.split(",")[2:4] for row in rows] == [[line[0], line[2]] for line in truth]
    read = ("read", "--mechanism", survey / "two.json", "--in", survey / "known.csv", "--by", "Class", "--json")
    groups = json.loads(run(capsys, *read)[1])["by"]["groups"]
    assert {each["value"]: each["answers"] for each in groups} == {"1st": 325, "2nd": 285, "3rd": 706, "Crew": 885}


def test_a_column_that_is_randomised_or_is_none_does_not_leave_as_it_is(survey, capsys):
    made = ("collect", "--mechanism", survey / "mech.json", "--in", survey / "true.csv", "--out", survey / "known.csv")
    for name in ("Class", "region"):
        code, _, err = run(capsys, *made, "--known", name)
        assert (code, f"'{name}' cannot be published unchanged" in err) == (2, True)
        assert not (survey / "known.csv").exists()


def test_the_confidence_is_also_that_of_categories_that_are_read_together(tmp_path, capsys):
    """Of two categories that reports do not tell apart: share 50 %, error sqrt(0.45 x 0.55 / 1000) / 0.7, in closed form."""
    asked, reported = (Schema((Attribute("how often", names),)) for names in (("never", "seldom", "often"), ("black", "white")))
    MechanismFile(asked, (((0,), MatrixWeights(((8, 2), (8, 2), (1, 9)))),), reports=reported).save(tmp_path / "m.json")
    (tmp_path / "a.csv").write_text("how often\n" + "black\n" * 450 + "white\n" * 550, encoding="utf-8")
    ask = ("read", "--mechanism", tmp_path / "m.json", "--in", tmp_path / "a.csv", "--confidence", "0.5", "--json")
    (found,) = json.loads(run(capsys, *ask)[1])["cannot_be_read"]
    half = 0.67449 * (0.45 * 0.55 / 999) ** 0.5 / 0.7
    assert [(each["share"], each["high"] - each["share"]) for each in found["together"]] == [
        (pytest.approx(0.5), pytest.approx(half, rel=1e-3))
    ] * 2
