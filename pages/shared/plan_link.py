"""The link to a plan for a demo table, read when a session begins and written as the plan changes.

Uploaded, invented and declared tables are never in a link, because addresses end up in histories, logs and mails.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

import streamlit as st

from pages.shared import projects
from pages.shared.saved_plans import Pins
from pages.shared.server import is_here
from pages.shared.state import DEFAULT_DEMO, Work, current, of_page
from rrcore.budget import Draft, preserved_width, recipe
from rrcore.channel import check_epsilon
from rrcore.errors import InputError
from rrcore.limits import MAX_PAGE_MARGINAL, MAX_PEOPLE, MAX_SEED, MAX_TOTAL, MIN_EPSILON
from rrcore.table import DEMOS, Schema, as_table, load_demo
from rrcore.wording import and_text

_OF_PAGES = ("unchanged", "asked")
"""Parameters of the sliders on Start, which follow the address themselves, as the tabs do."""


def query(work: Work, *, full: bool = False) -> str:
    """The link's parameters, with or without those that are as in a fresh session. Empty if no demo table is loaded."""
    if work.source != "demo" or work.dataset is None:
        return ""
    key = projects.demo_of(work)
    planned = {each for each in work.dataset.schema.attributes if each.name in work.draft.chosen}
    if not planned <= set(load_demo(key).schema.attributes):
        return ""  # a person typed these names, or merged categories
    usual = {} if full else _usual(key)
    given = {name: text for name, text in _written(work.draft).items() if text != usual.get(name)}
    return urlencode({"table": key} | given, safe=":,*")


def open_link(given: Mapping[str, str]) -> list[str]:
    """Load what the parameters describe. Return a sentence for each that cannot be followed."""
    table = given.get("table", DEFAULT_DEMO)
    if table not in DEMOS:
        return [f"The link asks for the table '{_short(table)}', which is no demo table. Choose one of {', '.join(DEMOS)}."]
    work, wrong = _fresh(table), []
    for name, each in _OF_DRAFT.items():
        if name in given:
            try:
                each.follow(work, given[name])
            except InputError as error:
                wrong.append(f"The link's '{name}' is ignored. {error}")
    project = projects.taken(work)
    assert project is not None
    projects.put(current(), project, work.table)
    unknown = [_short(name) for name in given if name not in PARAMETERS]
    return wrong + [f"The link has an unknown parameter '{name}'. Known are {', '.join(PARAMETERS)}." for name in unknown]


def given() -> dict[str, str]:
    """The parameters with which this session was opened, without those that single pages follow themselves."""
    return {name: text for name, text in st.query_params.items() if name not in _OF_PAGES and not name.endswith("_tab")}


def show_link(work: Work) -> None:
    """Show the link to copy, or why there is none."""
    if not (said := query(work, full=True)):
        st.caption("Only demo tables have a link, so that no address holds names of your own data.")
        return
    page = (st.context.url or "").partition("?")[0]
    st.code(f"{page}?{said}", language=None, wrap_lines=True)
    lacking = ["constraints"] if recipe(work.draft.mechanism).needs == "safeguards" else []
    lacking += ["saved plans"] if of_page(Pins).pinned.pins else []
    lacking += ["your wording of questions"] if work.draft.wording else []
    notes = [f"The link does not hold {and_text(lacking)}."] if lacking else []
    if is_here(urlsplit(page).hostname or "localhost"):
        notes.append("The link opens this plan, but only on this computer.")
    st.caption(" ".join(notes))


def _fresh(table: str) -> Work:
    work = Work()
    work.adopt_table(*as_table(load_demo(table)), source="demo")
    return work


@cache
def _usual(table: str) -> dict[str, str]:
    """The parameters of a fresh session with this demo table."""
    return _written(_fresh(table).draft)


def _written(draft: Draft) -> dict[str, str]:
    """Every parameter that has a text."""
    texts = {name: each.write(draft) for name, each in _OF_DRAFT.items()}
    return {name: text for name, text in texts.items() if text is not None}


def _epsilon(work: Work, text: str) -> None:
    assert work.schema is not None
    epsilon: dict[str, float] = {}
    for part in text.split(","):
        name, colon, number = part.rpartition(":")
        if not colon:
            raise InputError(f"Expected a name and an ε, such as {work.schema.names[0]}:1, got '{_short(part)}'.")
        (known,) = _names(work.schema, name)
        if known in epsilon:
            raise InputError(f"'{known}' has two values of ε. Give one.")
        (epsilon[known],) = check_epsilon([number], [known]).tolist()
    work.choose_attributes(tuple(epsilon))
    work.set_epsilon(epsilon)
    work.choose_marginal(())


def _mechanism(work: Work, text: str) -> None:
    if recipe(text).needs:
        raise InputError(f"A link cannot describe '{text}'. {recipe(work.draft.mechanism).title} is used.")
    width = preserved_width(text)
    if width is None:
        work.change(mechanism=text)
    else:
        work.choose_safe(width)


def _marginal(work: Work, text: str) -> None:
    assert work.schema is not None
    names = _names(work.schema.select(work.draft.chosen), text)
    if len(names) > MAX_PAGE_MARGINAL:
        raise InputError(f"Expected at most {MAX_PAGE_MARGINAL} attributes, got {len(names)}.")
    work.choose_marginal(names)


def _total(work: Work, text: str) -> None:
    try:
        total = float(text)
    except ValueError:
        total = 0.0
    if not MIN_EPSILON <= total <= MAX_TOTAL:
        raise InputError(f"Expected an ε from {MIN_EPSILON:g} to {MAX_TOTAL:g}, got '{_short(text)}'.")
    epsilon = {name: work.draft.epsilon[name] for name in work.draft.chosen}  # the weights are proportional to it
    least = min(epsilon.values())
    work.change(total=total, entry="total", weights={name: float(f"{each / least:.5g}") for name, each in epsilon.items()})


def _questions(work: Work, text: str) -> None:
    assert work.schema is not None
    schema = work.schema.select(work.draft.chosen)
    questions = tuple(_names(schema, part.replace("*", ",")) for part in text.split(","))
    mechanism = "independent" if work.draft.mechanism == "independent" else "workload"
    work.change(questions=questions, entry="questions", mechanism=mechanism)


def _questions_text(draft: Draft) -> str | None:
    known = (names for names in draft.questions if set(names) <= set(draft.chosen))
    return ",".join("*".join(names) for names in known) if draft.entry == "questions" else None


class Parameter(NamedTuple):
    """How a link writes one part of the draft (None: not at all), and how it follows a text. Raises InputError for another text."""

    write: Callable[[Draft], str | None]
    follow: Callable[[Work, str], None]


_OF_DRAFT = {
    "epsilon": Parameter(lambda draft: ",".join(f"{name}:{draft.epsilon[name]:.6g}" for name in draft.chosen), _epsilon),
    "mechanism": Parameter(lambda draft: None if recipe(draft.mechanism).needs else draft.mechanism, _mechanism),
    "marginal": Parameter(lambda draft: ",".join(draft.marginal), _marginal),
    "seed": Parameter(lambda draft: str(draft.seed), lambda work, text: work.change(seed=_whole(text, 0, MAX_SEED))),
    "n": Parameter(lambda draft: str(draft.n), lambda work, text: work.change(n=_whole(text, 1, MAX_PEOPLE))),
    "total": Parameter(lambda draft: None if draft.entry == "epsilon" else f"{draft.total:g}", _total),
    "questions": Parameter(_questions_text, _questions),
}

PARAMETERS = ("table", *_OF_DRAFT)
"""The parameters of a link, in this order. ``epsilon`` also names the attributes."""


def _names(schema: Schema, text: str) -> tuple[str, ...]:
    """The attributes that ``text`` names, whatever its capitals."""
    known = {name.casefold(): name for name in schema.names}
    names = tuple(known.get(part.strip().casefold(), _short(part.strip())) for part in text.split(","))
    schema.axes(names)
    return names


def _whole(text: str, least: int, most: int) -> int:
    if text.isdecimal() and len(text) <= 20 and least <= int(text) <= most:
        return int(text)
    raise InputError(f"Expected a whole number from {least} to {most:,}, got '{_short(text)}'.")


def _short(text: str) -> str:
    """At most 40 characters on one line, invisible ones as their codes."""
    shown = "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in text[:40])
    return shown if len(text) <= 40 else f"{shown}..."
