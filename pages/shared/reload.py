"""A tab finds its work again: when its page is loaded anew, when its connection was lost, when a link is opened in it.

The tab keeps nothing but a key, in its own session storage, which no other tab can read. What the key stands for, everything chosen and
no answers, stays in this server's memory for some hours, and is written nowhere. Once its session has ended it is sealed, since it holds
the categories of an uploaded table: only who has the key, which is the tab alone, can open it. The address is kept in step without entries
in the browser's history, so that its Back button leads to the page before.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st

from pages.shared import address, history, jobs, projects, widgets
from pages.shared.components import component
from pages.shared.hosting import login, sessions
from pages.shared.queue import Owner
from pages.shared.state import current, of_page
from rrcore.budget import Project
from rrcore.errors import InputError

_HOURS = 4  # a project is kept so long after the last thing that was done in its tab
_MOST_KEPT = 500

_tab = component("tab", isolate_styles=False)


@dataclass(frozen=True)
class KeptProject:
    """What a key stands for, what the tab's address said, when that was, whose work in the background it is, and who was logged in."""

    key: str
    project: Project
    said: dict[str, str]
    at: float
    owner: Owner
    user: str = ""


@dataclass(frozen=True)
class SealedProject:
    """What is kept of a session that has ended: nothing that can be read without the key."""

    content: bytes
    at: float

    @classmethod
    def of(cls, kept: KeptProject) -> SealedProject:
        """What was kept, encrypted: a key is random, 192 bits long, and seals one thing only."""
        content = json.dumps([kept.project.to_json(), kept.said, kept.user]).encode()
        return cls(_mixed(content, kept.key), kept.at)

    def opened(self, key: str) -> KeptProject:
        """What was sealed. Nothing of it is at work any more."""
        project, said, user = json.loads(_mixed(self.content, key))
        return KeptProject(key, Project.from_json(project), said, self.at, Owner(), user)


@dataclass
class Tab:
    """This session's key, whether the tab has told its former one, the parameters it was opened with, and what is to be said."""

    key: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    heard: bool = False
    begun: bool = False
    given: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    turn: int = 0


_kept: OrderedDict[str, KeptProject | SealedProject] = OrderedDict()  # by fingerprints of keys
_lock = threading.Lock()


def begin() -> None:
    """Follow the address and take up what the tab had in play; to be called at the start of every run, before the page."""
    tab = of_page(Tab)
    if not tab.begun:
        tab.begun, tab.given = True, address.given()
        if tab.given:
            tab.notes = address.open_link(tab.given)
    answered = _tab(key="tab_start", data={"key": tab.key, "heard": tab.heard} | _said(tab), on_former_change=lambda: None)
    if answered.former and not tab.heard:
        tab.heard = True
        _take_up(tab, str(answered.former))
    history.begin()
    _say(tab.notes)


def _said(tab: Tab) -> dict[str, Any]:
    """What the address is to say; the turn has the tab look whether it does, since a page may have changed it."""
    tab.turn += 1
    return {"query": address.query(current()), "names": address.PARAMETERS, "turn": tab.turn}


def _take_up(tab: Tab, former: str) -> None:
    """Go on where the tab with the key ``former`` was, and follow the address from there if that is another one."""
    kept = _find(former)
    if kept is None or kept.user != login.user():  # somebody else logged in, in the same tab
        return
    try:
        projects.open_project(kept.project)
    except InputError:
        return
    jobs.take_over(kept.owner)
    work = current()
    if tab.given and tab.given != kept.said:
        of_page(history.History).record(work)
        address.open_link(tab.given)
        st.toast("The link is open. Undo brings back what was in play before.", icon=":material/link:", duration="long")
    elif work.awaited is not None:
        st.toast(widgets.plain(projects.missing_upload(work)), icon=":material/upload_file:", duration="long")


def _say(notes: Sequence[str]) -> None:
    """What is wrong with the link, until it is closed."""
    for note in notes:
        widgets.warn(note)
    if notes:
        st.button("Close", key="close_notes", on_click=of_page(Tab).notes.clear, type="tertiary", icon=":material/close:")


def keep() -> None:
    """Keep what is in play, for the tab and for Undo; to be called at the end of every run, however it ends. It draws nothing."""
    history.end()
    now = of_page(history.History).now
    if now is not None:
        key = of_page(Tab).key
        _keep(key, KeptProject(key, now.project, address.parameters(current()), time.monotonic(), jobs.owner(), login.user()))


def end() -> None:
    """Have the address say what is in play now; to be called at the end of every run."""
    _tab(key="tab_end", data=_said(of_page(Tab)))


def _keep(key: str, kept: KeptProject) -> None:
    place = _fingerprint(key)
    with _lock:
        _kept[place] = kept
        _kept.move_to_end(place)
        while len(_kept) > _MOST_KEPT or next(iter(_kept.values())).at < kept.at - 3600 * _HOURS:
            _kept.popitem(last=False)


def _find(key: str) -> KeptProject | None:
    with _lock:
        kept = _kept.get(_fingerprint(key))
    if kept is None or time.monotonic() - kept.at >= 3600 * _HOURS:
        return None
    return kept.opened(key) if isinstance(kept, SealedProject) else kept


def _seal(session: str) -> None:
    """Seal what is kept of a session that has ended."""
    with _lock:
        for place, kept in _kept.items():
            if isinstance(kept, KeptProject) and kept.owner.session == session:
                _kept[place] = SealedProject.of(kept)


def _fingerprint(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _mixed(content: bytes, key: str) -> bytes:
    """``content`` combined with the stream of SHAKE-256 that starts from ``key``; twice gives it again."""
    stream = hashlib.shake_256(key.encode()).digest(len(content))
    return (np.frombuffer(content, np.uint8) ^ np.frombuffer(stream, np.uint8)).tobytes()


sessions.AT_END.append(_seal)
