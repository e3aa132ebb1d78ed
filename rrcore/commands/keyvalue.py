"""The command ``keyvalue``: frequencies and means of keys, and conditional questions, by every protocol."""

import argparse
from typing import Any

import numpy as np

from rrcore.commands.table_options import LAYOUT, add_layout, entries, read
from rrcore.commands.values import add_confidence, adder, number, refuse_given, seed, whole
from rrcore.errors import InputError
from rrcore.estimate import TRUE_SHARES, margin
from rrcore.research.keyvalue import (
    PROTOCOL_OPTIONS,
    PROTOCOLS,
    SHAPES,
    WAYS,
    ConditionalQuestion,
    KeyValueData,
    bias_sentence,
    collect_states,
    invented,
    make_protocol,
    read_long,
    read_wide,
    true_answer,
)
from rrcore.wording import Quantity, amount_range_text, count_text, percent, read_numbers, total_text
from rrcore.wording.json_values import fields_of, finite


def add_keyvalue(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``keyvalue``, what it runs and how its result is printed."""
    add = adder(command)
    add("--in", "ratings: one row per user, key and value; without it a set is generated", "FILE", dest="input")
    add_layout(command)
    add("--columns", "names of the three columns", _columns, default="user,key,value")
    add("--wide", "one row per user instead, the columns of --keys hold the values", action="store_true")
    add("--bounds", "declared lowest and highest value, for example 1,5", _bounds, default="-1,1")
    add("--keys", "the declared keys, for example a,b,c", entries)
    add("--top", "without --keys: this many of the most frequent keys, taken from the data", whole("number of keys"), default=100)
    add("--shape", "of a generated set", SHAPES, default="gaussian")
    add("--users", "of a generated set", whole("number of users"), default=100_000)
    add("--key-count", "keys of a generated set", whole("number of keys"), default=20)
    add("--frequency", "middle frequency of a generated set", number, default=0.5)
    add("--mean", "middle mean of a generated set", number, default="0")
    add("--protocol", "protocol", PROTOCOLS, default="kvue")
    add("--eps", "level of a user's report in nats, for example 1", number, required=True)
    add("--split", "share of the level for the key, where the protocol splits it", number, default=0.5)
    add("--rounds", "rounds of PrivKVM", whole("number of rounds"), default=10)
    add("--default", "default value of F2M", number, default="1")
    add("--ask", "conditional question: the key that is asked about, answered in every way that can", "KEY")
    add("--having", "with --ask: keys that users have, for example a,b", _keys, default=[])
    add("--lacking", "with --ask: keys that users do not have", _keys, default=[])
    add("--seed", "seed of the simulation", seed, default=0)
    add_confidence(command)
    command.set_defaults(run=_run, tell=_tell)


_INVENTED = ("shape", "users", "key_count", "frequency", "mean")
_OF_A_FILE = ("columns", "wide", "bounds", "top", *LAYOUT)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    if not options.ask and (options.having or options.lacking):
        raise InputError("--having and --lacking say whose key is asked about: add --ask with the key.")
    rng, eps = np.random.default_rng(options.seed), options.eps
    data = _data(options, rng)
    shared: dict[str, Any] = {"note": TRUE_SHARES} if options.input else {}  # nobody's shares are in invented ratings
    shared |= {"users": data.n, "keys": list(data.keys), "notes": list(data.notes), "eps": eps, "confidence": options.confidence}
    if options.ask:
        refuse_given(options, ["protocol", "split", "rounds", "default"], "A conditional question is answered in every way")
        return shared | {"question": _ask(options, data, eps, rng)}
    unread = [name for name in ("split", "rounds", "default") if name not in PROTOCOL_OPTIONS.get(options.protocol, ())]
    refuse_given(options, unread, f"Protocol '{options.protocol}' has no use for this")
    protocol = make_protocol(options.protocol, eps, split=options.split, rounds=options.rounds, default=options.default)
    found = protocol.estimate(protocol.simulate(data, rng=rng))
    rows = fields_of(found, "frequency frequency_error mean mean_error")
    rows |= {"true_frequency": data.frequency, "true_mean": data.mean}
    shared["notes"] += filter(None, [bias_sentence(protocol, data)])
    return shared | {
        "protocol": options.protocol,
        "exact_level": finite(protocol.exact_level),
        "bits": protocol.bits(data.d),
        "published_bits": protocol.published_bits(data.d),
        "estimates": {name: finite(values.tolist()) for name, values in rows.items()},
        "reports": found.reports.tolist(),
    }


def _data(options: argparse.Namespace, rng: np.random.Generator) -> KeyValueData:
    if options.input is None:
        refuse_given(options, _OF_A_FILE, "Ratings are invented, and no file is read without --in")
        shape, frequency, mean = options.shape, options.frequency, options.mean
        made = invented(options.users, options.key_count, shape=shape, frequency=frequency, mean=mean, rng=rng)
        return made if options.keys is None else made.select(options.keys)
    refuse_given(options, _INVENTED, f"'{options.input}' has ratings, and none are invented")
    table, _ = read(options.input, options)
    low, high = options.bounds
    if options.wide:
        refuse_given(options, ["columns", "top"], "With --wide a key is a column of --keys")
        return read_wide(table, options.keys or (), low=low, high=high)
    user, key, value = options.columns
    return read_long(table, user=user, key=key, value=value, low=low, high=high, keys=options.keys, most=options.top)


def _bounds(text: str) -> list[float]:
    found = read_numbers(text)
    if len(found) != 2:
        raise InputError(f"The bounds '{text[:40]}' are not two numbers: give the lowest and the highest value, for example 1,5.")
    return found


def _columns(text: str) -> list[str]:
    found = entries(text)
    if len(found) != 3:
        raise InputError(f"'{text[:60]}' does not name three columns: give the user, the key and the value.")
    return found


def _keys(text: str) -> list[str]:
    return entries(text) if text else []


def _ask(options: argparse.Namespace, data: KeyValueData, eps: float, rng: np.random.Generator) -> dict[str, Any]:
    having, lacking = options.having, options.lacking
    named = data.select(list(dict.fromkeys([options.ask, *having, *lacking])))  # refuses unknown keys
    places = {key: data.keys.index(key) for key in named.keys}
    conditions = {places[key]: True for key in having} | {places[key]: False for key in lacking}
    question = ConditionalQuestion(places[options.ask], conditions)
    answers: dict[str, Any] = {}
    for way in WAYS:
        try:
            collection = collect_states(way, data, eps, rng=rng)
            answers[way] = finite(vars(collection.answer(question)) | {"bits": collection.bits})
        except InputError as error:
            answers[way] = {"refused": str(error)}
    return {
        "key": options.ask,
        "having": having,
        "lacking": lacking,
        "truth": fields_of(true_answer(data, question), "frequency mean"),
        "answers": answers,
    }


def _tell(result: dict[str, Any]) -> str:
    confidence = result["confidence"]
    lines = [
        *([f"# {result['note']}"] if "note" in result else []),
        f"{count_text(result['users'])} users, {len(result['keys'])} keys, eps {result['eps']:g}, {100 * confidence:g} % intervals",
        *result["notes"],
    ]
    if "question" in result:
        question = result["question"]
        texts = [f"having {key}" for key in question["having"]] + [f"lacking {key}" for key in question["lacking"]]
        lines.append(f"{question['key']} among users {' and '.join(texts) or 'of all kinds'}")
        lines.append(f"truth: {_estimate(question['truth'], confidence)}")
        for way, answer in question["answers"].items():
            lines.append(f"{WAYS[way]}: {answer.get('refused') or _estimate(answer, confidence)}")
        return "\n".join(lines)
    lines.append(
        f"{PROTOCOLS[result['protocol']][0]}: exact level {total_text(result['exact_level'])} nats, {result['bits']:.1f} bits per user"
    )
    rows = result["estimates"]
    for i, key in enumerate(result["keys"]):
        estimate = {name: values[i] for name, values in rows.items()}
        truth = {"frequency": estimate["true_frequency"], "mean": estimate["true_mean"]}
        lines.append(f"{key}: {_estimate(estimate, confidence)} (truth: {_estimate(truth, confidence)})")
    return "\n".join(lines)


def _estimate(answer: dict[str, Any], confidence: float) -> str:
    parts = []
    if answer["frequency"] is None:
        return "too few users to tell"
    error = answer.get("frequency_error")
    parts.append(
        f"{percent(answer['frequency'])}"
        + (f" {Quantity('share', 'key').within(float(margin(error, confidence)))}" if error else "")
    )
    if answer["mean"] is not None:
        error = answer.get("mean_error")
        mean, half = answer["mean"], float(margin(error or 0.0, confidence))
        parts.append(f"mean {amount_range_text(mean, mean - half, mean + half)}")
    return ", ".join(parts)
