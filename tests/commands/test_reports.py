"""The commands on mechanism files whose reports are not the categories, and on several files of one survey."""

import json

import pytest

import rrcore as rr
from rrcore.promise.weights import MatrixWeights
from tests.commands.terminal import run
from tests.promise.test_reports import kuk, narrow, people


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, file in (("kuk", kuk()), ("narrow", narrow())):
        (tmp_path / f"{name}.json").write_text(file.to_json(), encoding="utf-8")
    (tmp_path / "truth.csv").write_text(people(3000).to_csv(), encoding="utf-8")
    return tmp_path


def test_kuks_cards_from_true_answers_to_a_report(files, capsys):
    code, out, _ = run(capsys, "certify", "--mechanism", "kuk.json", "--people", "3000", "--report", "before.html")
    assert code == 0
    assert "31.319074213" in out
    assert "probability of each report" in (files / "before.html").read_text(encoding="utf-8")
    code, out, _ = run(capsys, "collect", "--mechanism", "kuk.json", "--in", "truth.csv", "--out", "released.csv")
    assert code == 0
    assert " red," in (files / "released.csv").read_text(encoding="utf-8").splitlines()[1]
    code, out, _ = run(
        capsys, "read", "--json", "--mechanism", "kuk.json", "--in", "released.csv", "--pairs", "--report", "after.html"
    )
    assert code == 0
    drugs, sex = json.loads(out)["marginals"]
    assert sum(drugs["reports"]["released people"]) == 3000
    assert "reports" not in sex
    assert drugs["cells"]["low"][1] < 0.15 < drugs["cells"]["high"][1]
    assert "What was reported about drugs" in (files / "after.html").read_text(encoding="utf-8")
    code, _, err = run(capsys, "read", "--mechanism", "kuk.json", "--in", "truth.csv")
    assert code == 2
    assert "not one of its reports" in err


def test_what_can_be_read_of_answers_that_look_alike(files, capsys):
    file = narrow()
    generic = rr.MechanismFile(file.schema, (((0,), MatrixWeights(((8, 2), (4, 6), (1, 9)))),), reports=file.reports)
    (files / "generic.json").write_text(generic.to_json(), encoding="utf-8")
    (files / "few.csv").write_text("how often\n" + "black\n" * 60 + "white\n" * 40, encoding="utf-8")
    code, out, _ = run(capsys, "read", "--mechanism", "narrow.json", "--in", "few.csv")
    assert code == 0
    assert "only the share of 'never' and 'seldom' together and that of 'often' can be estimated" in out
    assert "how often 'never' or 'seldom': 71 % (58 to 85)" in out
    assert "how often 'often': 29 % (15 to 42)" in out
    code, _, err = run(capsys, "read", "--mechanism", "generic.json", "--in", "few.csv")
    assert code == 2
    assert "the share of none of them can be estimated. Merge categories, or choose a design with at least 3 reports." in err


def test_an_attribute_that_cannot_be_read_leaves_the_others(files, capsys):
    file = narrow()
    sex = rr.Attribute("sex", ("f", "m"))
    both = rr.MechanismFile(
        rr.Schema((*file.schema.attributes, sex)),
        (*file.groups, ((1,), kuk().groups[1][1])),
        reports=rr.Schema((*file.reports.attributes, sex)),
    )
    (files / "both.json").write_text(both.to_json(), encoding="utf-8")
    (files / "few.csv").write_text("how often,sex\n" + "black,f\n" * 60 + "white,m\n" * 40, encoding="utf-8")
    code, out, _ = run(capsys, "read", "--mechanism", "both.json", "--in", "few.csv")
    assert code == 0
    assert "sex f: 67 % (" in out
    assert "Not identifiable: the 2 reports of 'how often'" in out
