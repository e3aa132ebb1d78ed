"""Components that the browser runs: their scripts and styles stand in ``assets/components``, where linters of those languages find them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

ASSETS = Path(__file__).parents[2] / "assets"
"""Pictures, styles and scripts of the dashboard."""


def component(name: str, *, html: str = "", isolate_styles: bool = True) -> Callable[..., Any]:
    """What mounts the component of this name, made of the files that are called like it."""
    script, style = ((ASSETS / "components" / f"{name}.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    return st.components.v2.component(f"rr_workbench.{name}", html=html, css=style, js=script, isolate_styles=isolate_styles)


_buttons = component(
    "save_figure", html='<span>Save as</span><button type="button">PNG</button><button type="button">SVG</button>'
)


def save_buttons(key: str, file: str, *, about: str, ground: str, mark: str) -> None:
    """The two quiet buttons below a figure that save it as it is drawn, PNG and SVG, made by the browser from the figure on the page.

    Parameters
    ----------
    key : of the figure's widget
    file : name of the file, without its ending
    about : what the figure shows, for those who do not see it
    ground : colour behind the saved figure
    mark : what the saved figure says on top of itself; nothing where it is empty
    """
    _buttons(key=f"save_{key}", data={"figure": key, "file": file, "about": about, "ground": ground, "mark": mark})
