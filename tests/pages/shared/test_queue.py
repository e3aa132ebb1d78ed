"""Who computes when: places at work, the queue before them, and the end of a session's jobs with its tab."""

import gc
import os
import sys
import threading
import time

import cloudpickle
import psutil
import pytest

from pages.shared import queue
from pages.shared.queue import Owner, Queue, StoppedError, work_apart
from rrcore.errors import InputError
from rrcore.work import prepare_worker

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # a worker does not import what tests import


class Desk:
    """A queue whose jobs end when they are told to, or when they are stopped."""

    def __init__(self, **places):
        self.ends = {}
        self.queue = Queue(self.work, is_open=lambda session: session != "closed", **places)

    def work(self, job):
        end = self.ends.setdefault(job.about, threading.Event())
        job.pieces.append("begun")
        while not end.wait(0.005):
            job.report(0.5, "half")

    def start(self, owner, about):
        return self.queue.start(owner, about, about, lambda report: ())

    def at_work(self):
        return sorted(job.about for job in self.queue._at_work)

    def end(self, job):
        self.ends.setdefault(job.about, threading.Event()).set()  # its thread may not have begun
        assert job.done.wait(30)


def wait_for(true, most=30.0):
    until = time.monotonic() + most
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.fixture
def desk():
    desk = Desk(each=2, all=3)
    yield desk
    for job in [*desk.queue._waiting, *desk.queue._at_work]:
        desk.queue.stop(job)


def test_one_session_has_its_places_and_all_have_theirs(desk):
    ann, bob = Owner(), Owner()
    jobs = [desk.start(ann, f"a{number}") for number in range(4)] + [desk.start(bob, f"b{number}") for number in range(2)]
    assert desk.at_work() == ["a0", "a1", "b0"]
    assert [desk.queue.before(job) for job in jobs] == [None, None, (2, 1), (3, 1), None, (1, 4)]
    desk.end(jobs[0])
    assert desk.at_work() == ["a1", "a2", "b0"]  # as many of each: who came first
    desk.end(jobs[1])
    assert desk.at_work() == ["a2", "a3", "b0"] or desk.at_work() == ["a2", "b0", "b1"]


def test_who_has_fewest_at_work_is_next(desk):
    ann, bob = Owner(), Owner()
    first = [desk.start(bob, "b0"), *(desk.start(ann, f"a{number}") for number in range(3))]
    last = desk.start(Owner(), "c0")
    assert desk.at_work() == ["a0", "a1", "b0"]
    desk.end(first[0])
    assert desk.at_work() == ["a0", "a1", "c0"]
    assert not last.done.is_set()


def test_who_is_logged_in_has_no_more_places_with_more_tabs(desk):
    one, other = Owner("one", "ann"), Owner("other", "ann")
    jobs = [desk.start(one, "a0"), desk.start(other, "a1"), desk.start(other, "a2")]
    assert desk.at_work() == ["a0", "a1"]
    assert desk.queue.before(jobs[2]) == (2, 0)


def test_waiting_for_one_s_own_is_no_waiting_for_others():
    desk = Desk(each=1, all=9)
    ann = Owner()
    one, two = desk.start(ann, "one"), desk.start(ann, "two")
    desk.start(Owner(), "other")
    assert desk.queue.before(two) == (1, 0)
    desk.queue.stop(two)
    assert two.done.is_set()
    assert two.pieces == []
    desk.queue.stop(one)
    wait_for(one.done.is_set)


def test_a_stopped_job_gives_its_place_at_once_and_keeps_its_pieces(desk):
    ann = Owner()
    jobs = [desk.start(ann, f"a{number}") for number in range(3)]
    desk.queue.stop(jobs[0])
    assert desk.at_work() == ["a1", "a2"]
    assert jobs[0].done.wait(30)
    assert (jobs[0].pieces, jobs[0].error, jobs[0].running) == (["begun"], None, False)


def test_the_former_job_of_a_name_ends(desk):
    ann = Owner()
    former = desk.queue.start(ann, "name", 1, lambda report: ())
    latter = desk.queue.start(ann, "name", 2, lambda report: ())
    assert former.done.wait(30)
    assert ann.jobs == {"name": latter}


def test_a_page_that_is_loaded_anew_takes_its_jobs_over(desk, monkeypatch):
    monkeypatch.setattr(queue, "GRACE", 0.05)
    monkeypatch.setattr(queue, "_LOOK", 0.02)
    former, new = Owner("closed"), Owner("new")
    job, other = desk.start(former, "long"), desk.start(new, "other")
    begun = desk.queue.start(new, "long", "what the new page began", lambda report: ())
    desk.queue.move(former, new)
    assert new.jobs == {"long": job, "other": other}
    assert former.jobs == {}
    assert job.owner is new
    assert begun.done.wait(30)
    assert job.running
    time.sleep(5 * queue._LOOK)
    assert job.running  # although the tab that began it is gone


def test_of_two_open_tabs_none_takes_the_other_s(desk):
    former, copy = Owner("open"), Owner("copy")
    job = desk.start(former, "long")
    desk.queue.move(former, copy)
    assert (former.jobs, copy.jobs) == ({"long": job}, {})


def test_seven_tabs_with_long_jobs_leave_a_place_for_short_ones(monkeypatch):
    """The finding: they had all places, for up to an hour."""
    monkeypatch.setattr(queue, "_LOOK", 0.02)
    desk = Desk(each=2, near=9, all=4, short=0.3)
    tabs = [Owner(address="one") for _ in range(7)]
    long = [desk.start(owner, f"long {number}") for number, owner in enumerate(tabs)]
    visitor = Owner(address="other")
    short = desk.start(visitor, "short")
    assert desk.queue.place_in_line(short) == 1
    assert desk.queue.place_in_line(long[6]) == 4
    wait_for(lambda: desk.at_work() == ["long 0", "long 1", "long 2", "short"])
    desk.end(short)
    wait_for(lambda: all(job.long for job in long))  # each has had its turn in the place that is kept
    wait_for(lambda: desk.at_work() == ["long 0", "long 1", "long 2"])
    assert all(job.running and job.error is None for job in long)
    assert long[5].pieces == []
    again = desk.start(visitor, "short again")
    assert desk.at_work() == ["long 0", "long 1", "long 2", "short again"]
    desk.end(again)
    desk.end(long[1])
    wait_for(lambda: desk.at_work() == ["long 0", "long 2", "long 3"])  # begun anew, in the order in which they came
    desk.end(long[3])
    assert long[3].pieces == ["begun"]
    for job in long:
        desk.queue.stop(job)


def test_one_address_has_its_places_and_who_is_logged_in_counts_by_himself():
    desk = Desk(each=1, near=2, all=9, short=60)
    jobs = [desk.start(Owner(address="one"), f"a{number}") for number in range(4)]
    jobs += [desk.start(Owner("x", "ann", "one"), "ann"), desk.start(Owner(address="other"), "b")]
    assert desk.at_work() == ["a0", "a1", "ann", "b"]
    for job in jobs:
        desk.queue.stop(job)


@pytest.mark.slow
def test_a_job_that_is_put_back_gives_its_process_up_and_computes_the_same(monkeypatch):
    monkeypatch.setattr(queue, "_LOOK", 0.05)
    prepare_worker()
    desk = Queue(work_apart, each=1, near=9, all=2, short=0.6, is_open=lambda session: True)

    def compute(report):
        for number in range(40):
            time.sleep(0.05)
            report(number / 40, "at work")
            yield number

    ann, bob = Owner("ann"), Owner("bob")
    jobs = [desk.start(ann, "one", 1, compute), desk.start(bob, "one", 1, compute)]
    wait_for(lambda: any(desk.place_in_line(job) for job in jobs))
    assert sum(job.long for job in jobs) == 2
    for job in jobs:
        assert job.done.wait(60)
        assert (job.pieces, job.error) == (list(range(40)), None)


@pytest.mark.slow
def test_a_job_that_reports_nothing_is_put_back_too(monkeypatch):
    monkeypatch.setattr(queue, "_LOOK", 0.05)
    prepare_worker()
    desk = Queue(work_apart, each=1, near=9, all=2, short=0.6, is_open=lambda session: True)

    def silent(report):
        time.sleep(600)
        yield

    jobs = [desk.start(Owner(session), "one", 1, silent) for session in ("ann", "bob")]
    wait_for(lambda: any(desk.place_in_line(job) for job in jobs))
    for job in jobs:
        desk.stop(job)
        assert job.done.wait(30)


@pytest.mark.slow
def test_nothing_goes_on_when_the_tab_is_closed(monkeypatch):
    """The finding: a core was busy for as long as one watched."""
    monkeypatch.setattr(queue, "GRACE", 0.3)
    monkeypatch.setattr(queue, "_LOOK", 0.05)
    prepare_worker()
    here = {"ann", "bob"}
    desk = Queue(work_apart, each=1, all=2, is_open=lambda session: session in here)
    ann, bob = Owner("ann"), Owner("bob")

    def busy(report):
        yield os.getpid()
        while True:
            pass

    jobs = [desk.start(ann, "one", 1, busy), desk.start(ann, "two", 2, busy), desk.start(bob, "one", 1, busy)]
    wait_for(lambda: jobs[0].pieces and jobs[2].pieces)
    here.discard("ann")
    assert jobs[0].done.wait(30)
    assert jobs[1].done.wait(30)
    (pid,) = jobs[0].pieces
    wait_for(lambda: not psutil.pid_exists(pid))
    assert (ann.jobs, jobs[1].pieces) == ({}, [])
    assert jobs[2].running
    assert psutil.pid_exists(jobs[2].pieces[0])
    desk.stop(jobs[2])
    assert jobs[2].done.wait(30)


def test_who_comes_back_in_time_loses_nothing(monkeypatch):
    monkeypatch.setattr(queue, "GRACE", 0.15)
    monkeypatch.setattr(queue, "_LOOK", 0.02)
    here, end = set(), threading.Event()
    desk = Queue(lambda job: end.wait(5), is_open=lambda session: session in here)
    ann = Owner("ann")
    job = desk.start(ann, "one", 1, lambda report: ())
    time.sleep(0.05)
    here.add("ann")
    time.sleep(0.2)
    assert job.running
    end.set()


def test_the_guard_goes_when_there_is_nothing_to_guard(monkeypatch):
    monkeypatch.setattr(queue, "_LOOK", 0.02)
    desk, ann = Queue(lambda job: None, is_open=lambda session: True), Owner("ann")
    assert desk.start(ann, "one", 1, lambda report: ()).done.wait(30)
    assert desk._guarded
    del ann
    wait_for(lambda: gc.collect() >= 0 and not desk._guarded)


def test_a_download_that_is_being_made_ends_with_its_tab_and_leaves_its_place(monkeypatch, tmp_path):
    """The finding: a report whose tab was closed went on for up to an hour, in one of two places that everybody shares."""
    monkeypatch.setattr(queue, "GRACE", 0.3)
    monkeypatch.setattr(queue, "_LOOK", 0.05)
    prepare_worker()
    here, ended = {"bob"}, []
    desk = Queue(work_apart, is_open=lambda session: session in here)

    def busy(report):
        (tmp_path / str(os.getpid())).touch()
        while True:
            pass

    def press():
        with pytest.raises(StoppedError):
            desk.make(ann, busy)
        ended.append(True)

    ann, bob = Owner("ann"), Owner("bob")
    pressed = [threading.Thread(target=press, daemon=True) for _ in range(queue._MOST_MADE + 1)]
    for each in pressed:
        each.start()
    wait_for(lambda: len(list(tmp_path.iterdir())) == queue._MOST_MADE)
    wait_for(lambda: len(ended) == len(pressed))
    assert desk.make(bob, lambda report: ["bob's"]) == "bob's"
    assert (ann.made, bob.made) == (set(), set())
    begun = [int(each.name) for each in tmp_path.iterdir()]
    assert len(begun) == queue._MOST_MADE  # the third, which waited, was never begun
    wait_for(lambda: not any(map(psutil.pid_exists, begun)))


def test_a_download_is_made_in_a_process_and_what_a_person_can_mend_is_said():
    prepare_worker()
    desk = Queue(work_apart)
    here = os.getpid()
    assert desk.make(Owner(), lambda report: [os.getpid()]) != here

    def refused(report):
        raise InputError("Choose fewer people.")

    with pytest.raises(InputError, match="Choose fewer people"):
        desk.make(Owner(), refused)
