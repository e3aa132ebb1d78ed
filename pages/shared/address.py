"""The address: what a link says about a demo table, read when a session begins and written as choices change.

Only what stands in a demo table of this program is ever written. Tables that are uploaded, invented or declared leave nothing in it, since
addresses end up in histories, logs and mails: a project file carries those.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

import streamlit as st

from pages.shared import projects
from pages.shared.pins import Pins
from pages.shared.server import is_here
from pages.shared.state import DEFAULT_DEMO, DEFAULT_LEVEL, FIRST_CHOICE, Work, current, of_page
from rrcore.budget import Wishes
from rrcore.channel import check_levels
from rrcore.errors import InputError
from rrcore.limits import MAX_PAGE_MARGINAL, MAX_PEOPLE, MAX_ROWS, MAX_SEED, MAX_TOTAL, MIN_LEVEL
from rrcore.mechanisms import recipe, recommended_recipe, safe_recipe_width
from rrcore.table import DEMOS, Schema, as_table, load_demo
from rrcore.wording import and_text

_OF_PAGES = ("told", "asked")
"""Parameters that widgets of single pages follow by themselves, beside those that say the section of a page."""


def query(work: Work, *, full: bool = False) -> str:
    """What the address says about ``work``, with or without what would be so anyway; empty unless a demo table is in play."""
    return urlencode(parameters(work, full=full), safe=":,*")


def parameters(work: Work, *, full: bool = False) -> dict[str, str]:
    """What the address says about ``work``, by the names of the parameters."""
    if work.source != "demo" or work.dataset is None:
        return {}
    key = projects.demo_of(work)
    planned = {each for each in work.dataset.schema.attributes if each.name in work.wishes.chosen}
    if not planned <= set(load_demo(key).schema.attributes):
        return {}  # names that were typed, or categories that were merged, are none of the demo table
    said = {name: each.write(work.wishes) for name, each in _WISHED.items() if full or not each.usual(work)}
    found = {name: text for name, text in said.items() if text is not None}
    return {"table": key} | found


def open_link(given: Mapping[str, str]) -> list[str]:
    """Put into play what the parameters ``given`` say; returns a sentence for each that cannot be followed."""
    work, wrong = Work(), []
    table = given.get("table", DEFAULT_DEMO)
    if table not in DEMOS:
        wrong.append(f"The link asks for the table '{_short(table)}', which is no demo table. Choose one of {', '.join(DEMOS)}.")
        return wrong
    work.adopt_table(*as_table(load_demo(table)), source="demo")
    for name, each in _WISHED.items():
        if name in given:
            try:
                each.follow(work, given[name])
            except InputError as error:
                wrong.append(f"The link's '{name}' is not followed: {error}")
    project = projects.taken(work)
    assert project is not None
    projects.put(current(), project, work.table)
    unknown = [name for name in given if name not in PARAMETERS]
    wrong += [f"The link says '{_short(name)}', which means nothing here: known are {', '.join(PARAMETERS)}." for name in unknown]
    return wrong


def given() -> dict[str, str]:
    """The parameters with which this session was opened, but for those that single pages follow by themselves."""
    return {name: text for name, text in st.query_params.items() if name not in _OF_PAGES and not name.endswith("_section")}


def _usual_levels(work: Work) -> bool:
    first = load_demo(projects.demo_of(work)).schema.names[:FIRST_CHOICE]
    return work.wishes.chosen == first and all(work.wishes.levels[name] * work.wishes.scale == DEFAULT_LEVEL for name in first)


def _levels(work: Work, text: str) -> None:
    assert work.schema is not None
    levels: dict[str, float] = {}
    for part in text.split(","):
        name, colon, number = part.rpartition(":")
        if not colon:
            raise InputError(f"'{_short(part)}' is not a name and a level, such as {work.schema.names[0]}:2.")
        (known,) = _names(work.schema, name)
        if known in levels:
            raise InputError(f"'{known}' has two levels: give it one.")
        (levels[known],) = check_levels([number], [known]).tolist()
    work.choose_attributes(tuple(levels))
    work.set_levels(levels)
    work.choose_marginal(())


def _mechanism(work: Work, text: str) -> None:
    if recipe(text).needs:
        raise InputError(f"'{text}' needs more than a link can say, so {recipe(work.wishes.mechanism).title} is used.")
    width = safe_recipe_width(text)
    if width is None:
        work.wish(mechanism=text)
    else:
        work.choose_safe(width)


def _marginal(work: Work, text: str) -> None:
    assert work.schema is not None
    names = _names(work.schema.select(work.wishes.chosen), text)
    if len(names) > MAX_PAGE_MARGINAL:
        raise InputError(f"it names {len(names)} attributes, and at most {MAX_PAGE_MARGINAL} are shown together.")
    work.choose_marginal(names)


def _people(work: Work, text: str) -> None:
    people = _whole(text, 1, MAX_ROWS)
    work.wish(people=people, respondents=people)


def _total(work: Work, text: str) -> None:
    try:
        total = float(text)
    except ValueError:
        total = 0.0
    if not MIN_LEVEL <= total <= MAX_TOTAL:
        raise InputError(f"'{_short(text)}' is not a number of nats from {MIN_LEVEL:g} to {MAX_TOTAL:g}.")
    levels = {name: work.wishes.levels[name] for name in work.wishes.chosen}  # which the weights have made
    least = min(levels.values())
    work.wish(total=total, entry="total", weights={name: float(f"{level / least:.5g}") for name, level in levels.items()})


def _questions(work: Work, text: str) -> None:
    assert work.schema is not None
    schema = work.schema.select(work.wishes.chosen)
    questions = tuple(_names(schema, part.replace("*", ",")) for part in text.split(","))
    mechanism = "kronecker" if work.wishes.mechanism == "kronecker" else "design"
    work.wish(questions=questions, entry="questions", mechanism=mechanism)


def _questions_text(wishes: Wishes) -> str | None:
    known = (names for names in wishes.questions if set(names) <= set(wishes.chosen))
    return ",".join("*".join(names) for names in known) if wishes.entry == "questions" else None


@dataclass(frozen=True)
class Parameter:
    """One thing that a link can say of the wishes.

    Parameters
    ----------
    write : its text; None where it is not said at all
    usual : whether it would be so anyway
    follow : puts a text into play; raises InputError where it is none of those that ``write`` makes
    """

    write: Callable[[Wishes], str | None]
    usual: Callable[[Work], bool]
    follow: Callable[[Work, str], None]


_WISHED = {
    "levels": Parameter(
        lambda wishes: ",".join(f"{name}:{wishes.levels[name] * wishes.scale:.6g}" for name in wishes.chosen),
        _usual_levels,
        _levels,
    ),
    "mechanism": Parameter(
        lambda wishes: None if recipe(wishes.mechanism).needs else wishes.mechanism,
        lambda work: work.wishes.mechanism == recommended_recipe(len(work.wishes.chosen)),
        _mechanism,
    ),
    "marginal": Parameter(
        lambda wishes: ",".join(wishes.marginal), lambda work: work.wishes.marginal == work.wishes.chosen[:2], _marginal
    ),
    "seed": Parameter(
        lambda wishes: str(wishes.seed),
        lambda work: work.wishes.seed == 0,
        lambda work, text: work.wish(seed=_whole(text, 0, MAX_SEED)),
    ),
    "people": Parameter(
        lambda wishes: str(wishes.people), lambda work: work.dataset is not None and work.wishes.people == work.dataset.n, _people
    ),
    "planned": Parameter(
        lambda wishes: None if wishes.respondents == wishes.people else str(wishes.respondents),
        lambda work: False,
        lambda work, text: work.wish(respondents=_whole(text, 1, MAX_PEOPLE)),
    ),
    "total": Parameter(lambda wishes: None if wishes.entry == "levels" else f"{wishes.total:g}", lambda work: False, _total),
    "questions": Parameter(_questions_text, lambda work: False, _questions),
}

PARAMETERS = ("table", *_WISHED)
"""What a link can say, in this order. ``levels`` also names the attributes; ``people`` are simulated, ``planned`` asked."""


def _names(schema: Schema, text: str) -> tuple[str, ...]:
    """The attributes that ``text`` names, whatever its capitals."""
    known = {name.casefold(): name for name in schema.names}
    names = tuple(known.get(part.strip().casefold(), _short(part.strip())) for part in text.split(","))
    schema.axes(names)
    return names


def _whole(text: str, least: int, most: int) -> int:
    if text.isdecimal() and len(text) <= 20 and least <= int(text) <= most:
        return int(text)
    raise InputError(f"'{_short(text)}' is not a whole number from {least} to {most:,}.")


def _short(text: str) -> str:
    """Its beginning, on one line: signs that nobody can see as their codes."""
    shown = "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in text[:40])
    return shown if len(text) <= 40 else f"{shown}..."


def show_address(said: str) -> None:
    """This page's address with the parameters ``said``, to be copied, and whom it can be sent to."""
    page = (st.context.url or "").partition("?")[0]
    st.code(f"{page}?{said}", language=None, wrap_lines=True)
    if is_here(urlsplit(page).hostname or "localhost"):
        st.caption(
            ":material/computer: This dashboard runs on this computer only, so the link works here and on no other computer. Whoever runs "
            "the workbench too can open what stands after the question mark."
        )


def show_link(work: Work) -> None:
    """What opens what is in play, with nothing left out, to be copied; or why there is no link."""
    st.markdown("**Link**")
    if not (said := query(work, full=True)):
        st.caption("Only what is about a demo table has a link, so that nothing of your own gets into an address.")
        return
    show_address(said)
    lacking = ["safeguards of your own"] if recipe(work.wishes.mechanism).needs == "safeguards" else []
    lacking += ["pinned plans"] if of_page(Pins).pinned.pins else []
    lacking += ["your wording of questions"] if work.wishes.wording else []
    more = f" Not in it: {and_text(lacking)}." if lacking else ""
    st.caption(f"It opens this page with the same table, levels, mechanism, question, seed and number of people.{more}")
