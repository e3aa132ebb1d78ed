"""The command ``keyvalue``: frequencies and means of keys, and conditional questions, by every protocol."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from rrcore.commands.tables import add_layout, entries, finite, number, read, seed
from rrcore.errors import InputError
from rrcore.estimate import TRUE_SHARES
from rrcore.research.keyvalue import (
    PROTOCOLS,
    SHAPES,
    WAYS,
    ConditionalQuestion,
    KeyValueData,
    collect_states,
    invented,
    make_protocol,
    read_long,
    read_wide,
    true_answer,
)
from rrcore.wording import count_text, percent, read_numbers, total_text


def add_keyvalue(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``keyvalue``, what it runs and how its result is printed."""
    add = command.add_argument
    add("--in", dest="input", metavar="FILE", help="ratings: one row per user, key and value; without it a set is generated")
    add_layout(command)
    add("--columns", default="user,key,value", help="names of the three columns (default user,key,value)")
    add("--wide", action="store_true", help="one row per user instead, the columns of --keys hold the values")
    add("--bounds", default="-1,1", help="declared lowest and highest value, for example 1,5 (default -1,1)")
    add("--keys", help="the declared keys, for example a,b,c")
    add("--top", default="100", help="without --keys: this many of the most frequent keys, taken from the data (default 100)")
    add("--shape", default="gaussian", choices=tuple(SHAPES), help="of a generated set (default gaussian)")
    add("--users", default="100000", help="of a generated set (default 100000)")
    add("--number", default="20", help="keys of a generated set (default 20)")
    add("--frequency", default="0.5", help="middle frequency of a generated set (default 0.5)")
    add("--mean", default="0", help="middle mean of a generated set (default 0)")
    add("--protocol", default="kvue", choices=tuple(PROTOCOLS), help="protocol (default kvue)")
    add("--eps", required=True, help="level of a user's report in nats, for example 1")
    add("--split", default="0.5", help="share of the level for the key, where the protocol splits it (default 0.5)")
    add("--rounds", default="10", help="rounds of PrivKVM (default 10)")
    add("--default", default="1", help="default value of F2M (default 1)")
    add("--ask", metavar="KEY", help="conditional question: the key that is asked about, answered in every way that can")
    add("--having", default="", help="with --ask: keys that users have, for example a,b")
    add("--lacking", default="", help="with --ask: keys that users do not have")
    add("--seed", default="0", help="seed of the simulation (default 0)")
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    rng = np.random.default_rng(seed(options.seed))
    data, eps = _data(options, rng), number(options.eps)
    shared: dict[str, Any] = {"note": TRUE_SHARES} if options.input else {}  # nobody's shares are in invented ratings
    shared |= {"users": data.n, "keys": list(data.keys), "notes": list(data.notes), "eps": eps}
    if options.ask:
        return shared | {"question": _ask(options, data, eps, rng)}
    split, rounds = number(options.split), int(number(options.rounds))
    protocol = make_protocol(options.protocol, eps, split=split, rounds=rounds, default=number(options.default))
    found = protocol.estimate(protocol.simulate(data, rng=rng))
    rows = {
        "frequency": found.frequency,
        "frequency_error": found.frequency_error,
        "mean": found.mean,
        "mean_error": found.mean_error,
        "true_frequency": data.frequency,
        "true_mean": data.mean,
    }
    return shared | {
        "protocol": options.protocol,
        "exact_level": finite(protocol.exact_level),
        "bits": protocol.bits(data.d),
        "published_bits": protocol.published_bits(data.d),
        "estimates": {name: [finite(value) for value in values.tolist()] for name, values in rows.items()},
        "reports": found.reports.tolist(),
    }


def _data(options: argparse.Namespace, rng: np.random.Generator) -> KeyValueData:
    keys = None if options.keys is None else entries(options.keys)
    if options.input is None:
        made = invented(
            int(number(options.users)),
            int(number(options.number)),
            shape=options.shape,
            frequency=number(options.frequency),
            mean=number(options.mean),
            rng=rng,
        )
        return made if keys is None else made.select(keys)
    table, _ = read(options.input, options)
    bounds = read_numbers(options.bounds)
    if len(bounds) != 2:
        raise InputError(
            f"The bounds '{options.bounds[:40]}' are not two numbers: give the lowest and the highest value, for example 1,5."
        )
    if options.wide:
        return read_wide(table, keys or (), low=bounds[0], high=bounds[1])
    columns = entries(options.columns)
    if len(columns) != 3:
        raise InputError(f"'{options.columns[:60]}' does not name three columns: give the user, the key and the value.")
    user, key, value = columns
    return read_long(
        table, user=user, key=key, value=value, low=bounds[0], high=bounds[1], keys=keys, most=int(number(options.top))
    )


def _ask(options: argparse.Namespace, data: KeyValueData, eps: float, rng: np.random.Generator) -> dict[str, Any]:
    having, lacking = ([] if not text else entries(text) for text in (options.having, options.lacking))
    named = data.select(list(dict.fromkeys([options.ask, *having, *lacking])))  # refuses unknown keys
    places = {key: data.keys.index(key) for key in named.keys}
    conditions = {places[key]: True for key in having} | {places[key]: False for key in lacking}
    question = ConditionalQuestion(places[options.ask], conditions)
    answers: dict[str, Any] = {}
    for way in WAYS:
        try:
            collection = collect_states(way, data, eps, rng=rng)
            answers[way] = {name: finite(value) for name, value in vars(collection.answer(question)).items()} | {
                "bits": collection.bits
            }
        except InputError as error:
            answers[way] = {"refused": str(error)}
    truth = true_answer(data, question)
    return {
        "key": options.ask,
        "having": having,
        "lacking": lacking,
        "truth": {"frequency": finite(truth.frequency), "mean": finite(truth.mean)},
        "answers": answers,
    }


def _tell(result: dict[str, Any]) -> str:
    lines = [
        *([f"# {result['note']}"] if "note" in result else []),
        f"{count_text(result['users'])} users, {len(result['keys'])} keys, eps {result['eps']:g}",
        *result["notes"],
    ]
    if "question" in result:
        question = result["question"]
        told = [f"having {key}" for key in question["having"]] + [f"lacking {key}" for key in question["lacking"]]
        lines.append(f"{question['key']} among users {' and '.join(told) or 'of all kinds'}")
        lines.append(f"truth: {_told(question['truth'])}")
        for way, answer in question["answers"].items():
            lines.append(f"{WAYS[way]}: {answer.get('refused') or _told(answer)}")
        return "\n".join(lines)
    lines.append(
        f"{PROTOCOLS[result['protocol']][0]}: exact level {total_text(result['exact_level'])} nats, {result['bits']:.1f} bits per user"
    )
    rows = result["estimates"]
    for i, key in enumerate(result["keys"]):
        estimate = {name: values[i] for name, values in rows.items()}
        truth = {"frequency": estimate["true_frequency"], "mean": estimate["true_mean"]}
        lines.append(f"{key}: {_told(estimate)} (truth: {_told(truth)})")
    return "\n".join(lines)


def _told(answer: dict[str, Any]) -> str:
    parts = []
    if answer["frequency"] is None:
        return "too few users to tell"
    error = answer.get("frequency_error")
    parts.append(f"{percent(answer['frequency'])}" + (f" +- {100 * error:.1f} points" if error else ""))
    if answer["mean"] is not None:
        error = answer.get("mean_error")
        parts.append(f"mean {answer['mean']:.3f}" + (f" +- {error:.3f}" if error else ""))
    return ", ".join(parts)
