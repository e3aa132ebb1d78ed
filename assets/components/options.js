const made = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const kept = made.get(parentElement) ?? begin(parentElement);
  made.set(parentElement, kept);
  const shape = JSON.stringify([data.heads, data.rows.map((row) => row.key)]);
  if (kept.shape !== shape) build(kept, data, (key) => setTriggerValue("chosen", key));
  kept.shape = shape;
  data.rows.forEach((row, i) => {
    const { box, bar, bound, amount, cells } = kept.rows[i];
    if (box.checked !== row.chosen) box.checked = row.chosen;
    bar.style.width = `${row.part * 100}%`;
    bar.style.background = row.color;
    bound.hidden = data.bound === null;
    bound.style.left = `calc((100% - 2.6rem) * ${data.bound})`;
    amount.textContent = row.amount;
    row.facts.forEach((fact, j) => { cells[j].textContent = fact; });
  });
  kept.note.textContent = data.note;
}

function begin(parent) {
  const frame = parent.appendChild(document.createElement("div"));
  frame.className = "options";
  const table = frame.appendChild(document.createElement("table")), note = frame.appendChild(document.createElement("p"));
  return { table, note, rows: [], group: `options${Math.random()}` };
}

function build(kept, data, choose) {
  const element = (tag, text, under, name = "") => {
    const made = under.appendChild(document.createElement(tag));
    made.textContent = text;
    made.className = name;
    return made;
  };
  kept.table.replaceChildren();
  const head = element("tr", "", element("thead", "", kept.table)), body = element("tbody", "", kept.table);
  data.heads.forEach(({ title, help }, j) => {
    const cell = element("th", title, head, j > 1 ? "number" : "");
    cell.scope = "col";
    cell.title = help;
  });
  kept.rows = data.rows.map((row) => {
    const line = element("tr", "", body), name = element("th", "", line), label = element("label", "", name);
    name.scope = "row";
    const box = label.appendChild(document.createElement("input"));
    box.type = "radio";
    box.name = kept.group;
    box.onchange = () => { if (box.checked) choose(row.key); };
    label.append(row.title);
    label.title = row.help;
    const track = element("div", "", element("td", "", line, "bars"), "track");
    const bar = element("span", "", track, "bar"), amount = element("b", "", track), bound = element("i", "", track);
    return { box, bar, bound, amount, cells: row.facts.map(() => element("td", "", line, "number")) };
  });
}
