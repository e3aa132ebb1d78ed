"""What workers do in tests. They import this file, so it imports little."""

import os
import time


def half(number):
    return number / 2


def rest(seconds):
    time.sleep(seconds)


def steps(count, seconds, report):
    for number in range(count):
        report(number / count, f"step {number}")
        yield number
        time.sleep(seconds)


def process_then_rest(seconds):
    yield os.getpid()
    time.sleep(seconds)


def large(count):
    return (bytes([number]) * 400_000 for number in range(count))
