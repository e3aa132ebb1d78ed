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
      const lines = event.clipboardData.getData("text").trim().split(/\r?\n/);
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
