"""Turns of pages: one alone while it is quick, so many at once, the others in their order, lent while a page only waits."""

import threading
import time

from pages.shared.hosting.turns import Turns


def started(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def queued(turns, page, people):
    """Let so many ask for a turn, one after the other, and wait until all had theirs; ``page`` is given their numbers."""
    gate, there = threading.Event(), []

    def visit(number):
        with turns.taken():
            there.append(number)
            gate.wait(5)
            page(number)

    threads = []
    for number in range(people):
        threads.append(started(lambda number=number: visit(number)))
        while len(there) + len(turns._waiting) <= number:
            time.sleep(0.001)
    gate.set()
    for thread in threads:
        thread.join(5)
    assert not turns._waiting


def test_those_who_wait_go_on_in_the_order_in_which_they_came():
    order = []
    queued(Turns(1), order.append, 6)
    assert order == list(range(6))


def most_at_once(turns):
    at_work, most = [], []

    def page(number):
        at_work.append(number)
        most.append(len(at_work))
        time.sleep(0.005)
        at_work.remove(number)

    queued(turns, page, 6)
    return max(most)


def test_no_more_than_so_many_run_at_once():
    assert most_at_once(Turns(2, alone=0)) == 2


def test_a_page_runs_alone_while_it_is_quick():
    assert most_at_once(Turns(4, alone=60)) == 1


def test_a_page_that_takes_long_holds_up_nobody():
    turns, there, end = Turns(2, alone=0.2), threading.Event(), threading.Event()

    def long():
        with turns.taken():
            there.set()
            end.wait(20)

    first = started(long)
    assert there.wait(5)
    with turns.taken():
        assert first.is_alive()
    end.set()
    first.join(5)
    assert not first.is_alive()


def test_a_turn_that_is_lent_lets_another_go_on_and_is_waited_for_again():
    turns, done = Turns(1), []

    def other():
        with turns.taken():
            done.append("other")

    with turns.taken():
        waiting = started(other)
        assert done == []
        with turns.lent():
            waiting.join(5)
            assert done == ["other"]
        done.append("first")
    assert done == ["other", "first"]


def test_a_page_that_fails_gives_its_turn_back():
    turns = Turns(1)
    for _ in range(3):
        try:
            with turns.taken():
                raise ValueError
        except ValueError:
            pass
    with turns.taken():
        pass


def test_a_part_that_runs_by_itself_has_no_turn_to_lend():
    turns = Turns(1)
    with turns.lent():
        pass
    assert most_at_once(turns) == 1
