"""Numbers that nobody can mean, given to everything public: each is refused, or what comes of it says that it is no number.

Arguments that make sense are those of the examples in docstrings, one number of which is replaced at a time.
"""

import doctest
import importlib
import inspect
import math
import pkgutil
import sys
from dataclasses import fields, is_dataclass
from functools import cache
from numbers import Real

import numpy as np
import pytest

import rrcore
from rrcore.audit import observer_prior
from rrcore.budget import safe_frontier_widths
from rrcore.dependence import corrected_cramers_v, cramers_v, mutual_information, pearson, secure_sum_messages
from rrcore.errors import InputError
from rrcore.estimate import random_query
from rrcore.research.keyvalue import KVUE
from rrcore.research.lopub import best_length, flip_probability, level

ROOMS = (
    *("answers", "audit", "budget", "channel", "dependence", "designs", "designs.classroom", "designs.deployments", "estimate"),
    *("estimate.models", "mechanisms", "promise", "report", "research.keyvalue", "research.lopub", "schemes", "table"),
)

POSITION = "a position, which counts from the end where it is below 0, as Python's do"
UNUSED = "nothing depends on it here"
TEXT = "any number as people read it"
EXACT = "fractions that are read off integer weights; the certificate, which stands alone, ends in what Python says of others"
ALGEBRA = "linear algebra, of any numbers"

MEANT = {
    "audit.People.most_exposed axis": POSITION,
    "budget.protects_little total": "a record of which nothing is bounded",
    "channel.": ALGEBRA,
    "designs.Design.reported": UNUSED,
    "designs.DesignChannel.levels group": POSITION,
    "designs.DesignChannel.scores shares": UNUSED,
    "designs.amount_error mean": "amounts may be below 0 on average",
    "estimate.BreakEven.of cell": POSITION,
    "estimate.Countable.reads_whole": UNUSED,
    "estimate.CountedRelease.reads_whole": "no attributes are read as a whole from any counts",
    "estimate.Estimate.cells most": "how many of a list, as Python counts",
    "estimate.finding_beside_truth truth": "no interval holds what is no number",
    "estimate.inversion_text axis": POSITION,
    "estimate.metric_text": TEXT,
    "estimate.margin freedom": "infinitely many degrees of freedom are the normal law",
    "estimate.models.Fit": POSITION,
    "estimate.models.sentence": POSITION,
    "mechanisms.Safeguards.floors": UNUSED,
    "promise.MechanismFile.channel_for released": UNUSED,
    "promise.MechanismFile.raised": UNUSED,
    "promise.MechanismGroups.raised": POSITION,
    "promise.certified_nats": EXACT,
    "research.keyvalue.KVUE.expected mean": "-1 is the least mean",
    "schemes.verdict_error_texts": TEXT,
}
"""A function, and its argument where that alone is meant -> why what it returns for a number that seems senseless is right."""

_TABLE = np.array([[0.3, 0.2], [0.1, 0.4]])
WITHOUT_EXAMPLE = {
    "audit.observer_prior": (observer_prior, {"size": 3, "share": 0.5}),
    "budget.safe_frontier_widths": (safe_frontier_widths, {"k": 5}),
    "dependence.corrected_cramers_v": (corrected_cramers_v, {"table": _TABLE, "n": 100}),
    "dependence.cramers_v": (cramers_v, {"table": _TABLE}),
    "dependence.mutual_information": (mutual_information, {"table": _TABLE}),
    "dependence.pearson": (pearson, {"table": _TABLE}),
    "dependence.secure_sum_messages": (secure_sum_messages, {"parties": 10, "cells": 4, "neighbours": 3}),
    "estimate.random_query": (random_query, {"shape": (2, 3), "fraction": 0.5, "rng": np.random.default_rng(0)}),
    "research.keyvalue.KVUE.expected": (KVUE(1.0).expected, {"frequency": 0.5, "mean": 0.1}),
    "research.lopub.best_length": (best_length, {"false_positive": 0.02, "size": 4}),
    "research.lopub.flip_probability": (flip_probability, {"hashes": 2, "eps": 1.0}),
    "research.lopub.level": (level, {"hashes": 2, "flip": 0.5}),
}
"""What no example calls: name -> function and arguments that make sense."""

SENSELESS = (math.nan, -1, math.inf, None, "x")


def is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool)


@cache
def public():
    """Code -> name and function, of all functions and of all methods of classes that the rooms offer."""
    found = {}
    for room in ROOMS:
        for name, each in vars(importlib.import_module(f"rrcore.{room}")).items():
            if name.startswith("_") or not getattr(each, "__module__", "").startswith(f"rrcore.{room}"):
                continue
            if inspect.isfunction(each):
                found.setdefault(each.__code__, (f"{room}.{name}", each))
            elif inspect.isclass(each):
                for method, own in vars(each).items():
                    own = own.__func__ if isinstance(own, classmethod | staticmethod) else own
                    checks = method == "__init__" and "__post_init__" in vars(each)
                    if inspect.isfunction(own) and (checks or not method.startswith("_")):
                        found.setdefault(own.__code__, (f"{room}.{name}.{method}", own))
    return found


@pytest.fixture(scope="module")
def calls():
    """What each of them was first called with while the examples of all docstrings ran: name -> (function, arguments)."""
    known, found = public(), {}

    def watch(frame, *_):  # at every call, and, as it returns None, at nothing else
        if frame.f_code in known:
            name, function = known[frame.f_code]
            code = frame.f_code
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            if not code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
                found.setdefault(name, (function, {each: frame.f_locals[each] for each in names}))

    runner = doctest.DocTestRunner(verbose=False)
    modules = [
        importlib.import_module(each.name) for each in pkgutil.walk_packages(rrcore.__path__, "rrcore.") if within(each.name)
    ]
    sys.settrace(watch)
    try:
        for module in modules:
            for test in doctest.DocTestFinder(exclude_empty=True).find(module):
                runner.run(test, out=lambda _: None, clear_globs=False)
    finally:
        sys.settrace(None)
    return found | WITHOUT_EXAMPLE


def within(module):
    return any(module.startswith(f"rrcore.{room}") for room in ROOMS)


def replaced(value):
    """``value`` with each senseless number in its place, or in that of its first number, and how that is called."""
    if is_number(value):
        yield from ((repr(senseless), senseless) for senseless in SENSELESS)
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
        yield "[nan]", np.concatenate([[math.nan], value.ravel()[1:]]).reshape(value.shape)
    elif isinstance(value, list | tuple) and type(value) in (list, tuple) and value and all(map(is_number, value)):
        yield "[nan]", type(value)([math.nan, *value[1:]])
    elif isinstance(value, dict) and value and all(map(is_number, value.values())):
        yield "[nan]", value | {next(iter(value)): math.nan}


def says_none(value, depth=0):
    """Whether there is a number that is none in ``value``, or in a text."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f" and not np.isfinite(value).all()
    if isinstance(value, str):
        return bool({"nan", "inf", "unknown"} & set(value.replace("-", " ").split()))
    if isinstance(value, dict):
        value = value.values()
    elif is_dataclass(value):
        value = [getattr(value, each.name) for each in fields(value)]
    elif not isinstance(value, list | tuple):
        return isinstance(value, Real) and not math.isfinite(value)
    return depth < 5 and any(says_none(each, depth + 1) for each in value)


def refuses(function, arguments, how):
    """Whether a number is refused in a sentence, a type or an array at least by Python or numpy, or the result says that it is no number."""
    given = {
        name: np.random.default_rng(0) if isinstance(each, np.random.Generator) else each for name, each in arguments.items()
    }
    make = type(given.pop("self")) if function.__name__ == "__init__" else function
    try:
        return says_none(make(**given))
    except (InputError, TypeError):
        return True
    except (ArithmeticError, AttributeError, LookupError, ValueError):
        return how in ("None", "'x'", "[nan]")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_senseless_number_is_taken_in_silence(calls):
    taken = {}
    tried = set()
    for name, (function, arguments) in calls.items():
        options = inspect.signature(function).parameters
        for argument, value in arguments.items():
            for how, senseless in () if argument == "self" else replaced(value):
                if how == "None" and "None" in str(options[argument].annotation):
                    continue
                tried.add(f"{name} {argument}")
                if not refuses(function, arguments | {argument: senseless}, how):
                    taken.setdefault(f"{name} {argument}", []).append(how)
    assert len(tried) > 300
    assert {each for each in taken if not any(each.startswith(known) for known in MEANT)} == set()
    assert {known for known in MEANT if not any(each.startswith(known) for each in taken)} == set()
