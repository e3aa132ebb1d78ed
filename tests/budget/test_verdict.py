"""The verdict on a mechanism file: people guessed under its own integers, what leaves, when it protects little, and a second release."""

from math import exp, log

import numpy as np
import pytest

import rrcore as rr
from rrcore.answers import nigeria
from rrcore.budget import People, Verdict, risk_of
from rrcore.designs import read_design
from rrcore.promise import MechanismFile, integer_groups, mechanism_of_integers
from rrcore.table import Dataset
from rrcore.wording import odds_text
from tests import oracles
from tests.budget.test_risk import TABLES, brute


def file_of(table, levels, kind="pair-safe"):
    return MechanismFile(table.schema, integer_groups(rr.build(kind, table.schema.sizes, levels)))


@pytest.mark.parametrize("kind", ["kronecker", "pair-safe", "optimal"])
@pytest.mark.parametrize("name", ["titanic", "berkeley"])
def test_people_are_counted_under_the_integers_of_the_file(name, kind, monkeypatch):
    table = TABLES[name]
    file = file_of(table, np.linspace(0.8, 1.6, len(table.schema.sizes)), kind)
    monkeypatch.setattr(oracles, "dense_mechanism", lambda file: oracles.exact_matrix(file.groups).astype(np.float64))
    found = Verdict.of(file, People(table))
    assert [risk.knows for risk in found.risks] == ["others", "answer"]
    for risk in found.risks:
        expected = brute(file, table, risk.knows)
        assert risk.added == pytest.approx(max(added for added, _ in expected), abs=1e-6)


@pytest.mark.parametrize("above", [False, True])
def test_a_total_protects_little_from_the_logarithm_of_the_records_on(above):
    table = TABLES["titanic"].select(["Sex", "Survived"])
    total = log(4) + (0.001 if above else -0.001)
    found = Verdict.of(file_of(table, [total / 2] * 2, "kronecker"), People(table))
    assert bool(found.little) is above
    if above:
        assert "one of 4 records can become likelier than all others together" in found.little
        assert found.little in found.sentences()
        certainty = exp(total) / (exp(total) + 3)  # what the sentence says, for someone to whom all records are equally likely
        assert certainty > 0.5


def test_what_leaves_and_what_a_second_release_adds():
    table = TABLES["titanic"].select(["Sex", "Survived"])
    found = Verdict.of(file_of(table, [1.0, 0.5], "kronecker"), People(table), 4)
    assert found.leaves == f"2 of 4 attributes of {table.n:,} people leave, randomised: Sex (2 categories), Survived (2)."
    assert f"from × {odds_text(1.5)} to × {odds_text(3.0)}." in found.again
    assert found.sentences()[-2:] == (found.leaves, found.again)


def test_odds_that_are_exact_are_not_rounded_up_twice():
    """Warner's design with 5/6 shifts odds by 5 exactly, and two releases of it by 25."""
    schema = rr.Schema((rr.Attribute("used", ("no", "yes")),))
    found = Verdict.of(MechanismFile(schema, (((0,), read_design("used", "warner", 2, "5/6")),)), People(schema, 100))
    assert "from × 5.00 to × 25.0." in found.again


def test_a_declared_plan_and_a_wide_one():
    schema = rr.Schema(tuple(rr.Attribute(f"a{i}", ("no", "yes")) for i in range(10)))
    file = MechanismFile(schema, integer_groups(rr.build("kronecker", schema.sizes, [1.0] * 10)))
    found = Verdict.of(file, People(schema, 50))
    assert found.leaves.endswith("a7 (2) and 2 more.")
    assert "if all answers are equally common" in found.sentences()[0]


def test_guesses_are_not_counted_where_answers_are_not_kept_alike():
    """The Niger Delta die forces a yes oftener than a no, so that what is seen is no lie set."""
    found = Verdict.of(nigeria().mechanism, People(nigeria().mechanism.schema, 100))
    assert found.risks == ()
    assert found.sentences()[-2:] == (found.leaves, found.again)


def test_what_leaves_as_it_is_is_learnt_and_guessing_is_counted_within_it():
    table = rr.load_demo("titanic")
    answers, kept = table.select(["Survived"]), table.select(["Class", "Sex"])
    file = MechanismFile(answers.schema, integer_groups(rr.build("kronecker", (2,), [1.0])))
    found = Verdict.of(file, People(answers, kept=kept), 4)
    assert found.learnt == (
        "Class and Sex leave as they are: everybody's are learnt. What is promised of the other answers holds among people who have the same "
        "Class and Sex. The smallest group of them has 23 people."
    )
    assert found.learnt in found.sentences()
    assert Verdict.of(file, People(answers), 4).learnt == ""
    for knows, risk in zip(("others", "answer"), found.risks, strict=True):
        groups = kept.codes[:, 0].astype(int) * 2 + kept.codes[:, 1]
        parts = [Dataset(answers.schema, answers.codes[groups == group]) for group in np.unique(groups)]
        by_hand = [risk_of(mechanism_of_integers(file), People(part), knows) for part in parts]
        assert risk.added == pytest.approx(sum(each.added for each in by_hand))
        assert risk.before == pytest.approx(sum(each.before for each in by_hand))
        assert risk.people == table.n


def test_within_very_many_groups_nobody_is_counted_and_the_smallest_is_told():
    answers = rr.load_demo("titanic").select(["Survived"]).resample(3_000, rng=np.random.default_rng(0))
    attribute = rr.Attribute("person", tuple(map(str, range(600))))
    kept = Dataset(rr.Schema((attribute,)), np.minimum(np.arange(3_000), 599)[:, None])
    found = Verdict.of(file_of(answers, [1.0], "kronecker"), People(answers, kept=kept), 2)
    assert found.risks == ()
    assert found.learnt.endswith("The smallest group of them has 1 person.")


def test_of_a_single_attribute_nobody_knows_other_answers():
    table = rr.load_demo("titanic").select(["Survived"])
    found = Verdict.of(file_of(table, [3.0], "kronecker"), People(table))
    (guessed,) = found.guessed
    assert "by someone who sees one answer" in guessed
    several = rr.load_demo("titanic").select(["Sex", "Survived"])
    first, *_ = Verdict.of(file_of(several, [3.0, 3.0], "kronecker"), People(several)).guessed
    assert "by someone who knows their other answers" in first
