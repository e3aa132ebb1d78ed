"""One browser tab: a websocket to a running dashboard that sends what a browser sends, and keeps what a browser would show.

>>> async with await Tab.open("http://localhost:8501", "budget", "table=census") as tab:      # doctest: +SKIP
...     seconds = await tab.run()
...     seconds = await tab.choose("slider", "Set all ε", 0.5)
"""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

_LARGEST_MESSAGE = 200 * 2**20


class Tab:
    """A tab of a browser, open on one page.

    Attributes
    ----------
    shown : what the page shows: path of the element, such as (0, 3, 1) -> its kind ("slider", "markdown") and its message
    errors : what went wrong: type and message of every exception that a page showed, and every message in red
    received : bytes that came in
    runs : how often a page ran to its end
    """

    def __init__(self, socket: ClientConnection, address: str, page: str, query: str) -> None:
        self._socket, self._address, self._page, self._query = socket, address, page, query
        self._script, self._run, self._running = "", "", False
        self._stamps: dict[tuple[int, ...], str] = {}
        self._states: dict[str, WidgetState] = {}
        self._cached: dict[str, Any] = {}
        self._watched: dict[str, float] = {}
        self._fragments: dict[str, str] = {}
        self.shown: dict[tuple[int, ...], tuple[str, Any]] = {}
        self.errors: list[str] = []
        self.received = self.runs = 0

    @classmethod
    async def open(cls, address: str, page: str = "", query: str = "") -> Tab:
        """Connect to the dashboard at ``address``; the tab's ``page`` and ``query`` are those of its own address."""
        cookie = (await asyncio.to_thread(_cookies, address)).strip("; ")
        token = cookie.partition("_streamlit_xsrf=")[2].partition(";")[0] or "none"
        socket = await connect(
            f"ws://{urlsplit(address).netloc}/_stcore/stream",
            origin=address,  # type: ignore[arg-type]
            subprotocols=["streamlit", token],  # type: ignore[list-item]
            additional_headers={"Cookie": cookie} if cookie else {},
            max_size=_LARGEST_MESSAGE,
            compression="deflate",
            open_timeout=60,
            ping_interval=None,
        )
        return cls(socket, address, page, query)

    async def __aenter__(self) -> Tab:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the tab."""
        await self._socket.close()

    async def run(self, *, patience: float = 120.0) -> float:
        """Have the page run as it stands; returns the seconds until it shows its final state."""
        return await self._move((), patience)

    async def go(self, page: str, *, patience: float = 120.0) -> float:
        """Follow a link to another page; returns the seconds until it shows its final state."""
        self._page, self._script = page, ""
        return await self._move((), patience)

    async def choose(self, kind: str, label: str, value: Any, *, patience: float = 120.0) -> float:
        """Give the widget of that ``kind`` and ``label`` a value: a number, a text, or True for a press.

        Returns the seconds until the page shows what follows from it, which may take several runs. Raises KeyError where there is no
        such widget, and TimeoutError after ``patience`` seconds.
        """
        found = self.find(kind, label)
        return await self._move([_state(kind, found, value)], patience, self._fragments.get(found.id, ""))

    def find(self, kind: str, label: str) -> Any:
        """The first widget of that ``kind`` whose label begins with ``label``."""
        for name, element in self.shown.values():
            if name == kind and element.label.startswith(label):
                return element
        raise KeyError(f"no {kind} '{label}' among {sorted({name for name, _ in self.shown.values()})}; errors: {self.errors}")

    def texts(self, kind: str = "markdown") -> list[str]:
        """What the elements of that ``kind`` say, from top to bottom."""
        return [element.body for _, (name, element) in sorted(self.shown.items()) if name == kind]

    async def _move(self, changed: Any, patience: float, fragment: str = "") -> float:
        started = time.perf_counter()
        await self._send(changed, fragment)
        async with asyncio.timeout(patience):
            await self._settle()
        return time.perf_counter() - started

    async def _send(self, changed: Any, fragment: str = "", *, by_itself: bool = False) -> None:
        message = BackMsg()
        wanted = message.rerun_script
        wanted.query_string, wanted.page_script_hash, wanted.fragment_id = self._query, self._script, fragment
        if not self._script:
            wanted.page_name = self._page
        wanted.is_auto_rerun = by_itself
        wanted.context_info.url = f"{self._address}/{self._page}"
        wanted.context_info.timezone, wanted.context_info.locale, wanted.context_info.color_scheme = "UTC", "en", "light"
        wanted.cached_message_hashes.extend(self._cached)
        for state in changed:
            if not (state.HasField("trigger_value") or state.HasField("string_trigger_value")):
                self._states[state.id] = state
        triggers = [state for state in changed if state.id not in self._states]
        wanted.widget_states.widgets.extend([*self._states.values(), *triggers])
        self._running = True
        await self._socket.send(message.SerializeToString())

    async def _settle(self) -> None:
        """Take in what comes until nothing more is to be expected; parts that run by themselves are run as a browser does."""
        while self._running or self._watched:
            due = min(self._watched.values(), default=None)
            wait = None if self._running or due is None else max(0.0, due - time.monotonic())
            try:
                self._take(await asyncio.wait_for(self._socket.recv(), wait))
            except TimeoutError:
                if wait is None:
                    raise
                fragment = min(self._watched, key=self._watched.__getitem__)
                self._watched[fragment] = time.monotonic() + 0.5
                await self._send((), fragment, by_itself=True)

    def _take(self, data: Any) -> None:
        self.received += len(data)
        message = ForwardMsg.FromString(data)
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            path = message.metadata.delta_path
            self._show(tuple(path), self._cached[message.ref_hash])
        elif kind == "delta":
            if message.delta.WhichOneof("type") == "new_element":
                if message.metadata.cacheable:
                    self._cached[message.hash] = message.delta.new_element
                self._show(tuple(message.metadata.delta_path), message.delta.new_element, message.delta.fragment_id)
        elif kind == "new_session":
            run = message.metadata.run
            if not run.fragment_ids:
                self._run = run.script_run_id
                self._watched.clear()
        elif kind == "navigation":
            self._script = message.navigation.page_script_hash
        elif kind == "auto_rerun":
            self._watched[message.auto_rerun.fragment_id] = time.monotonic() + message.auto_rerun.interval
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        elif kind == "script_finished":
            self._finish(message.script_finished)
        elif kind == "session_event" and message.session_event.HasField("script_compilation_exception"):
            self.errors.append(message.session_event.script_compilation_exception.message)

    def _show(self, path: tuple[int, ...], element: Any, fragment: str = "") -> None:
        kind = element.WhichOneof("type")
        content = getattr(element, kind)
        if fragment and hasattr(content, "id"):
            self._fragments[content.id] = fragment
        self.shown[path], self._stamps[path] = (kind, content), self._run
        if kind == "exception":
            self.errors.append(f"{content.type}: {content.message}")
        elif kind == "alert" and content.format == content.ERROR:
            self.errors.append(content.body)
        elif getattr(content, "set_value", False):
            self._states.pop(content.id, None)
        if kind in _STATES and content.id not in self._states:
            self._states[content.id] = _state(kind, content, None)

    def _finish(self, status: int) -> None:
        if status == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            return  # the next run begins by itself
        self._running = False
        self.runs += 1
        if status == ForwardMsg.FINISHED_SUCCESSFULLY:
            gone = [path for path, run in self._stamps.items() if run != self._run]
            for path in gone:
                del self.shown[path], self._stamps[path]
            there = {content.id for kind, content in self.shown.values() if kind in (*_STATES, "bidi_component")}
            self._states = {name: state for name, state in self._states.items() if name in there}


def _cookies(address: str) -> str:
    """The cookies that the dashboard sets before a tab connects."""
    with urlopen(f"{address}/_stcore/health", timeout=30) as answer:
        found = answer.headers.get_all("Set-Cookie") or []
    return "; ".join(cookie.partition(";")[0] for cookie in found)


_STATES = ("slider", "number_input", "radio", "selectbox", "multiselect", "checkbox", "text_input", "text_area", "button_group")
"""Kinds of widgets whose present value a browser sends with every move."""


def _state(kind: str, widget: Any, value: Any) -> WidgetState:
    """What a browser sends about a widget with a new ``value``, or, where that is None, with the one that it came with."""
    state, given = WidgetState(id=widget.id), getattr(widget, "set_value", False)
    if kind == "slider":
        state.double_array_value.data.extend((widget.value if given else widget.default) if value is None else [value])
    elif kind == "number_input":
        if value is None:
            known = (given and widget.HasField("value")) or (not given and widget.HasField("default"))
            value = (widget.value if given else widget.default) if known else None
        if value is not None and widget.data_type == NumberInput.INT:
            state.int_value = int(value)
        elif value is not None:
            state.double_value = value
    elif kind in ("radio", "selectbox"):
        known = widget.options[widget.default] if widget.options and widget.HasField("default") else ""
        state.string_value = (widget.raw_value if given else known) if value is None else value
    elif kind in ("multiselect", "button_group"):
        names = [getattr(option, "content", option) for option in widget.options]
        known = list(widget.raw_values) if given else [names[i] for i in widget.default]
        state.string_array_value.data.extend(known if value is None else value)
    elif kind == "checkbox":
        state.bool_value = (widget.value if given else widget.default) if value is None else value
    elif kind in ("text_input", "text_area"):
        state.string_value = (widget.value if given else widget.default) if value is None else value
    else:
        state.trigger_value = True
    return state
