"""What a form of ODK or Enketo does, for the few functions and events that our XLSForms use: an evaluator of its own, of pyxform's output."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate

_X = "{http://www.w3.org/2002/xforms}"
_TOKEN = re.compile(r"\s*(?:(/[\w/]+)|(\d+)|'([^']*)'|(>=|!=|[-+*=(),])|([a-z][a-z-]*))")

Value = float | str | bool


def number(value: Value) -> float:
    if isinstance(value, str):
        return float(value) if re.fullmatch(r"\s*-?\d+(\.\d+)?\s*", value) else math.nan  # no powers of ten, as in JavaRosa
    return float(value)


def text(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return "NaN"
    return str(int(value)) if value == int(value) and abs(value) < 2**31 else repr(value)


Node = Callable[["Context"], Value]


@dataclass(frozen=True)
class Context:
    """What an expression sees: the values of nodes, the present value of the node that is calculated, and chance."""

    value: Callable[[str], str]
    own: str
    random: Callable[[], float]


class Expression:
    """One XPath expression, parsed: ``node`` evaluates it in a context."""

    def __init__(self, source: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        self.at = at = 0
        while source[at:].strip():
            found = _TOKEN.match(source, at)
            assert found, source[at : at + 40]
            kind = ("path", "number", "string", "sign", "word")[found.lastindex - 1]
            self.tokens.append((kind, found[found.lastindex]))
            at = found.end()
        self.node = self._logical()
        assert self.at == len(self.tokens)

    def _is(self, *words: str) -> str:
        if self.at < len(self.tokens) and self.tokens[self.at][0] in ("sign", "word") and self.tokens[self.at][1] in words:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return ""

    def _chain(self, inner: Callable[[], Node], *signs: str) -> Node:
        left = inner()
        while sign := self._is(*signs):
            left = _both(_OPERATIONS[sign], left, inner())
        return left

    def _logical(self) -> Node:
        return self._chain(self._compared, "and")

    def _compared(self) -> Node:
        return self._chain(self._sum, "=", "!=", ">=")

    def _sum(self) -> Node:
        return self._chain(self._product, "+", "-")

    def _product(self) -> Node:
        return self._chain(self._primary, "*", "div", "mod")

    def _primary(self) -> Node:
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind == "path":
            return lambda context: context.value(word)
        if kind in ("number", "string"):
            constant = float(word) if kind == "number" else word
            return lambda _: constant
        if word == "(":
            inner = self._logical()
            assert self._is(")")
            return inner
        arguments: list[Node] = []
        assert self._is("(")
        while not self._is(")"):
            arguments.append(self._logical())
            self._is(",")
        return lambda context: _FUNCTIONS[word](context, *arguments)


def _both(operation: Callable[[Value, Value], Value], left: Node, right: Node) -> Node:
    return lambda context: operation(left(context), right(context))


def _equal(left: Value, right: Value) -> bool:
    return left == right if isinstance(left, str) and isinstance(right, str) else number(left) == number(right)


def _selected_at(words: str, place: float) -> str:
    return words.split()[int(place)] if 0 <= place < len(words.split()) else ""


_OPERATIONS: dict[str, Callable[[Value, Value], Value]] = {
    "and": lambda a, b: bool(a) and bool(b),
    "=": _equal,
    "!=": lambda a, b: not _equal(a, b),
    ">=": lambda a, b: number(a) >= number(b),
    "+": lambda a, b: number(a) + number(b),
    "-": lambda a, b: number(a) - number(b),
    "*": lambda a, b: number(a) * number(b),
    "div": lambda a, b: number(a) / number(b),
    "mod": lambda a, b: math.fmod(number(a), number(b)),
}
_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "random": lambda context: context.random(),
    "once": lambda context, fresh: context.own or fresh(context),
    "int": lambda context, inner: float(math.trunc(number(inner(context)))),
    "number": lambda context, inner: number(inner(context)),
    "if": lambda context, test, one, other: one(context) if test(context) else other(context),
    "selected-at": lambda context, words, place: _selected_at(text(words(context)), number(place(context))),
    "string-length": lambda context, inner: float(len(text(inner(context)))),
    "substr": lambda context, whole, *ends: text(whole(context))[slice(*(int(number(end(context))) for end in ends))],
}
_parsed = cache(Expression)


@dataclass
class Form:
    """A form as pyxform wrote it; ``fill`` answers and confirms, and gives what would be submitted."""

    xml: str
    binds: dict[str, dict[str, str]] = field(init=False)
    actions: list[tuple[str, str, str]] = field(init=False)
    leaves: list[str] = field(init=False)
    calculated: dict[str, str] = field(init=False)
    rules: dict[str, list[str]] = field(init=False)

    def __post_init__(self) -> None:
        root = ET.fromstring(self.xml)
        self.binds = {bind.get("nodeset", ""): dict(bind.attrib) for bind in root.iter(f"{_X}bind")}
        self.actions = [
            (control.get("ref", ""), action.get("ref", ""), action.get("value", ""))
            for control in root.iter(f"{_X}select1")
            for action in control.findall(f"{_X}setvalue")
        ]
        data = next(root.iter(f"{_X}instance"))[0]

        def walk(node: ET.Element, path: str) -> list[str]:
            inner = [leaf for child in node for leaf in walk(child, f"{path}/{child.tag.removeprefix(_X)}")]
            return inner or [path]

        self.leaves = [leaf for leaf in walk(data, "/data") if not leaf.startswith("/data/meta")]
        self.calculated = {path: bind["calculate"] for path, bind in self.binds.items() if "calculate" in bind}
        above = {leaf: accumulate(leaf.split("/")[1:], lambda whole, part: f"{whole}/{part}", initial="") for leaf in self.leaves}
        found = {leaf: [self.binds.get(path, {}).get("relevant", "") for path in paths] for leaf, paths in above.items()}
        self.rules = {leaf: [rule for rule in rules if rule] for leaf, rules in found.items()}

    def fill(
        self, true: Mapping[str, str], draws: Mapping[str, int], *, actions_first: bool = False, blank: bool = True
    ) -> tuple[dict[str, str], dict[str, str]]:
        """What would be submitted before and after confirming.

        ``draws``: path -> the whole number below 2^22 that its random number comes to. Programs differ in two ways: whether events act before
        what follows from the answer is calculated, and whether a node that is not relevant is ``blank`` for others.
        """
        values = dict.fromkeys(self.leaves, "")

        def relevant(path: str) -> bool:
            return all(bool(evaluate(rule, path)) for rule in self.rules[path])

        def value(path: str) -> str:
            return "" if blank and not relevant(path) else values[path]

        def evaluate(source: str, path: str) -> Value:
            return _parsed(source).node(Context(value, values[path], lambda: (draws[path] + 0.5) / 2**22))

        def recalculate() -> None:
            known: dict[str, str] = {}
            while known != values:
                known = dict(values)
                for path, source in self.calculated.items():
                    if relevant(path):
                        values[path] = text(evaluate(source, path))

        def answer(path: str, choice: str) -> None:
            values[path] = choice
            for step in ("act", "calculate") if actions_first else ("calculate", "act", "calculate"):
                if step == "calculate":
                    recalculate()
                    continue
                for trigger, target, source in self.actions:
                    if trigger == path:
                        values[target] = text(evaluate(source, target))

        def submitted() -> dict[str, str]:
            return {path: values[path] for path in self.leaves if relevant(path)}

        recalculate()
        for path, choice in true.items():
            answer(path, choice)
        before = submitted()
        answer("/data/rr_confirm", "yes")
        return before, submitted()
