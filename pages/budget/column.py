"""A table with one column to type numbers down, for levels and weights.

Every cell is an input of the browser's own: Enter and the arrows go on at once, a column pasted from a spreadsheet fills the cells below,
and since the table is drawn anew around what is typed, not instead of it, nothing is lost while the page takes its time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import streamlit as st

_CSS = """
:host { display: block; }
.column { max-height: 27rem; overflow: auto; border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius); }
table { border-collapse: collapse; width: 100%; font: 0.875rem var(--st-font); color: var(--st-text-color); }
th, td { text-align: left; padding: 0.2rem 0.6rem; border-bottom: 1px solid var(--st-border-color); white-space: nowrap; }
tr:last-child > * { border-bottom: none; }
thead th { position: sticky; top: 0; z-index: 1; background: var(--st-secondary-background-color); font-weight: 400; cursor: help; }
tbody th { font-weight: 400; white-space: normal; overflow-wrap: anywhere; }
.number { text-align: right; }
input {
  width: 5.5rem; box-sizing: border-box; padding: 0.25rem 0.4rem; font: inherit; text-align: right; color: inherit;
  background: var(--st-background-color); border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius);
}
input:focus { outline: 2px solid var(--st-primary-color); outline-offset: -1px; }
input[aria-invalid="true"] { border: 2px dashed; }
@media (max-width: 640px) { .number { display: none; } th, td { padding: 0.2rem 0.35rem; } input { width: 4.5rem; } }
"""

_JS = """
const made = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let table = made.get(parentElement);
  if (!table || table.names !== JSON.stringify(data.rows.map((row) => row.name))) {
    table = build(data, parentElement, setStateValue);
    made.set(parentElement, table);
  }
  data.rows.forEach((row, i) => {
    const { input, cells } = table.rows[i];
    if (!(i in table.typed) && input.value === input.dataset.shown) input.value = input.dataset.shown = row.text;
    input.setAttribute("aria-invalid", String(row.wrong));
    row.facts.forEach((fact, j) => { cells[j].textContent = fact; });
  });
}

function build(data, parent, setStateValue) {
  const element = (tag, text, under, name = "") => {
    const made = under.appendChild(document.createElement(tag));
    made.textContent = text;
    made.className = name;
    return made;
  };
  const typed = {}, rows = [];
  const send = () => setStateValue("typed", { ...typed });
  const take = (i) => {
    const { input } = rows[i];
    if (input.value === input.dataset.shown) return false;
    typed[i] = input.dataset.shown = input.value;
    return true;
  };
  const move = (i) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, i))].input;
    next.focus();
    next.select();
  };
  parent.querySelector(".column")?.remove();
  const frame = element("div", "", parent, "column"), whole = element("table", "", frame);
  frame.tabIndex = -1;
  const head = element("tr", "", element("thead", "", whole)), body = element("tbody", "", whole);
  data.heads.forEach(({ title, help }, j) => {
    const cell = element("th", title, head, j === 1 ? "number" : "");
    cell.scope = "col";
    cell.title = help;
  });
  data.rows.forEach((row, i) => {
    const line = element("tr", "", body), name = element("th", row.name, line);
    name.scope = "row";
    element("td", row.categories, line, "number");
    const input = element("input", "", element("td", "", line));
    input.type = "text";
    input.inputMode = "decimal";
    input.autocomplete = "off";
    input.setAttribute("aria-label", `${data.what} of ${row.name}`);
    input.value = input.dataset.shown = row.text;
    input.onfocus = () => input.select();
    input.onchange = () => { if (take(i)) send(); };
    input.onkeydown = (event) => {
      const step = { Enter: event.shiftKey ? -1 : 1, ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || event.isComposing) return;
      event.preventDefault();
      if (take(i)) send();
      move(i + step);
    };
    input.onpaste = (event) => {
      const lines = event.clipboardData.getData("text").trim().split(/\\r?\\n/);
      if (lines.length < 2) return;
      event.preventDefault();
      const filled = lines.slice(0, rows.length - i);
      filled.forEach((text, below) => { rows[i + below].input.value = text.trim(); take(i + below); });
      send();
      move(i + filled.length - 1);
    };
    rows.push({ input, cells: row.facts.map((fact) => element("td", fact, line)) });
  });
  return { names: JSON.stringify(data.rows.map((row) => row.name)), rows, typed };
}
"""

_column = st.components.v2.component("rr_workbench.column", css=_CSS, js=_JS)


@dataclass(frozen=True)
class Line:
    """One row: the attribute, its number of categories, the text to be edited, whether that is wrong, and what follows from it."""

    name: str
    categories: str
    text: str
    wrong: bool
    facts: tuple[str, ...]


def typed(key: str) -> dict[int, str]:
    """What was typed into the table called ``key`` since it is there: row -> text."""
    found = st.session_state.get(key, {}).get("typed") or {}
    return {int(row): str(text) for row, text in found.items()}


def show(key: str, what: str, lines: Sequence[Line], heads: Mapping[str, str]) -> None:
    """The table, which stays the same one as long as its ``key``.

    Parameters
    ----------
    key : of the table
    what : what the edited column holds, for readers of labels: "Level"
    lines : its rows
    heads : title -> explanation of every column: attribute, categories, the edited one, the facts
    """
    _column(
        key=key,
        data={
            "what": what,
            "rows": [asdict(line) for line in lines],
            "heads": [{"title": title, "help": help} for title, help in heads.items()],
        },
        on_typed_change=lambda: None,
    )
