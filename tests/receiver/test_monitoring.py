"""A survey at one look: days, counts so far, shares with intervals for every look, and what is said of it."""

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest

from rrcore.answers import Answers
from rrcore.budget import build
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import ConfidenceSequence
from rrcore.promise import MechanismFile
from rrcore.promise.weights import MatrixWeights
from rrcore.receiver import Submission, create_store, open_store
from rrcore.receiver.monitoring import SurveySoFar
from rrcore.reports import closing_report
from rrcore.table import Attribute, Schema
from tests.receiver.invented import invented_survey

TODAY = dt.date(2026, 11, 22)


@pytest.fixture(scope="module")
def survey():
    return invented_survey(TODAY, rng=np.random.default_rng(1))


@pytest.fixture
def store(tmp_path, survey):
    return create_store(str(tmp_path / "pilot.survey"), survey.mechanism, title="Pilot", questions={"violence": "Has anybody?"})


def send(store, codes, day):
    store.add([Submission(tuple(map(int, row)), f"{day} {i}".encode()) for i, row in enumerate(codes)], day)


def test_what_is_in_a_store(store, survey):
    days = [dt.date(2026, 11, 3), dt.date(2026, 11, 6)]
    codes = survey.answers.dataset.codes
    send(store, codes[:40], days[0])
    send(store, codes[40:100], days[1])
    store.opened(50, days[0])
    store.opened(63, days[1])
    found = SurveySoFar.of(open_store(store.place))
    assert (found.title, found.n, found.unfinished, found.closed) == ("Pilot", 100, 13, None)
    assert found.days == tuple(dt.date(2026, 11, day) for day in (3, 4, 5, 6))
    watched = found.watch(["violence"])
    assert watched.days == found.days
    assert watched.n.tolist() == [40, 40, 40, 100]
    for last, rows in ((0, 40), (2, 40), (3, 100)):
        assert watched.counts[:, last].tolist() == np.bincount(codes[:rows, 0], minlength=2).tolist()


def test_a_pause_is_known_until_it_ends(store):
    store.pause(TODAY)
    assert (SurveySoFar.of(store).paused, SurveySoFar.of(store).closed) == (True, None)
    store.resume()
    assert not SurveySoFar.of(store).paused
    store.pause(TODAY)
    store.close(TODAY)
    assert not SurveySoFar.of(store).paused


def test_shares_and_intervals_of_each_day(survey):
    watched = survey.watch(["sought help", "violence"])
    answers = survey.answers
    counts = answers.counts(["sought help", "violence"])
    assert (watched.counts[..., -1] == counts).all()
    assert np.allclose(watched.shares[..., -1], answers.estimate(["sought help", "violence"]).shares)
    low, high = ConfidenceSequence(answers.channel(["sought help", "violence"])).interval(counts)
    assert np.allclose(watched.low[..., -1], low)
    assert np.allclose(watched.high[..., -1], high)
    assert not watched.changed


def test_shares_that_are_shown_are_those_of_the_reader_and_within_their_intervals(survey):
    """A few answers put some shares below 0: the reader of a single question draws them to 0, and takes that from the others."""
    watched = survey.watch(["sought help"])
    assert watched.shares.min() < 0
    assert watched.shown.min() == 0
    assert np.allclose(watched.shown.sum(axis=0), 1)
    assert (watched.low <= watched.shown).all()
    assert (watched.shown <= watched.high).all()
    read = survey.answers.release.shrinkage.shares((1,))
    assert np.allclose(watched.shown[:, -1], read)
    assert [watched.share_text((i,)).split(" (")[0] for i in range(3)] == [f"{100 * share:.0f}%" for share in read]


def test_people_who_answer_later_are_others(survey):
    answers = survey.answers
    later = answers.groupings[0].codes >= 10
    codes = np.where(later[:, None], 1, 0).astype(np.int32).repeat(2, axis=1)
    other = replace(survey, answers=Answers.of(replace(answers.dataset, codes=codes), answers.mechanism, answers.groupings))
    assert other.watch(["violence"]).changed


def test_before_the_first_answer(store):
    found = SurveySoFar.of(store)
    assert (found.n, found.days, found.unfinished) == (0, (), 0)
    with pytest.raises(InputError, match="No answers have arrived yet"):
        found.watch(["violence"])
    store.opened(3, TODAY)
    assert SurveySoFar.of(store).unfinished == 3


def test_more_reports_than_answers_fewer_and_a_question_about_a_day(tmp_path):
    """Numbers of red cards (Kuk 1990), an attribute that is called like the column of days, and one with too few reports."""
    asked = Schema(
        (Attribute("drugs", ("no", "yes")), Attribute("day", ("Sunday", "other")), Attribute("often", ("never", "1", "2")))
    )
    recorded = Schema((Attribute("drugs", ("0", "1", "2", "3")), asked.attributes[1], Attribute("often", ("black", "white"))))
    rows = ((8, 4, 2, 1), (1, 2, 4, 8)), ((4, 1), (1, 4)), ((8, 2), (8, 2), (1, 9))
    file = MechanismFile(asked, tuple(((i,), MatrixWeights(each)) for i, each in enumerate(rows)), reports=recorded)
    store = create_store(str(tmp_path / "cards.survey"), file, title="Cards")
    codes = np.random.default_rng(2).integers(0, recorded.sizes, (80, 3))
    send(store, codes[:50], TODAY - dt.timedelta(1))
    send(store, codes[50:], TODAY)
    found = SurveySoFar.of(open_store(store.place))
    watched = found.watch(["drugs"])
    assert watched.counts[:, -1].tolist() == np.bincount(codes[:, 0], minlength=4).tolist()
    assert (watched.shares.shape, watched.n.tolist()) == ((2, 2), [50, 80])
    assert found.watch(["day", "drugs"]).counts.shape == (2, 4, 2)
    with pytest.raises(NotIdentifiableError, match="often"):
        found.watch(["often"])
    report = closing_report(found)
    assert "drugs" in report
    assert "Proportions at the end" in report


def test_two_shares_that_add_up_to_one_leave_their_intervals_together():
    channel = build("independent", (2,), (1.0,)).channel((0,))
    low, high = ConfidenceSequence(channel, 0.9).interval(np.array([[300, 30], [120, 90]]))
    np.testing.assert_allclose(low[0], 1 - high[1], atol=1e-9)
    np.testing.assert_allclose(high[0], 1 - low[1], atol=1e-9)
