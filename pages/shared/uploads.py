"""The one place where pages ask for files. A demo takes none."""

from typing import Any, Protocol, cast

import streamlit as st

from pages.shared.mode import SWITCHED_OFF, demo


class Upload(Protocol):
    """A file that a person chose; it stays in memory."""

    name: str
    file_id: str

    def getvalue(self) -> bytes: ...


def choose_file(label: str, key: str, **more: Any) -> Upload | None:
    """The file that is chosen; None until there is one. ``more`` is what Streamlit's own widget takes."""
    return cast(Upload | None, _uploader(label, key, **more))


def choose_files(label: str, key: str, **more: Any) -> list[Upload]:
    """The files that are chosen."""
    return cast(list[Upload], _uploader(label, key, accept_multiple_files=True, **more) or [])


def _uploader(label: str, key: str, **more: Any) -> Any:
    if demo():
        st.caption(SWITCHED_OFF)
        return None
    return st.file_uploader(label, key=key, **more)
