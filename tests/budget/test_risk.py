"""Who can be guessed because of a release, against Bayes' rule over every true and every released record, and levels that keep them few."""

import numpy as np
import pytest
from scipy import stats

import rrcore as rr
from rrcore.budget import KNOWS, People, posterior, risk_of, risk_of_thousand
from rrcore.budget.outputs import Outputs
from rrcore.budget.risk import _SEED, NEAR, OBSERVERS, levels_within_risk
from rrcore.errors import InputError
from rrcore.mechanisms import Counted
from tests import oracles

TABLES = {
    "titanic": rr.load_demo("titanic"),
    "hair and eye": rr.load_demo("haireye"),
    "berkeley": rr.load_demo("berkeley"),
    "census": rr.load_demo("census").select(["marital status", "relationship", "sex"]),
}
TABLES = {name: rr.Dataset(table.schema, table.codes[:: max(1, table.n // 3000)], name) for name, table in TABLES.items()}


def brute(mechanism, table, knows):
    """(people guessed after and not before, people guessed before) of every attribute, record by record and report by report."""
    sizes = table.schema.sizes
    cells = list(np.ndindex(*sizes))
    channel = oracles.dense_mechanism(mechanism)  # P(released | true)
    people = np.bincount(np.ravel_multi_index(tuple(table.codes.T), sizes), minlength=len(cells))
    found = []
    for axis, size in enumerate(sizes):
        own = np.array([cell[axis] for cell in cells])
        rest = np.array([hash(cell[:axis] + cell[axis + 1 :]) for cell in cells])
        group = rest if knows == "others" else np.zeros(len(cells))
        seen = own if knows == "answer" else np.arange(len(cells))
        joint = (people[:, None] * channel) @ np.equal.outer(seen, np.unique(seen))  # by true record and by what is seen
        added = before = 0.0
        for each in np.unique(group):
            here = group == each
            together = np.equal.outer(np.arange(size), own[here]) @ joint[here]  # by true answer and by what is seen
            total = together.sum()
            if total == 0:
                continue
            if together.sum(axis=1).max() / total >= 0.95 - 1e-9:
                before += total
                continue
            reported = together.sum(axis=0)
            sure = together.max(axis=0) >= (0.95 - 1e-9) * reported
            added += reported[sure].sum()
        found.append((added, before))
    return found


@pytest.mark.parametrize("knows", KNOWS)
@pytest.mark.parametrize("level", [0.4, 1.0, 3.0])
@pytest.mark.parametrize("name", TABLES)
def test_people_are_counted_as_bayes_rule_counts_them(name, level, knows):
    table = TABLES[name]
    for kind in ("kronecker", "pair-safe", "optimal"):
        mechanism = rr.build(kind, table.schema.sizes, np.linspace(level, 1.3 * level, len(table.schema.sizes)))
        risk, expected = risk_of(mechanism, People(table), knows), brute(mechanism, table, knows)
        assert risk.added == pytest.approx(max(added for added, _ in expected), abs=1e-6)
        assert risk.most == risk.added
        assert (risk.added, risk.before) == pytest.approx(expected[table.schema.names.index(risk.name)], abs=1e-6)


@pytest.mark.parametrize("level", [0.4, 2.0])
@pytest.mark.parametrize("name", TABLES)
def test_the_most_exposed_are_found_as_by_counting_everybody_with_each_answer(name, level):
    """Of every group of 10 people or more, by Bayes' rule for the people of that group with the same other answers."""
    table = TABLES[name]
    mechanism = rr.build("pair-safe", table.schema.sizes, [level] * len(table.schema.sizes))
    risk = risk_of(mechanism, People(table), "others", exposed=True)
    axis, shares = table.schema.names.index(risk.name), {}
    for j, attribute in enumerate(table.schema.attributes):
        for c, category in enumerate(attribute.categories):
            part = rr.Dataset(table.schema, table.codes[table.codes[:, j] == c], "part")
            if j != axis and part.n >= 10:
                shares[attribute.name, category] = brute(mechanism, part, "others")[axis][0] / part.n
    assert risk.group[2] == pytest.approx(max(shares.values()), abs=1e-9)
    if risk.group[2]:
        assert shares[risk.group[:2]] == pytest.approx(risk.group[2], abs=1e-9)
    assert risk.share <= risk.group[2] + 1e-9
    assert (f"(of 1,000 with {risk.group[0]}: {risk.group[1]}, " in risk.sentence()) == (risk.group[2] > risk.share)


@pytest.mark.parametrize(("share", "knows"), [(0.001, "answer"), (0.001, "others"), (0.05, "others"), (0.3, "answer")])
@pytest.mark.parametrize("name", TABLES)
def test_levels_keep_people_few_and_higher_ones_do_not(name, share, knows):
    table = TABLES[name]
    found = levels_within_risk(
        rr.Plan.for_levels(table, np.linspace(1, 2, len(table.schema.sizes))), share, knows, people=People(table)
    )
    assert max(added for added, _ in brute(found.plan.build(), table, knows)) <= share * table.n + 1e-6
    higher = found.plan.scaled(1.01).build()
    assert max(added for added, _ in brute(higher, table, knows)) > share * table.n
    assert found.beyond.share > share
    np.testing.assert_allclose(
        np.ptp(np.log(found.plan.levels) - np.log(np.linspace(1, 2, len(table.schema.sizes)))), 0, atol=1e-9
    )
    assert 1 < NEAR < 1.01


def test_a_declared_plan_takes_all_answers_to_be_equally_common():
    """Of two answers with truth told with probability p, knowing it alone is as sure as p: 19 to 1 is a level of ln 19."""
    schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")), rr.Attribute("drinks", ("no", "yes"))))
    plan = rr.Plan.for_levels(schema, 1.0, mechanism="kronecker", respondents=400)
    found = levels_within_risk(plan, 0.01, "others")
    assert found.plan.levels == pytest.approx([np.log(19)] * 2, rel=NEAR - 1)
    assert found.risk.added == 0
    assert found.beyond.added == pytest.approx(400)
    assert "if all answers are equally common" in found.risk.sentence()


def test_what_nobody_can_guess_takes_the_highest_levels():
    """Everybody gives the same answer: nobody is guessed who could not be before."""
    schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    table = rr.Dataset(schema, np.zeros((50, 1), dtype=np.int32))
    found = levels_within_risk(rr.Plan.for_levels(table, 1.0), 0.1, "answer", people=People(table))
    assert (found.beyond, found.risk.added, found.risk.before) == (None, 0, 50)
    assert found.plan.levels == (30.0,)


def test_what_cannot_be_kept_is_said():
    """Of 100,000 people 18 in 19 say no: the least level makes a no believed."""
    schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    table = rr.Dataset(schema, (np.arange(100_000) % 100_000 < 5_001).astype(np.int32)[:, None])
    with pytest.raises(
        InputError, match=r"^Even at the least levels 50\d of 1,000 people can have their answer to “smokes” guessed\."
    ):
        levels_within_risk(rr.Plan.for_levels(table, 1.0), 0.1, "answer", people=People(table))
    with pytest.raises(InputError, match="give respondents"):
        People(schema)


def test_where_releases_are_drawn_a_bound_takes_the_place_of_the_number():
    mechanism = rr.build("optimal", (2,) * 40, [2.5] * 40)
    assert isinstance(mechanism, Counted)
    schema = rr.Schema(tuple(rr.Attribute(f"a{i}", ("no", "yes")) for i in range(40)))
    risk = risk_of(mechanism, People(schema, 1000), "others")
    assert risk.added < risk.most <= 1000
    assert "Of 1,000 people, at most " in risk.sentence()


@pytest.mark.parametrize("knows", OBSERVERS)
def test_the_sentence_says_whom_how_many_and_who_guesses(knows):
    table = TABLES["titanic"]
    risk = risk_of(rr.build("pair-safe", table.schema.sizes, [2.0] * 4), People(table), knows)
    text = risk.sentence()
    assert f"Of 1,000 people, {risk_of_thousand(risk.added / table.n)} can have “{risk.name}” guessed" in text
    before = risk_of_thousand(risk.before / table.n)
    without = f"; {'nobody' if before == '0' else f'another {before}'} without it."
    assert text.endswith(f"by someone who {OBSERVERS[knows]}{without}")
    assert risk.short().startswith(f"By someone who {OBSERVERS[knows]}, {risk_of_thousand(risk.added / table.n)} “{risk.name}”")
    assert risk.short().endswith(without)


def test_where_nobody_is_guessed_no_attribute_is_named():
    table = TABLES["titanic"]
    risk = risk_of(rr.build("pair-safe", table.schema.sizes, [0.01] * 4), People(table), "others")
    assert risk.sentence().startswith("The release lets nobody be guessed with 95 % certainty")
    assert "“" not in risk.sentence()


@pytest.mark.parametrize("kind", ["kronecker", "pair-safe"])
def test_one_draw_serves_all_attributes_and_gives_each_the_number_of_a_draw_of_its_own(kind, monkeypatch):
    """By Bayes' rule from the dense channel, each attribute apart: the same people drawn, the same count, the same interval."""
    runs, weighed = 400, []
    monkeypatch.setattr(posterior, "MOST_SUMMED", 0)
    monkeypatch.setattr(posterior, "_RUNS", (runs, runs))
    own = Outputs.log_of
    monkeypatch.setattr(Outputs, "log_of", lambda self, lies: (weighed.append(len(lies)), own(self, lies))[1])
    table = TABLES["titanic"]
    mechanism = rr.build(kind, table.schema.sizes, [1.5, 2.0, 2.5, 3.0])
    people = People(table)
    found = list(people.certainties(mechanism, "record"))
    assert len(weighed) == runs
    cells = list(np.ndindex(*table.schema.sizes))
    number = np.array([np.sum((table.codes == cell).all(axis=1)) for cell in cells])
    channel = oracles.dense_mechanism(mechanism)
    added = []
    for axis, size in enumerate(table.schema.sizes):
        rng = np.random.default_rng(_SEED)
        released = mechanism.perturb(table.codes[rng.integers(table.n, size=runs)], rng=rng)
        sure = 0
        for seen in released.tolist():
            likely = number * channel[:, cells.index(tuple(seen))]
            answers = [likely[[cell[axis] == v for cell in cells]].sum() for v in range(size)]
            sure += max(answers) >= (0.95 - 1e-9) * sum(answers)
        unsure = np.bincount(table.codes[:, axis]).max() < (0.95 - 1e-9) * table.n
        added.append(table.n * sure * unsure / runs)
    assert [each.runs for each in found] == [runs] * 4
    assert [each.added(0.95) for each in found] == pytest.approx(added, abs=1e-9)
    apart = [people.certainty(mechanism, axis, "record", rng=np.random.default_rng(_SEED)) for axis in range(4)]
    assert [each.added(0.95) for each in apart] == pytest.approx(added, abs=1e-9)
    assert max(added) > 0
    risk = risk_of(mechanism, people, "record")
    hits = round(runs * max(added) / table.n)
    assert risk.added == pytest.approx(max(added))
    assert stats.binom.cdf(hits, runs, risk.most / table.n) == pytest.approx(
        1e-3, rel=1e-6
    )  # so few would be seen once in 1,000 times
