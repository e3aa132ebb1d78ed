"""The commands for repeated surveys: change, certify --waves, and read --always."""

import json

import pytest

from rrcore.answers import compare_waves, read_answers
from rrcore.promise import MechanismFile
from tests.commands.terminal import run


@pytest.fixture
def panel(tmp_path, capsys):
    """A mechanism file and two waves of 600 people; half of those who said no the first time say yes the second time."""
    design = ("--design", "smokes=warner:4/5", "--categories", "smokes=no|yes")
    assert run(capsys, "mechanism", *design, "--out", tmp_path / "m.json")[0] == 0
    rows = [(f"p{i}", "yes" if i % 3 == 0 else "no", "yes" if i % 3 != 1 else "no") for i in range(600)]
    for name, column in (("first.csv", 1), ("second.csv", 2)):
        (tmp_path / name).write_text("person,smokes\n" + "\n".join(f"{row[0]},{row[column]}" for row in rows), encoding="utf-8")
    return tmp_path


def command(panel, *more):
    files = ("--first", panel / "first.csv", "--second", panel / "second.csv", "--mechanism", panel / "m.json")
    return ("change", *files, *more)


def test_change_of_the_same_people(panel, capsys):
    code, out, err = run(capsys, *command(panel, "--id", "person", "--json"))
    result = json.loads(out)
    assert (code, err) == (0, "")
    assert (result["both"], result["only_first"], result["linked"]) == (600, 0, True)
    found = result["marginals"][0]
    assert found["change"]["change"][1] == pytest.approx((2 / 3 - 1 / 3) / 0.6)
    assert found["change"]["standard error"][1] == pytest.approx((2 / 9 / 599) ** 0.5 / 0.6)
    assert [len(found["moves"][key]) for key in ("cells", "share", "low", "high")] == [4] * 4
    file = MechanismFile.from_bytes((panel / "m.json").read_bytes())
    waves = [read_answers([((panel / name).read_bytes(), name)], file) for name in ("first.csv", "second.csv")]
    ends = compare_waves(*waves, ["smokes"], identifier="person").moves.interval(population=True)
    assert [found["moves"]["low"], found["moves"]["high"]] == [pytest.approx(end.ravel().tolist()) for end in ends]
    assert "p1" not in out.replace("p_value", "")
    code, out, _ = run(capsys, *command(panel, "--id", "person", "--way", "memoised"))
    assert code == 0
    assert out.startswith("600 people in both waves (0 only in the first, 0 only in the second)\nAmong 600 people asked twice")
    assert "first no, then yes: " in out


def test_change_between_two_samples(panel, capsys):
    code, out, _ = run(capsys, *command(panel))
    assert code == 0
    assert out.startswith("two samples, of 600 and 600 answers\nBetween 600 and 600 answers the share of “smokes: yes” changed")
    assert "then yes: " not in out
    code, _, err = run(capsys, *command(panel, "--id", "who"))
    assert code == 2
    assert "no column 'who'" in err


def test_weights_of_the_later_wave_count(panel, capsys):
    """A third says yes twice, a third no twice and a third no, then yes; those who said no twice get three times the weight."""
    text = (panel / "second.csv").read_text(encoding="utf-8").splitlines()
    weighted = [f"{line},{3 if i % 3 == 2 else 1}" for i, line in enumerate(text)]
    (panel / "second.csv").write_text("\n".join([f"{text[0]},weight", *weighted[1:]]), encoding="utf-8")
    code, out, _ = run(capsys, *command(panel, "--id", "person", "--weights", "weight", "--json"))
    found = json.loads(out)["marginals"][0]["change"]
    assert code == 0
    assert found["change"][1] == pytest.approx((2 / 5 - 1 / 5) / 0.6)
    assert found["first"][1] == pytest.approx((1 / 5 - 0.2) / 0.6)


def test_certify_tells_what_waves_give_away(panel, capsys):
    code, out, _ = run(capsys, "certify", "--mechanism", panel / "m.json", "--waves", "3")
    assert code == 0
    assert "odds at most 64.0 times: every wave adds" in out
    assert "proves that the record has changed" in out
    code, out, _ = run(capsys, "certify", "--mechanism", panel / "m.json", "--waves", "3", "--json")
    assert [each["held"] for each in json.loads(out)["waves"]][:2] == ["4.158883084", "1.386294362"]
    assert run(capsys, "certify", "--mechanism", panel / "m.json", "--waves", "0")[0] == 2
    code, _, err = run(capsys, "certify", "--mechanism", panel / "m.json", "--redrawn", "1/2")
    assert (code, err) == (2, "Without --waves everybody answers once: leave out --redrawn.\n")


def test_a_form_may_remember(panel, capsys):
    form = ("form", "--mechanism", panel / "m.json", "--out")
    assert run(capsys, *form, panel / "form.html")[0] == 0
    assert "localStorage" not in (panel / "form.html").read_text(encoding="utf-8")
    assert run(capsys, *form, panel / "memory.html", "--memory")[0] == 0
    assert "localStorage" in (panel / "memory.html").read_text(encoding="utf-8")


def test_read_tells_what_people_who_always_say_no_would_mean(panel, capsys):
    files = ("read", "--mechanism", panel / "m.json", "--in", panel / "first.csv")
    code, out, _ = run(capsys, *files, "--always", "smokes=no:10%", "--json")
    (found,) = json.loads(out)["always"]
    assert code == 0
    assert found["estimate"][1] == pytest.approx((1 / 3 / 0.9 - 0.2) / 0.6)
    assert found["everybody"][1][1] == pytest.approx(0.9 * found["estimate"][1] + 0.1)
    code, out, _ = run(capsys, *files, "--always", "smokes=no:10%")
    assert (
        f"If 10.0 % of the people always say “no”, the share of “yes” among the others is {100 * found['estimate'][1]:.0f} % ("
        in out
    )
    for wrong, said in (
        ("smokes", "is not understood"),
        ("smokes=maybe:1/10", "never answered with 'maybe'"),
        ("x=no:1/10", "'x'"),
    ):
        code, _, err = run(capsys, *files, "--always", wrong)
        assert code == 2
        assert said in err


def test_single_answers_have_no_known_error(panel, capsys):
    (panel / "one.csv").write_text("smokes\nno\n", encoding="utf-8")
    code, out, _ = run(
        capsys, "change", "--first", panel / "one.csv", "--second", panel / "one.csv", "--mechanism", panel / "m.json"
    )
    assert code == 0
    assert out.count("(unknown range)") == 3  # in the sentence, and of both answers
    assert "inf" not in out
    assert "nan" not in out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--fay-factor", ".3"], "Without --replicates there are no replicate weights: leave out --fay-factor."),
        (["--replicate-method", "BRR"], "Without --replicates there are no replicate weights: leave out --replicate-method."),
        (["--replicates", "w", "--fay-factor", ".3"], "Replicate weights of kind JK1 have no factor: leave out --fay-factor."),
    ],
)
def test_options_of_replicate_weights_that_nothing_reads_are_refused(panel, capsys, more, said):
    assert run(capsys, *command(panel, *more)) == (2, "", f"{said}\n")
