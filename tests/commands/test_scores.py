"""What ``read`` says of ordered attributes, and the option ``--scores``."""

import json

import numpy as np
import pytest

import rrcore as rr
from rrcore.promise.integers import integer_groups
from tests.commands.terminal import check_narrower, run

SCHEMA = rr.Schema(
    (
        rr.Attribute("age", ("under 20", "20 to 29", "30 to 39", "40 and over"), "ordinal"),
        rr.Attribute("smokes", ("no", "yes"), "ordinal"),
        rr.Attribute("town", ("a", "b", "c")),
    )
)


@pytest.fixture
def read(tmp_path, capsys):
    """Runs ``read`` on 600 answers of which a column tells the region."""
    rng = np.random.default_rng(0)
    file = rr.MechanismFile(SCHEMA, integer_groups(rr.build("kronecker", SCHEMA.sizes, [2.0] * 3)))
    people = rr.Dataset(SCHEMA, np.stack([rng.integers(0, a, 600) for a in SCHEMA.sizes], axis=1))
    first, *lines = rr.randomise(file, people).to_csv().splitlines()
    rows = [f"{first},region", *(f"{line},{'north' if i % 3 else 'south'}" for i, line in enumerate(lines))]
    (tmp_path / "m.json").write_text(file.to_json(), encoding="utf-8")
    (tmp_path / "a.csv").write_text("\n".join(rows), encoding="utf-8")

    def reading(*more):
        return run(capsys, "read", "--mechanism", tmp_path / "m.json", "--in", tmp_path / "a.csv", *more)

    return reading


def test_read_tells_of_every_ordered_attribute_how_many_are_before_and_where_the_middle_is(read):
    code, out, err = read()
    assert (code, err) == (0, "")
    told = [line for line in out.splitlines() if " of 100 are at " in line]
    assert len(told) == 1
    assert told[0].startswith("age: About ")
    assert "; the median is “" in told[0]
    assert "Mean" not in out
    found = {each["attributes"][0]: each["ordered"] for each in json.loads(read("--json")[1])["marginals"]}
    assert (found["smokes"], found["town"]) == (None, None)
    assert found["age"]["scores_are"] == "ranks"
    assert found["age"]["cumulative"]["shares"][-1] == 1
    assert found["age"]["median"]["category"] in SCHEMA.attributes[0].categories
    assert json.loads(read("--json", "--marginal", "age,town")[1])["marginals"][0]["ordered"] is None


def test_numbers_that_are_given_make_a_mean_for_all_and_for_each_group(read):
    code, out, _ = read("--marginal", "age", "--by", "region", "--scores", "age=15,25,35,60", "--json")
    result = json.loads(out)
    (whole,) = [each["ordered"] for each in result["marginals"]]
    groups = {each["value"]: each["ordered"][0] for each in result["by"]["groups"]}
    assert code == 0
    assert whole["scores"] == [15, 25, 35, 60]
    assert 25 < whole["mean"]["low"] < whole["mean"]["value"] < whole["mean"]["high"] < 45
    assert groups["south"]["mean"]["standard_error"] > groups["north"]["mean"]["standard_error"] > whole["mean"]["standard_error"]
    _, text, _ = read("--marginal", "age", "--by", "region", "--scores", "age=15,25,35,60", "--against", "people")
    assert text.count("age: Mean of the numbers given: ") == 3


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("--scores", "age"), "is not understood"),
        (("--scores", "age=1,2,x,4"), "'x' is not a number"),
        (("--scores", "age=1,2"), "'age' has 4 categories and 2 numbers"),
        (("--scores", "town=1,2,3"), "'town' has no order"),
        (("--scores", "smokes=0,1"), "'smokes' has no order of three categories or more"),
        (("--scores", "income=1"), "There is no attribute 'income'"),
        (("--scores", "age=1,2,3,4", "--marginal", "town"), "'age', which is not read by itself"),
    ],
)
def test_numbers_that_fit_nothing(read, wrong, said):
    code, _, err = read(*wrong)
    assert code == 2
    assert said in err


def test_the_confidence_that_is_asked_for_is_that_of_what_an_ordered_attribute_adds(read):
    asked = ("--by", "region", "--scores", "age=15,25,35,60", "--json")
    wide, narrow = (json.loads(read(*asked, "--confidence", share)[1]) for share in ("0.99", "0.5"))
    check_narrower(wide, narrow)
    first, second = (each["marginals"][0]["ordered"] for each in (wide, narrow))
    reach = [(each["mean"]["high"] - each["mean"]["low"]) / 2 / each["mean"]["standard_error"] for each in (first, second)]
    assert reach == pytest.approx([2.5758, 0.6745], abs=1e-4)
    assert [each["sentences"][0].partition("order ")[2][:5] for each in (first, second)] == ["(99 %", "(50 %"]
