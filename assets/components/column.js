const made = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const names = JSON.stringify([data.heads, data.rows.map((row) => row.name)]);
  let table = made.get(parentElement);
  if (!table || table.names !== names) {
    table = build(names, data, parentElement, setStateValue);
    made.set(parentElement, table);
  }
  for (const [about, [turn]] of Object.entries(table.changes)) if (turn <= data.taken) delete table.changes[about];
  data.rows.forEach((row, i) => {
    const { box, input, cells } = table.rows[i];
    if (!(`include ${i}` in table.changes)) box.checked = row.included;
    if (!(`type ${i}` in table.changes) && input.value === input.dataset.shown) input.value = input.dataset.shown = row.text;
    input.hidden = !row.included || !row.typed;
    input.setAttribute("aria-invalid", String(row.wrong));
    row.facts.forEach((fact, j) => { cells[j].textContent = fact.text; cells[j].title = fact.help; });
  });
}

function build(names, data, parent, setStateValue) {
  const element = (tag, text, under, name = "") => {
    const made = under.appendChild(document.createElement(tag));
    made.textContent = text;
    made.className = name;
    return made;
  };
  const changes = {}, rows = [];
  const note = (about, value) => { changes[about] = [Date.now() + performance.now() / 1e6, value]; };
  const send = () => setStateValue("changes", { ...changes });
  const take = (i) => {
    const { input } = rows[i];
    if (input.value === input.dataset.shown) return false;
    note(`type ${i}`, input.dataset.shown = input.value);
    return true;
  };
  const move = (i, step) => {
    let next = i + step;
    while (rows[next]?.input.hidden) next += step;
    const { input } = rows[next] ?? rows[i];
    input.focus();
    input.select();
  };
  parent.querySelector(".column")?.remove();
  const frame = element("div", "", parent, "column"), whole = element("table", "", frame);
  frame.tabIndex = -1;
  const head = element("tr", "", element("thead", "", whole)), body = element("tbody", "", whole);
  data.heads.forEach(({ title, help }, j) => {
    const cell = element("th", title, head, j ? "number" : "");
    cell.scope = "col";
    cell.title = help;
  });
  data.rows.forEach((row, i) => {
    const line = element("tr", "", body), name = element("th", "", line), label = element("label", "", name);
    name.scope = "row";
    const box = label.appendChild(document.createElement("input"));
    box.type = "checkbox";
    label.append(row.name);
    box.onchange = () => { note(`include ${i}`, box.checked); send(); };
    element("td", row.categories, line, "number");
    const input = element("input", "", element("td", "", line, "number"));
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
      move(i, step);
    };
    input.onpaste = (event) => {
      const lines = event.clipboardData.getData("text").trim().split(/\r?\n/);
      if (lines.length < 2) return;
      event.preventDefault();
      const filled = lines.slice(0, rows.length - i);
      filled.forEach((text, below) => { rows[i + below].input.value = text.trim(); take(i + below); });
      send();
      move(i + filled.length - 1, 1);
    };
    rows.push({ box, input, cells: row.facts.map(() => element("td", "", line, "number")) });
  });
  return { names, rows, changes };
}
