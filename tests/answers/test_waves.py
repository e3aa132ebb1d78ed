"""Two waves side by side: people are found again, moves are read, and no identifier gets out."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from rrcore.answers import KnownTotals, SampleColumns, compare_waves, count_answers, read_answers, with_sample
from rrcore.channel import MatrixChannel, Stages, transition_matrix
from rrcore.designs import k_ary
from rrcore.errors import InputError
from rrcore.estimate import change_error, invert_counts, linked_change, pair_tally
from rrcore.estimate.sample import Sample
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, MechanismGroups, integer_groups
from rrcore.promise.weights import LieWeights
from rrcore.table import Attribute, Schema
from rrcore.table.stream import open_stream

MATRIX = np.array([[0.8, 0.2], [0.2, 0.8]])
TRUTH = np.array([[0.60, 0.15], [0.05, 0.20]])


def survey(*, pair=False):
    names = ("smokes", "drinks") if pair else ("smokes",)
    schema = Schema(tuple(Attribute(name, ("no", "yes")) for name in names))
    return MechanismFile(schema, tuple(((i,), k_ary(2, Fraction(4, 5))) for i in range(len(names))))


def files(pairs, *, names=("smokes",), missing=0, seed=3):
    """CSV of both waves, with identifiers in another order; the first ``missing`` people are only in the first wave."""
    rng = np.random.default_rng(seed)
    reports = [np.repeat(np.arange(4), pairs.ravel()) // 2, np.repeat(np.arange(4), pairs.ravel()) % 2]
    people = len(reports[0])
    found = []
    for wave, answers in enumerate(reports):
        order = rng.permutation(np.arange(missing * wave, people))
        lines = ["person," + ",".join(names)]
        lines += [f"P-{row}," + ",".join([("no", "yes")[answers[row]]] * len(names)) for row in order]
        found.append(("\n".join(lines).encode(), f"wave {wave + 1}.csv"))
    return found


def waves(stages, file, *, people=40_000, **options):
    law = TRUTH.ravel() @ stages.joint(2)
    pairs = np.random.default_rng(5).multinomial(people, law / law.sum()).reshape(2, 2)
    return [read_answers([one], file) for one in files(pairs, **options)]


@pytest.mark.slow
@pytest.mark.parametrize("way", ["fresh", "memoised"])
def test_moves_and_change_of_the_same_people_are_found(way):
    """40,000 people; within 5 standard errors, false alarms below 1e-5."""
    file = survey()
    first, second = waves(getattr(Stages, way)(MATRIX), file, missing=100)
    found = compare_waves(first, second, ["smokes"], identifier="person", way=way)
    assert (found.both, found.only_first, found.only_second) == (39_900, 100, 0)
    assert found.note == ""
    assert found.change.linked
    assert abs(found.change.difference[1] - 0.10) < 5 * found.change.standard_error[1]
    assert found.moves is not None
    assert found.moves.schema.names == ("smokes (first)", "smokes (second)")
    assert (np.abs(found.moves.shares - TRUTH) < 5 * found.moves.standard_error(population=True)).all()
    assert np.allclose(found.moves.shares.sum(axis=0), found.change.second.shares)
    assert "Among 39,900 people asked twice the share of “smokes: yes” changed" in found.sentence()
    assert "P-" not in repr(found)


def test_of_a_finite_population_those_who_answered_twice_are_observed():
    """400 people, all asked, 300 of them again: errors are those of 300 of 400, however many answered once."""
    both = np.array([[180, 60], [40, 120]])
    sizes = SampleColumns(populations=KnownTotals((), ((),), (400.0,)))
    whole = [with_sample(read_answers([one], survey()), sizes) for one in files(both, missing=100)]
    again = both - np.array([[100, 0], [0, 0]])  # those who are missing said "no" twice
    alone = [with_sample(read_answers([one], survey()), sizes) for one in files(again)]
    found, expected = (compare_waves(*pair, ["smokes"], identifier="person", way="fresh").change for pair in (whole, alone))
    np.testing.assert_allclose(found.difference, expected.difference, atol=1e-12)
    np.testing.assert_allclose(found.standard_error, expected.standard_error, rtol=2e-3)


def test_memoised_answers_that_are_read_as_fresh_ones_are_noticed():
    first, second = waves(Stages.memoised(MATRIX), survey(), people=3000)
    assert "were they memoised?" in compare_waves(first, second, ["smokes"], identifier="person").note
    first, second = waves(Stages.fresh(MATRIX), survey(), people=3000)
    assert compare_waves(first, second, ["smokes"], identifier="person").note == ""


def test_two_samples_need_no_identifier_and_have_no_moves():
    first, second = waves(Stages.fresh(MATRIX), survey(), people=3000)
    found = compare_waves(first, second, ["smokes"])
    assert found.moves is None
    assert not found.change.linked
    linked = compare_waves(first, second, ["smokes"], identifier="person")
    assert np.allclose(found.change.difference, linked.change.difference)
    assert found.change.standard_error[1] > linked.change.standard_error[1]


def test_who_moved_is_not_told_where_memoised_answers_cannot_say():
    file = survey(pair=True)
    first, second = waves(Stages.memoised(MATRIX), file, people=500, names=("smokes", "drinks"))
    found = compare_waves(first, second, ["smokes", "drinks"], identifier="person", way="memoised")
    assert found.moves is None
    assert "randomised on its own" in found.note
    assert compare_waves(first, second, ["drinks"], identifier="person", way="memoised").moves is not None
    schema = file.schema
    coupled = MechanismFile(schema, (((0, 1), LieWeights((2, 2), 1, (("00", 8), ("01", 1), ("10", 1)))),))
    told = compare_waves(*_as(coupled, first, second), ["smokes"], identifier="person", way="memoised")
    assert told.moves is None
    assert told.change.standard_error.shape == (2,)


def _as(file, *answers):
    return [replace(one, mechanism=file, _counted={}) for one in answers]


def test_fresh_waves_may_have_mechanisms_of_their_own():
    file = survey()
    other = MechanismFile(file.schema, integer_groups(build("kronecker", (2,), [3.0])))
    first, second = waves(Stages.fresh(MATRIX), file, people=2000)
    second = _as(other, second)[0]
    found = compare_waves(first, second, ["smokes"], identifier="person")
    assert found.moves is not None
    with_file = compare_waves(first, second, ["smokes"], identifier="person", way="memoised")
    assert "one mechanism file" in with_file.note


MOVED = np.array([[0.63, 0.07], [0.03, 0.27]])
NORTH, SOUTH = (MechanismFile(survey().schema, integer_groups(build("kronecker", (2,), [level]))) for level in (3.0, 0.6))


def grouped(way, *, people=10_000, moving=0):
    """Both waves of people who do or do not move, three quarters of them in the north; ``moving`` of them are in the south later."""
    rng, groups = np.random.default_rng(3), MechanismGroups({"north": NORTH, "south": SOUTH})
    lines = [["person,smokes,group"], ["person,smokes,group"]]
    for name, file, size in (("north", NORTH, people * 3 // 4), ("south", SOUTH, people // 4)):
        law = MOVED.ravel() @ getattr(Stages, way)(transition_matrix(file.marginal_channel((0,)))).joint(2)
        for person, cell in enumerate(rng.choice(4, size=size, p=law / law.sum())):
            for wave, report in enumerate(divmod(cell, 2)):
                own = "south" if wave and person < moving else name
                lines[wave].append(f"{name}{person},{('no', 'yes')[report]},{own}")
    return [read_answers([("\n".join(each).encode(), "a.csv")], groups) for each in lines]


@pytest.mark.parametrize("way", ["fresh", "memoised"])
def test_moves_of_groups_with_files_of_their_own_are_found(way):
    """10,000 people; within 5 standard errors, false alarms below 1e-5."""
    found = compare_waves(*grouped(way), ["smokes"], identifier="person", way=way)
    assert found.note == ""
    error = found.moves.standard_error(population=True)
    assert (np.abs(found.moves.shares - MOVED) < 5 * error).all()
    assert (error < 0.02).all()


def test_memoised_answers_of_groups_that_are_read_as_fresh_ones_are_noticed():
    assert "were they memoised?" in compare_waves(*grouped("memoised"), ["smokes"], identifier="person").note


def test_who_moved_is_not_told_where_people_went_to_another_group():
    found = compare_waves(*grouped("fresh", people=400, moving=1), ["smokes"], identifier="person")
    assert found.moves is None
    assert "where everybody is in the same group in both waves" in found.note


def test_identifiers_that_do_not_serve_are_refused_without_being_named():
    file = survey()
    first, second = waves(Stages.fresh(MATRIX), file, people=50)
    with pytest.raises(InputError, match=r"first wave has no column 'id' .*\(it has 'person'\)"):
        compare_waves(first, second, ["smokes"], identifier="id")
    twice = read_answers([(b"person,smokes\nA7,no\nA7,yes\nB,no\n", "a.csv")], file)
    with pytest.raises(InputError, match="'person' has 1 value more than once in the second wave") as found:
        compare_waves(first, twice, ["smokes"], identifier="person")
    assert "A7" not in str(found.value)
    nobody = read_answers([(b"person,smokes\nX,no\nP-1,yes\n", "a.csv")], file)
    with pytest.raises(InputError, match="1 person was found in both waves"):
        compare_waves(first, nobody, ["smokes"], identifier="person")
    with pytest.raises(InputError, match="'drinks' is not asked in both waves"):
        compare_waves(first, second, ["drinks"])


def lacking(more):
    """30 people in both waves, in another order; the later one lacks "drinks" of the first ten and has ``more`` rows."""
    rows = [f"P{i},{('no', 'yes')[i % 2]},{('no', 'yes')[i % 3 == 0]}" for i in range(30)]
    later = [f"P{i},{('no', 'yes')[i % 5 == 0]},{'' if i < 10 else 'no'}" for i in reversed(range(30))]
    contents = ["\n".join(["person,smokes,drinks", *lines]) for lines in (rows, [*later, *more])]
    return [read_answers([(text.encode(), "a.csv")], survey(pair=True)) for text in contents]


def test_people_who_lack_other_answers_are_found_again():
    """Against the mean of what each person's reports add, and its standard error, written out person by person."""
    first, second = lacking(["P30,no,yes"])
    found = compare_waves(first, second, ["smokes"], identifier="person")
    assert (found.both, found.only_first, found.only_second) == (30, 0, 1)
    assert "Among 30 people" in found.sentence()
    added = np.array([((i % 5 == 0) - i % 2) / 0.6 for i in range(30)])
    assert found.change.difference[1] == pytest.approx(added.mean())
    assert found.change.standard_error[1] == pytest.approx(added.std(ddof=1) / np.sqrt(30))
    few = compare_waves(first, second, ["drinks"], identifier="person")
    assert (few.both, few.only_first, few.only_second) == (30, 0, 1)
    assert "Among 20 people" in few.sentence()
    assert "Between 30 and 21 answers" in compare_waves(first, second, ["drinks"]).sentence()
    added = np.array([-(i % 3 == 0) / 0.6 for i in range(10, 30)])
    assert few.change.difference[1] == pytest.approx(added.mean())


def test_weights_of_people_who_lack_other_answers_stay_theirs():
    first, second = lacking([])
    weights = np.array([1.0 + int(first.groupings[0].values[code][1:]) for code in second.groupings[0].codes])
    found = compare_waves(first, replace(second, sample=Sample(weights)), ["smokes"], identifier="person")
    weighted = np.average([((i % 5 == 0) - i % 2) / 0.6 for i in range(30)], weights=np.arange(30) + 1)
    assert found.change.difference[1] == pytest.approx(weighted)


def test_a_person_twice_is_noticed_where_an_answer_lacks_and_nobody_in_common_is_said():
    first, second = lacking(["P3,yes,"])
    with pytest.raises(InputError, match="'person' has 1 value more than once in the second wave"):
        compare_waves(first, second, ["smokes"], identifier="person")
    contents = [b"person,smokes,drinks\nA,no,\nB,yes,\nC,no,yes\n", b"person,smokes,drinks\nA,no,no\nB,yes,yes\nD,no,no\n"]
    waves = [read_answers([(each, "a.csv")], survey(pair=True)) for each in contents]
    with pytest.raises(
        InputError, match="Of the 2 people found in both waves 0 answered 'drinks' in both: at least 2 are needed"
    ):
        compare_waves(*waves, ["drinks"], identifier="person")


def test_a_wave_that_is_only_counted_has_nobody_to_find_again(tmp_path):
    file = survey()
    contents = files(np.array([[20, 5], [5, 20]]))
    records = read_answers(contents[:1], file)
    (tmp_path / "second.csv").write_bytes(contents[1][0])
    only = count_answers([open_stream(tmp_path / "second.csv", header=True)], file, [("smokes",)])
    for first, second in ((records, only), (only, records), (only, only)):
        with pytest.raises(InputError, match="one of the waves is only counted"):
            compare_waves(first, second, ["smokes"], identifier="person")
        assert (compare_waves(first, second, ["smokes"]).only_first, compare_waves(first, second, ["smokes"]).both) == (50, 0)


@pytest.mark.parametrize("way", ["fresh", "memoised"])
def test_more_reports_than_categories_have_waves_too(way):
    """Kuk's design: 4,000 people, within 5 standard errors; false alarms below 1e-5."""
    kuk = np.array([[0.64, 0.32, 0.04], [0.09, 0.42, 0.49]])
    stages = getattr(Stages, way)(kuk)
    channel = stages.two_waves()
    pairs = np.random.default_rng(8).multinomial(4000, TRUTH.ravel() @ stages.joint(2)).reshape(3, 3)
    moves = invert_counts(pairs, channel)
    assert channel.report_sizes == (3, 3)
    assert (np.abs(moves.shares - TRUTH) < 5 * moves.standard_error(population=True)).all()
    once = MatrixChannel(kuk)
    waves = [invert_counts(pairs.sum(axis=axis), once) for axis in (1, 0)]
    reports = [np.repeat(np.arange(9), pairs.ravel())[:, None] // 3, np.repeat(np.arange(9), pairs.ravel())[:, None] % 3]
    change = linked_change(*waves, pair_tally(*reports, (3,)))
    assert abs(change.difference[1] - 0.10) < 5 * change.standard_error[1]
    assert change.standard_error[1] == pytest.approx(change_error(stages, TRUTH, 4000)[1], rel=0.15)
