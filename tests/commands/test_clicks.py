"""A control item and a check question at the terminal: declared, read, corrected."""

import json

import jsonschema
import numpy as np
import pytest

from rrcore.estimate import NOT_CORRECTED
from rrcore.promise import MechanismFile
from rrcore.table import Control
from tests.answers.clicking import survey
from tests.commands.terminal import check_narrower, run
from tests.commands.test_results import SCHEMA


@pytest.fixture
def collected(tmp_path):
    """Answers of 2,000 people of whom a fifth click at random, and their mechanism file."""
    answers = survey("kronecker", 0.2, 2000, np.random.default_rng(1))
    answers.mechanism.save(tmp_path / "survey.json")
    (tmp_path / "answers.csv").write_text(answers.dataset.to_csv(), encoding="utf-8")
    return tmp_path, answers


def read(capsys, folder, *more):
    return run(capsys, "read", "--mechanism", folder / "survey.json", "--in", folder / "answers.csv", *more)


def test_read_corrects_and_says_so(collected, capsys):
    folder, answers = collected
    code, out, _ = read(capsys, folder)
    assert code == 0
    assert answers.noncompliance.sentence in out
    assert "uncorrected" in out
    result = json.loads(read(capsys, folder, "--marginal", "violence,help", "--among", "born=yes", "--json")[1])
    jsonschema.Draft202012Validator(SCHEMA).validate(result)
    assert result["noncompliance"]["share"] == pytest.approx(answers.noncompliance.share)
    (marginal,) = result["marginals"]
    assert np.allclose(marginal["cells"]["estimate"], answers.estimate(["violence", "help"]).shares.ravel())
    assert np.allclose(marginal["cells"]["uncorrected"], answers.uncorrected.estimate(["violence", "help"]).shares.ravel())
    assert [each["law"] for each in marginal["corrections"]] == ["", "first", "last", "no"]


def test_another_law_and_none(collected, capsys):
    folder, answers = collected
    first = json.loads(read(capsys, folder, "--clicks", "first", "--json")[1])
    assert first["noncompliance"]["law"] == "first"
    own = json.loads(read(capsys, folder, "--clicks", "born=0.8,0.2", "--json")[1])
    assert own["noncompliance"]["own_laws"] == {"born": [0.8, 0.2]}
    assert own["noncompliance"]["share"] < answers.noncompliance.share
    none = json.loads(read(capsys, folder, "--clicks", "none", "--json")[1])
    assert "noncompliance" not in none
    assert "uncorrected" not in none["marginals"][0]["cells"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--clicks", "often"], "'often' is no law of clicking"),
        (["--clicks", "first", "--clicks", "last"], "name one"),
        (["--clicks", "none", "--clicks-by", "help"], "leave out the other options"),
        (["--clicks", "born=a,b"], "write --clicks 'attribute=0.7,0.3'"),
        (["--clicks", "last"], "looks the same with and without such people"),
        (["--among", "born"], "write --among"),
        (["--among", "born=maybe"], "'born' has no answer 'maybe'"),
        (["--among", "violence=yes", "--confidence", "0.9"], "--among"),
        (["--among", "violence=yes", "--marginal", "violence"], "nothing else is read: name another attribute in --marginal"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(collected, capsys, options, said):
    code, _, err = read(capsys, collected[0], *options)
    assert code == 2
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_estimates_among_those_with_one_answer(collected, capsys):
    """The table of violence and help, read among those without violence, sums to 1 there."""
    folder, answers = collected
    found = json.loads(read(capsys, folder, "--marginal", "help", "--among", "violence=no", "--json")[1])["among"]
    assert (found["attribute"], found["answer"]) == ("violence", "no")
    assert found["low"] < found["share"] < found["high"]
    (marginal,) = found["marginals"]
    joint = answers.estimate(["help", "violence"]).shares
    assert np.allclose(marginal["cells"]["share within the group"], joint[:, 0] / joint[:, 0].sum())
    both = json.loads(read(capsys, folder, "--marginal", "violence,help", "--among", "violence=no", "--json")[1])["among"]
    assert both == found  # of a joint distribution with the attribute itself the other one is read
    told = read(capsys, folder, "--marginal", "help", "--among", "violence=no")[1]
    assert "Among people whose answer to violence is no" in told
    assert "  help none: " in told


def test_estimates_among_those_with_one_answer_in_each_group(collected, capsys):
    """Each region by itself is read as a file of that region alone is."""
    folder, _ = collected
    names, *rows = (folder / "answers.csv").read_text(encoding="utf-8").splitlines()
    alone = {"north": rows[:1200], "south": rows[1200:]}
    lines = [f"{names},region", *(f"{row},{region}" for region, own in alone.items() for row in own)]
    (folder / "answers.csv").write_text("\n".join(lines), encoding="utf-8")
    asked = ("--marginal", "help", "--among", "violence=no")
    result = json.loads(read(capsys, folder, *asked, "--by", "region", "--json")[1])
    jsonschema.Draft202012Validator(SCHEMA).validate(result)
    told = read(capsys, folder, *asked, "--by", "region")[1]
    for group, own in zip(result["by"]["groups"], alone.values(), strict=True):
        (folder / "answers.csv").write_text("\n".join([names, *own]), encoding="utf-8")
        assert group["among"] == json.loads(read(capsys, folder, *asked, "--json")[1])["among"]
        assert "\n  Among people whose answer to violence is no, " in told.partition(f"region {group['value']}: ")[2]


def test_what_is_of_all_answers_stands_before_the_groups(collected, capsys):
    folder, answers = collected
    regions = ["region", *("north" if i % 2 else "south" for i in range(answers.n))]
    lines = (folder / "answers.csv").read_text(encoding="utf-8").splitlines()
    (folder / "answers.csv").write_text("\n".join(map(",".join, zip(lines, regions, strict=True))), encoding="utf-8")
    whole, *groups = read(capsys, folder, "--pairs", "--by", "region")[1].split("\nregion ")
    assert "violence with help" in whole
    assert [group[:5] for group in groups] == ["north", "south"]


def test_a_control_item_is_declared_on_a_mechanism_file(tmp_path, capsys):
    code, _, err = run(
        capsys, "mechanism", "--design", "smokes=warner:3/4", "--design", "born=warner:3/4", "--categories", "smokes=no|yes",
        "--categories", "born=no|yes", "--control", "born=yes", "--out", tmp_path / "survey.json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert MechanismFile.open(tmp_path / "survey.json").schema.control == Control("born", "yes")
    code, _, err = run(
        capsys, "mechanism", "--design", "born=warner:3/4", "--categories", "born=no|yes", "--control", "born=maybe", "--out",
        tmp_path / "other.json",
    )  # fmt: skip
    assert code == 2
    assert "has no answer 'maybe'" in err


def test_the_report_says_who_did_not_follow(collected, capsys):
    folder, answers = collected
    code, _, err = read(capsys, folder, "--report", folder / "report.html")
    assert (code, err) == (0, "")
    page = (folder / "report.html").read_text(encoding="utf-8").replace("\xa0", " ")
    assert "Who did not follow the instructions" in page
    assert answers.noncompliance.sentence in page
    assert "Uncorrected" in page
    assert "in another way than is taken for granted" in page


def test_what_always_adds_says_that_it_is_not_corrected(collected, capsys):
    told = read(capsys, collected[0], "--marginal", "violence", "--always", "violence=no:10%")[1]
    assert NOT_CORRECTED in told
    told = read(capsys, collected[0], "--marginal", "violence", "--always", "violence=no:10%", "--clicks", "none")[1]
    assert NOT_CORRECTED not in told


def test_the_confidence_that_is_asked_for_is_that_of_every_interval(collected, capsys):
    wide, narrow = (json.loads(read(capsys, collected[0], "--confidence", share, "--json")[1]) for share in ("0.95", "0.5"))
    check_narrower(wide, narrow)
    assert wide["noncompliance"]["high"] - wide["noncompliance"]["low"] > 2 * (
        narrow["noncompliance"]["high"] - narrow["noncompliance"]["low"]
    )
    law = [each["marginals"][0]["corrections"][1]["share"] for each in (wide, narrow)]
    assert law[0].partition(" (")[0] == law[1].partition(" (")[0]
    assert law[0] != law[1]
