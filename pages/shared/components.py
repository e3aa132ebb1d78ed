"""Components that the browser runs: their scripts and styles are in ``assets/components``, where linters of those languages find them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import plotly.io as pio
import streamlit as st
from plotly.io.json import to_json_plotly

from pages.shared.served_files import SCRIPT
from rrcore.plots import Palette, frame_template

ASSETS = Path(__file__).parents[2] / "assets"
"""Pictures, styles and scripts of the dashboard."""


def component(name: str, *, html: str = "", isolate_styles: bool = True) -> Callable[..., Any]:
    """What mounts the component of this name, made of the files that are called like it."""
    script, style = ((ASSETS / "components" / f"{name}.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    return st.components.v2.component(f"rr_workbench.{name}", html=html, css=style, js=script, isolate_styles=isolate_styles)


pio.templates.default = None  # its own, copied into each figure before ``drawing`` puts another there, costs a quarter

_figure = component("figure", isolate_styles=False)
_CONFIG = {"displaylogo": False, "displayNotifier": False, "showSendToCloud": False, "plotlyServerURL": ""}
"""Only camera and full screen (``figure.js``): by default plotly offers to send a figure to a server of its makers."""


def drawing(
    key: str, figure: go.Figure, palette: Palette, *, alt: str, on_click: Callable[[list[Any]], None] | None = None
) -> None:
    """A figure, drawn in place: Streamlit's own is made again for every number that changes, which people see and which takes time.

    Parameters
    ----------
    key : of the figure's widget
    figure : what is drawn
    palette : the colors of the page
    alt : what it shows, for those who do not see it
    on_click : called with the custom data of a point that is clicked, before the page is run again
    """
    spec = figure.to_plotly_json()
    spec["layout"]["template"] = frame_template(palette)

    def picked() -> None:
        point = st.session_state[key].get("clicked")
        if on_click is not None and point:
            on_click(list(point))

    _figure(
        key=key,
        height=int(figure.layout.height or 450),
        data={
            "spec": to_json_plotly(spec),
            "config": _CONFIG,
            "script": SCRIPT.address(),
            "alt": alt,
            "height": figure.layout.height or 450,
        },
        on_clicked_change=picked,
    )


def ready_to_draw() -> None:
    """Have the browser load what draws figures once it has nothing else to do: the first figure then waits for nothing."""
    _figure(key="ready_to_draw", data={"script": SCRIPT.address()})


_menu = component(
    "save_figure",
    html='<button type="button" aria-expanded="false">Save figure</button><span hidden><button type="button">PNG</button>'
    '<button type="button">SVG</button></span>',
)


def save_menu(key: str, file: str, *, about: str, ground: str, mark: str) -> None:
    """A quiet button below a figure, which opens two that save it as it is drawn: the browser makes PNG and SVG.

    Parameters
    ----------
    key : of the figure's widget
    file : name of the file, without its ending
    about : what the figure shows, for those who do not see it
    ground : color behind the saved figure
    mark : what the saved figure says on top of itself; nothing where it is empty
    """
    _menu(key=f"save_{key}", data={"figure": key, "file": file, "about": about, "ground": ground, "mark": mark})


_phone = component("phone", html='<div class="phone"><iframe sandbox="" referrerpolicy="no-referrer"></iframe></div>')


def phone(key: str, page: str, *, title: str) -> None:
    """A page as a phone shows it, 390 pixels wide; it can run no script and send nothing.

    Parameters
    ----------
    key : of the widget
    page : HTML
    title : what it shows, for those who do not see it
    """
    _phone(key=key, data={"page": page, "title": title})


_lesson = component(
    "lesson",
    html='<div><p>Preparing the chapters…</p><iframe sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" '
    'allow="fullscreen; clipboard-write" referrerpolicy="no-referrer"></iframe></div>',
)


def lesson(key: str, address: str, question: str, *, title: str, dark: bool) -> None:
    """Show the chapters of Learn in a frame, whose script reaches nothing of the page around it.

    Parameters
    ----------
    key : of the widget
    address : where the chapters are, on this server
    question : what people are asked in them; the usual one if empty
    title : what it shows, for those who do not see it
    dark : whether the page around them is dark
    """
    _lesson(key=key, data={"address": address, "question": question, "title": title, "dark": dark})
