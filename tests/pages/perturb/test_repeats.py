"""Perturb & estimate, "repeat 200 times": in the background, with progress, an end, and a way to stop."""

import re
import threading

import pytest

from pages.perturb import repeats
from pages.shared import jobs
from rrcore.schemes import repeat_perturbation

REPEAT = "Repeat 200 times"


@pytest.fixture
def half_way(session, monkeypatch):
    """A session whose repetition has made a few releases; the further ones wait until ``gate`` is set."""
    gate, few = threading.Event(), threading.Event()

    def slow(*arguments, report, **options):
        for made, estimate in enumerate(repeat_perturbation(*arguments, report=report, **options)):
            if made == 20:
                few.set()
                assert gate.wait(60)
            yield estimate

    monkeypatch.setattr(repeats, "repeat_perturbation", slow)
    session.go("perturb")
    monkeypatch.setattr(jobs, "PATIENCE", 0.3)
    session.click(REPEAT)
    assert few.wait(60)
    session.gate = gate
    yield session.run()
    job = session.job("repeats")
    job.stop()  # else it goes on beside the next test, by that test's way of repeating
    gate.set()


def result(session):
    """Number of releases and measured coverage in percent, from the sentence under the figure."""
    (sentence,) = [caption.value for caption in session.at.caption if "intervals covered the truth" in caption.value]
    found = re.match(r"([\d,]+) releases: the 95\s% intervals covered the truth in ([\d.]+)\s% of all cases", sentence)
    return int(found.group(1)), float(found.group(2))


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "people"), [("kronecker", 2201), ("optimal", 2201), ("kronecker", 1000)])
def test_repeating_runs_to_the_end_and_measures_coverage(session, mechanism, people):
    session.go("perturb").choose(mechanism)
    session.set("number_input", "What if the number of people were", people).click(REPEAT)
    releases, coverage = result(session)
    assert releases == 200
    assert 90 < coverage < 99
    assert session.at.get("progress") == []
    assert not session.has("button", REPEAT)


@pytest.mark.slow
def test_repeating_shows_progress_and_what_it_has(half_way):
    (progress,) = half_way.at.get("progress")
    assert progress.proto.text == "The repetition: 21 of 200 releases ..."
    releases, coverage = result(half_way)
    assert releases == 20
    assert 80 < coverage <= 100


@pytest.mark.slow
def test_repeating_can_be_stopped_keeps_what_it_has_and_starts_again(half_way):
    half_way.click("Stop")
    assert result(half_way)[0] == 20
    assert "The repetition was stopped; what is finished is shown." in half_way.text
    half_way.gate.set()
    half_way.click("Start again").finish("repeats")
    assert result(half_way)[0] == 200


@pytest.mark.slow
def test_other_pages_and_widgets_can_be_used_while_it_repeats(half_way):
    half_way.go("budget").go("perturb")
    assert half_way.errors == []
    assert "truth-and-estimate" in half_way.figures
    half_way.set("number_input", "Seed", 3)
    assert half_way.has("button", REPEAT)
    assert "intervals covered the truth" not in half_way.text


@pytest.mark.slow
def test_results_stay_until_a_choice_changes(session):
    session.go("perturb").click(REPEAT).run()
    assert result(session)[0] == 200
    session.go("budget").go("perturb")
    assert result(session)[0] == 200
    session.click("Draw again")
    assert "intervals covered the truth" not in session.text
    assert session.has("button", REPEAT)


@pytest.mark.slow
def test_repeating_does_not_depend_on_interruptions(half_way, open_session):
    half_way.gate.set()
    half_way.finish("repeats")
    other = open_session().go("perturb").click(REPEAT).finish("repeats")
    assert result(other) == result(half_way)
