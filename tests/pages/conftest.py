"""One browser session, driven without a browser: every step asserts that the page raised nothing."""

from __future__ import annotations

import io
import json
import pickle
import threading
import time
import zipfile
from collections.abc import Iterator, Mapping
from copy import copy
from functools import cache, partial
from inspect import signature
from pathlib import Path
from types import FunctionType, SimpleNamespace
from unittest.mock import MagicMock
from urllib.parse import parse_qsl

import pandas as pd
import pytest
import streamlit as st
from plotly import basedatatypes
from streamlit import error_util
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime import Runtime
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.runtime.state import SafeSessionState
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.testing.v1.element_tree import Block, ElementTree, Node
from streamlit.util import calc_hash

from pages.shared import frame, jobs, mechanisms
from pages.shared.saved_plans import Pins
from rrcore.budget import preserved_width
from rrcore.budget.recipes import Recipe
from rrcore.jobs import Job, Pool, _Yielded
from rrcore.progress import quiet

APP = Path(__file__).parents[2] / "navigation.py"
TITLES = {place.parent.name: place.parent.name.capitalize() for place in APP.parent.glob("pages/*/page.py")}
TITLES["start"] = "Protect every answer, and still learn the percentages"

raised: list[BaseException] = []  # by the pages of the last run


class Session:
    """An AppTest with the words of a steward: go to a page, upload a file, edit a table, choose, download."""

    def __init__(self, files: dict[str, object], link: str = "/", *, table: str = "titanic") -> None:
        """On the page, with the parameters, that ``link`` says, such as "/budget?seed=3", and with a demo ``table``, or none where that is
        empty; it is run when first looked at or left."""
        self._app = AppTest.from_file(APP, default_timeout=60)
        self._waiting, self._settled = True, True
        self.files = files
        page, _, query = link.removeprefix("/").partition("?")
        self._app.query_params.update(({"table": table} if table else {}) | dict(parse_qsl(query, keep_blank_values=True)))
        if page:
            self._app._page_hash = calc_hash(page)  # pages are known by their addresses only once the app has run
        if link != "/":
            self.run()

    @property
    def at(self) -> AppTest:
        """The app, which has run."""
        if self._waiting:
            self.run()
        return self._app

    def given(self, **values: object) -> Session:
        """With these values of widgets from the next run on."""
        for key, value in values.items():
            self._app.session_state[key] = value
        return self

    def run(self) -> Session:
        self._waiting = False
        raised.clear()
        self.at.run()
        if raised:  # a page says only its kind, and the log may be that of an earlier test
            raise raised[-1]
        if self._settled and "work" in self.at.session_state:
            self.at.session_state["work"].may_leave |= set(self.at.session_state["work"].learned)
        self.at._page_hash = ""  # stay where the app went; AppTest would go back to the last switch_page
        assert [exception.message for exception in self.at.exception] == []
        return self

    def go(self, page: str, tab: str = "") -> Session:
        """To a page, and to one of its tabs."""
        if tab:
            self._app.session_state[f"{page}_tab"] = self._app.query_params[f"{page}_tab"] = tab
        if self._waiting:  # opened at its address, without the start page before it
            self._app._page_hash = calc_hash(page)
            self.run()
            assert self.title == TITLES[page]
            return self
        self.at.switch_page(f"pages/{page}/page.py")
        self.at._tree = ElementTree()  # a browser does not send the widgets of the page before
        self.at._tree._runner = self.at
        self.run()
        assert self.title == TITLES[page]
        return self

    def job(self, name: str) -> Job:
        """The work in the background of that name."""
        return self.at.session_state["jobs"].jobs[name]

    def finish(self, name: str, most: float = 90) -> Session:
        """Wait for the work of that name, then run the page, as it does itself when such work ends."""
        self.job(name).wait(most)
        assert not self.job(name).running
        return self.run()

    def look_at(self, key: str, section: str) -> Session:
        """Show one section of a page."""
        self.at.session_state[key] = section
        return self.run()

    @property
    def pins(self) -> Pins:
        """The pinned plans."""
        return self.at.session_state["pages.shared.saved_plans.Pins"]

    def click(self, label: str) -> Session:
        (button,) = [button for button in self.at.button if label in (button.label, button.key)]
        button.click()
        return self.run()

    def set(self, kind: str, label: str, value: object) -> Session:
        self.widget(kind, label).set_value(value)
        return self.run()

    def choose(self, mechanism: str) -> Session:
        """Choose the plan's mechanism by its name."""
        work, width = self.at.session_state["work"], preserved_width(mechanism)
        if width is None:
            work.change(mechanism=mechanism)
        else:
            work.choose_safe(width)
        return self.run()

    def widget(self, kind: str, label: str):
        (widget,) = [widget for widget in getattr(self.at, kind) if widget.label == label]
        return widget

    def has(self, kind: str, label: str) -> bool:
        return any(widget.label == label for widget in getattr(self.at, kind))

    def edit(self, rows: dict[int, dict], *, added: tuple[dict, ...] = (), deleted: tuple[int, ...] = ()) -> Session:
        """Edit cells of the page's table, all in one go as a paste does."""
        if not self.at.data_editor:  # the levels, or weights, on Budget
            self.type({row: "" if text is None else str(text) for row, change in rows.items() for text in change.values()})
            return self.run()
        editor = self.at.data_editor[0]
        self.at.session_state[editor.key] = {"edited_rows": rows, "added_rows": list(added), "deleted_rows": list(deleted)}
        return self.run()

    def declaring(self) -> Session:
        """On Data, where questions are described, and in use. They are an example at first."""
        self.go("data", "Describe questions").click("Set the budget")
        return self.go("data", "Describe questions")

    def declare(self, *lines: str) -> Session:
        """Type questions on Data, one a line, in place of those that are there."""
        return self.set("text_area", "Questions and their possible answers, one question per line", "\n".join(lines))

    def type(self, texts: dict[int, str]) -> None:
        """Type levels, or weights, into the rows of the table on Budget, which does not yet know of it."""
        turn = 1000 * time.time()
        self.at.session_state["attributes"] = {"changes": {f"type {row}": [turn, text] for row, text in texts.items()}}

    def include(self, row: int, included: bool) -> Session:
        """Tick an attribute, or not, in the table on Budget."""
        self.at.session_state["attributes"] = {"changes": {f"include {row}": [1000 * time.time(), included]}}
        return self.run()

    def upload(self, data: bytes, name: str = "survey.csv", *, settled: bool = True) -> Session:
        """Upload a table on Data, and let the names of its categories be seen wherever ``settled``, without a word on the page."""
        self._settled = settled
        if self._waiting or not self.uploaders:
            self.go("data", "Table")
        self.uploaders[0].set_value((name, data, "application/octet-stream"))
        return self.run()

    @property
    def uploaders(self) -> list:
        """Where files can be chosen on the page, but for saved projects and the door on Start, which leads to Data."""
        return [uploader for uploader in self.at.file_uploader if uploader.key not in ("project_file", "door_upload")]

    def open_project(self, data: bytes | str) -> Session:
        """Open a saved project, on Start."""
        content = data.encode() if isinstance(data, str) else data
        self.go("start").widget("file_uploader", "A project file").set_value(("project.json", content, "application/json"))
        return self.run()

    def download(self, file_name: str) -> str:
        """What the download button with that file gives now."""
        made = self.content(file_name)
        return made.decode() if isinstance(made, bytes) else made

    def content(self, file_name: str) -> str | bytes:
        """The same as it is made."""
        return self.files[(id(self.at.session_state["work"]), file_name)]()

    def archive(self, file_name: str) -> dict[str, str]:
        """The texts in the archive that the download button with that file gives now, by their names."""
        with zipfile.ZipFile(io.BytesIO(self.content(file_name))) as opened:
            return {name: opened.read(name).decode() for name in opened.namelist()}

    def frame(self, file_name: str) -> pd.DataFrame:
        """The same as a table, without the column that says what the file is not for."""
        found = pd.read_csv(io.StringIO(self.download(file_name)), keep_default_na=False)
        return found.loc[:, [not name.endswith("not a release") for name in found]]

    @property
    def title(self) -> str:
        (title,) = self.at.title
        return title.value

    @property
    def table(self) -> pd.DataFrame:
        """The page's editable table."""
        editor = self.at.data_editor[0]
        return editor.value

    @property
    def chosen(self) -> list[str]:
        """The current attributes."""
        return list(self.at.session_state["work"].draft.chosen)

    @property
    def errors(self) -> list[str]:
        return [error.value.replace("\N{NO-BREAK SPACE}", " ") for error in self.at.error]

    @property
    def warnings(self) -> list[str]:
        return [warning.value.replace("\N{NO-BREAK SPACE}", " ") for warning in self.at.warning]

    @property
    def text(self) -> str:
        """Every caption and paragraph of the page."""
        shown = "\n".join(element.value for element in (*self.at.caption, *self.at.markdown, *self.at.info))
        return shown.replace("\N{NO-BREAK SPACE}", " ")

    @property
    def links(self) -> list[str]:
        return [link.proto.page for link in self.at.main.get("page_link")]

    @property
    def figures(self) -> dict[str, SimpleNamespace]:
        """Figures by name, each with the names of its traces and its title texts."""
        shown = [(found.proto.id, json.loads(found.proto.json)) for found in self.at.get("bidi_component")]
        specs = {key.partition("-figure_")[2]: json.loads(data["spec"]) for key, data in shown if "spec" in data}
        return {
            name: SimpleNamespace(traces=[trace.get("name") for trace in spec["data"]], spec=spec) for name, spec in specs.items()
        }

    # Words of single pages

    def row(self, name: str) -> dict:
        """One column of the table on Data, as its editor shows it."""
        row = self.table.set_index("name").loc[name].to_dict()
        return row | {"distribution": [int(people) for people in row["distribution"]]}

    def detail(self, column: str) -> Session:
        self.look_at("data_detail", True).widget("selectbox", "Column").set_value(column)
        return self.run()

    @property
    def categories(self) -> list[str]:
        return self.widget("text_area", "Categories, one per line, in order").value.split("\n")

    @property
    def epsilon(self) -> list[float]:
        return list(self.at.session_state["work"].plan().epsilon)


class _Looked(Mapping):
    """What a session's widgets and keys hold: Streamlit writes all of it out for every widget, to look at one key."""

    def __init__(self, state: SafeSessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> object:
        with self._state._lock:
            state = self._state._state
            widget = state._get_widget_id(key)
            written, sent, old = state._new_session_state, state._new_widget_state.states, state._old_state
            known = key in written or widget in sent or widget in old or key in old
            if not known or key.startswith(STREAMLIT_INTERNAL_KEY_PREFIX):
                raise KeyError(key)
            return state[key]

    def __iter__(self) -> Iterator[str]:
        with self._state._lock:
            return iter(self._state._state.filtered_state)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _nodes(block: Block) -> Iterator[Node]:
    """The block and all that is in it, in order; Streamlit looks for it a dozen times, through a generator for each block."""
    if "_nodes" not in vars(block):
        block._nodes, waiting = [], [block]
        while waiting:
            block._nodes.append(node := waiting.pop())
            if isinstance(node, Block):
                waiting.extend(reversed(node.children.values()))
    return iter(block._nodes)


def _copied(spec: object) -> object:
    """A copy of what a figure says, whose numbers and texts nothing changes."""
    if isinstance(spec, dict):
        return {name: _copied(value) for name, value in spec.items()}
    return [_copied(value) for value in spec] if isinstance(spec, list) else spec


@pytest.fixture(scope="session", autouse=True)
def _what_no_run_changes_is_made_once():
    """A session would search all installed packages for components, and every run compile its page, look for the files of all pages, put up
    a runtime and take the fingerprint of all that it shows, by which a browser knows what it has: over half the time of these tests.
    """
    scripts, runtime, page = ScriptCache(), MagicMock(spec=Runtime), cache(st.Page)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        patch.setattr(app_test, "ScriptCache", lambda: scripts)
        patch.setattr(local_script_runner, "ScriptCache", lambda: scripts)
        patch.setattr(script_run_context, "populate_hash_if_needed", lambda message: None)
        patch.setattr(basedatatypes, "deepcopy", _copied)
        patch.setattr(app_test, "MagicMock", lambda spec: runtime)
        patch.setattr(st, "Page", lambda path, **rest: copy(page(path, **rest)))
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_run_is_looked_at_longer_than_needed():
    """AppTest looks every millisecond whether a run has ended, through all that happened in it, and at all of a session and its page for
    each part of it: a fifth of the time of these tests.
    """
    look = local_script_runner.require_widgets_deltas

    def wait(runner, timeout):
        runner._script_thread.join(timeout)
        look(runner, 1)  # at once; a run that has not ended by now is stopped and reported

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        patch.setattr(SafeSessionState, "filtered_state", property(_Looked))
        patch.setattr(Block, "__iter__", _nodes)
        yield


@pytest.fixture(scope="session", autouse=True)
def _links_to_all_pages_are_drawn_once():
    """They follow from navigation.py alone, take a seventh of the time of a small page, and stand where no test here looks."""
    side, drawn = frame.side, []

    def once(sections, shown):
        if not drawn:
            side(sections, shown)
            drawn.append(shown)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frame, "side", once)
        yield


@pytest.fixture(scope="session", autouse=True)
def _mechanisms_are_solved_once():
    """They follow from sizes, levels, floors and questions alone, and most sessions here begin with the same ones."""
    solve, solved = Recipe.build, {}

    def once(self, sizes, epsilon, safeguards, questions, report=quiet):
        solver = getattr(self.make, "func", self.make)  # a test may have put another one in its place
        about = solver, self.title, tuple(sizes), epsilon.tobytes(), safeguards, questions
        if about not in solved:
            solved[about] = solve(self, sizes, epsilon, safeguards, questions, report)
        return solved[about]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Recipe, "build", once)
        yield


@pytest.fixture(autouse=True)
def _what_a_page_raises_is_kept(monkeypatch):
    monkeypatch.setattr(error_util, "_log_uncaught_app_exception", raised.append)


@pytest.fixture(autouse=True)
def _no_caches():
    st.cache_data.clear()
    st.cache_resource.clear()
    mechanisms._made.clear()
    mechanisms._followed.clear()


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    """A page waits for its results instead of showing progress: nothing reruns it here when they are there."""
    monkeypatch.setattr(jobs, "PATIENCE", 120)


class _Sent(pickle.Pickler):
    """What a worker would be sent: nothing of a page, nor Streamlit. Stand-ins of a test may stay."""

    def reducer_override(self, sent):
        module = sent.__module__ if isinstance(sent, (type, FunctionType)) else ""
        assert not module.startswith(("pages", "streamlit")), f"{sent} would be sent to a worker"
        return (str, ("stand-in",)) if module.startswith("test") else NotImplemented


class _Here(Pool):
    """Does jobs in threads: a process for each would take most of the time of these tests."""

    def start(self, function, *args):
        job = Job(self, (function, *args), 1, 1)
        _Sent(io.BytesIO()).dump(job.call)
        threading.Thread(target=self._do, args=(job, function, args), daemon=True).start()
        return job

    def _do(self, job, function, args):
        how = {"report": lambda *said: job.hear(False, said)} if "report" in signature(function).parameters else {}
        try:
            found = function(*args, **how)
            if isinstance(found, Iterator):
                pieces = _Yielded()
                for piece in found:
                    job.hear(True, piece)
                    pieces.append(piece)
                found = pieces
            pickle.dumps(found)
        except Exception as error:
            found = error
        if not job.future.cancelled():
            job.future.set_result(found)


@pytest.fixture(autouse=True)
def _no_processes(monkeypatch):
    monkeypatch.setattr(jobs, "CALCULATING", _Here())
    monkeypatch.setattr(jobs, "READING", _Here())


@pytest.fixture
def open_session(monkeypatch):
    """Opens sessions. What their download buttons would give is kept by session and file name."""
    files: dict[tuple[int, str], object] = {}
    register = MediaFileManager.add_deferred

    def recorded(self, data_callable, mimetype, coordinates, file_name=None, **rest):
        files[(id(st.session_state["work"]), file_name)] = data_callable
        return register(self, data_callable, mimetype, coordinates, file_name, **rest)

    monkeypatch.setattr(MediaFileManager, "add_deferred", recorded)
    return partial(Session, files)


@pytest.fixture
def session(open_session) -> Session:
    """A fresh session on the start page."""
    return open_session()


@pytest.fixture
def here(monkeypatch, tmp_path):
    """The dashboard was started in ``tmp_path``, where ledgers and surveys then are."""
    monkeypatch.chdir(tmp_path)
