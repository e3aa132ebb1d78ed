"""The two quiet buttons below every figure that save it as it is drawn: PNG and SVG, made by the browser from the figure on the page."""

from __future__ import annotations

import streamlit as st

_HTML = '<span>Save as</span><button type="button">PNG</button><button type="button">SVG</button>'

_CSS = """
:host, .stBidiComponentRegular { display: block; }
span, button { font: inherit; font-size: 0.8rem; color: var(--st-text-color); }
span { opacity: 0.75; margin-right: 0.4rem; }
button {
  background: none; border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius);
  padding: 0.1rem 0.55rem; margin-right: 0.35rem; min-height: 1.6rem; cursor: pointer;
}
button:hover { border-color: var(--st-primary-color); color: var(--st-primary-color); }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
"""

_JS = """
export default function ({ data, parentElement }) {
  const save = (format) => {
    const plot = document.querySelector(`.st-key-${CSS.escape(data.figure)} .js-plotly-plot`);
    const camera = plot?._fullLayout?._modeBar?.buttons.flat().find((button) => button.name === "toImage");
    if (!camera) return;
    const { layout } = plot;
    const { font, paper_bgcolor, title } = layout;
    plot._context.toImageButtonOptions = { format, filename: data.file, scale: format === "png" ? 2 : 1 };
    layout.font = { ...font, family: "Arial, Helvetica, sans-serif" };  // a file does not carry the page's typeface
    layout.paper_bgcolor = data.ground;  // nor what lies behind the figure on the page
    if (data.mark) layout.title = { text: data.mark, x: 0.01, y: 0.99, yanchor: "top", font: { size: 11 } };
    camera.click(plot);  // clones the figure before it returns
    Object.assign(layout, { font, paper_bgcolor, title });
  };
  parentElement.querySelectorAll("button").forEach((button) => {
    const format = button.textContent.toLowerCase();
    button.setAttribute("aria-label", `Save the figure ${data.about} as ${button.textContent}`);
    button.onclick = () => save(format);
  });
}
"""

_buttons = st.components.v2.component("rr_workbench.save_figure", html=_HTML, css=_CSS, js=_JS)


def save_buttons(key: str, file: str, *, about: str, ground: str, mark: str) -> None:
    """Buttons that save the figure which is drawn with the widget key ``key``.

    Parameters
    ----------
    key : of the figure
    file : name of the file, without its ending
    about : what the figure shows, for those who do not see it
    ground : colour behind the saved figure
    mark : what the saved figure says on top of itself; nothing where it is empty
    """
    _buttons(key=f"save_{key}", data={"figure": key, "file": file, "about": about, "ground": ground, "mark": mark})
