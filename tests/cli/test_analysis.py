"""The commands analyze, fit and audit."""

import numpy as np
import pytest

import rrcore as rr
from tests.answers.test_sample_design import infertility
from tests.cli.terminal import refused, result, run
from tests.promise.test_reports import kuk, narrow


@pytest.fixture
def answers(survey, capsys):
    assert run(capsys, "release", "--mechanism", "m.json", "--in", "true.csv", "--out", "answers.csv")[0] == 0
    rows = (survey / "answers.csv").read_text().splitlines()
    decks = ["9", "10"]
    more = [f"{row.rpartition(',')[0]},{decks[i % 2]},{1 + i % 3},{i % 40}" for i, row in enumerate(rows[1:])]
    (survey / "more.csv").write_text(f"{rows[0].rpartition(',')[0]},deck,weight,village\n" + "\n".join(more) + "\n")
    return ("--mechanism", "m.json", "--in", "more.csv")


def test_estimates_are_those_of_the_library(answers, capsys):
    """Four shares, within 6 standard errors of the truth. False alarm: 1.2e-8."""
    found = result(capsys, "analyze", *answers, "--estimate", "Sex,Survived", "--no-population", "--confidence", "0.9")
    table = rr.read_answers("more.csv", "m.json").estimate(["Sex", "Survived"])
    low, high = table.interval(0.9)
    (marginal,) = found["marginals"]
    assert [row["estimate"] for row in marginal["rows"]] == table.shares.ravel().tolist()
    assert [[row["conf_low"], row["conf_high"]] for row in marginal["rows"]] == np.stack([low, high], -1).reshape(-1, 2).tolist()
    truth = np.array([1364, 367, 126, 344]) / 2201  # the published table
    assert (np.abs(table.shares.ravel() - truth) < 6 * table.std_error().ravel()).all()


def test_groups_and_pairs(answers, capsys):
    within = result(capsys, "analyze", *answers, "--estimate", "Survived", "--within", "Sex=Female")["marginals"][0]["rows"]
    assert {row["Sex"] for row in within} == {"Female"}
    assert sum(row["estimate"] for row in within) == pytest.approx(1)
    by = result(capsys, "analyze", *answers, "--estimate", "Survived", "--by", "deck")["marginals"][0]["rows"]
    assert [row["deck"] for row in by] == ["9", "9", "10", "10"]
    pairs = result(capsys, "analyze", *answers, "--pairs")["pairs"]
    assert len(pairs) == 6
    assert "ward" in refused(capsys, "analyze", *answers, "--weights", "ward")


def test_a_sample_that_is_not_simple(tmp_path, capsys):
    """Forced response with strata: 10.45% weighted, 9.28% unweighted (RRTCS, ForcedResponseDataSt)."""
    design = ("--design", "treated=forced:3/5,1/5,1/5", "--categories", "treated=no|yes")
    assert run(capsys, "mechanism", *design, "--out", tmp_path / "m.json")[0] == 0
    (tmp_path / "a.csv").write_bytes(infertility())
    asked = ("analyze", "--mechanism", tmp_path / "m.json", "--in", tmp_path / "a.csv")

    def treated(*more):
        return result(capsys, *asked, *more)["marginals"][0]["rows"][1]

    strata = ("--weights", "weight", "--strata", "stratum")
    (tmp_path / "sizes.csv").write_text("stratum,total\n" + "\n".join(f"{h},100000" for h in range(1, 21)))
    assert treated()["estimate"] == pytest.approx(0.0928, abs=5e-5)
    assert treated(*strata)["estimate"] == pytest.approx(0.1045, abs=5e-5)
    assert treated(*strata, "--population-sizes", tmp_path / "sizes.csv")["std_error"] < treated(*strata)["std_error"]
    assert treated("--population-sizes", "2000")["std_error"] < treated()["std_error"]


def test_an_erased_attribute_leaves_the_others(tmp_path, capsys):
    """Two reports do not tell three categories apart."""
    often, sex, file = narrow().schema.attributes[0], rr.Attribute("sex", ("f", "m")), narrow()
    groups = (*file.groups, ((1,), kuk().groups[1][1]))
    reports = rr.Schema((*file.reports.attributes, sex))
    rr.MechanismFile(rr.Schema((often, sex)), groups, reports=reports).save(tmp_path / "m.json")
    (tmp_path / "a.csv").write_text("how often,sex\n" + "black,f\n" * 60 + "white,m\n" * 40)
    asked = ("analyze", "--mechanism", tmp_path / "m.json", "--in", tmp_path / "a.csv")
    first, second = result(capsys, *asked)["marginals"]
    assert (first["rows"], len(second["rows"])) == ([], 2)
    assert "'how often'" in refused(capsys, *asked, "--estimate", "how often")


def test_a_report_is_written(answers, survey, capsys):
    assert run(capsys, "analyze", *answers, "--report", "r.html")[0] == 0
    assert "</html>" in (survey / "r.html").read_text(encoding="utf-8")


def test_a_regression_has_the_numbers_of_the_library(answers, survey, capsys):
    """It has an estimate unless the share of women who died is 7 standard errors off. False alarm: below 1e-11."""
    formula = "Survived ~ Sex + deck"
    found = result(capsys, "fit", formula, *answers, "--weights", "weight", "--clusters", "village", "--out", "c.csv")
    sample = rr.answers.SampleColumns("weight", clusters="village")
    model = rr.fit(formula, rr.answers.with_sample(rr.read_answers("more.csv", "m.json"), sample))
    assert [row["estimate"] for row in found["coefficients"]] == model.to_arrow()["estimate"].to_pylist()
    assert (survey / "c.csv").read_text().count("\n") == len(found["coefficients"]) + 1


def test_audits_of_a_sampler_and_of_answers(answers, capsys, rare_alarms):
    """False alarm: 8e-7 together."""
    assert result(capsys, "audit", "--mechanism", "m.json", "--runs", "3000")["sound"]
    found = result(capsys, "audit", "--mechanism", "m.json", "--answers", "answers.csv")
    assert (found["sound"], found["n"]) == (True, 2201)
    assert {check["tests"] for check in found["checks"]} <= set(range(1, 10**6))
