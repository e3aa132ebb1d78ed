const figures = new WeakMap();
const REST = 250; // milliseconds after which figures out of sight are drawn, too
const AGAIN = 1000; // after which they are where they only change: who moves a slider step by step does not wait for them at each
const FIRST = 1000; // after which what draws them is loaded where no figure has asked for it

export default function ({ data, parentElement, setTriggerValue }) {
  if (!data.spec) {
    setTimeout(() => (window.requestIdleCallback ?? setTimeout)(() => load(data.script)), FIRST);
    return;
  }
  let figure = figures.get(parentElement);
  if (!figure) {
    figure = begin(parentElement);
    figures.set(parentElement, figure);
  }
  figure.pick = (point) => setTriggerValue("clicked", point);
  figure.show(data);
}

// Names along an axis stay level: what is longer than its room is wrapped, then cut. Pointing at a mark shows all of it.
function level({ data, layout }, width, family) {
  const wide = ruler(`${layout.font?.size ?? 12}px ${family}`);
  const longest = (names) => Math.max(0, ...names.flatMap((text) => text.split("<br>").map(wide)));
  const axes = Object.keys(layout).filter((name) => /^[xy]axis/.test(name)).map((name) => ({ ...named(name, data, layout), name }));
  const left = Math.max(0, ...axes.filter(({ name, names }) => name[0] === "y" && names).map(({ names }) => longest(names)));
  const part = axes.some(({ name, names }) => name[0] === "x" && names) ? 0.28 : 0.42;
  const margin = Math.min(left, part * width);
  for (const { name, names, places } of axes) {
    if (!names) continue;
    const [from, to] = layout[name].domain ?? [0, 1], across = name[0] === "x";
    const room = across ? ((width - Math.max(margin, 42) - 30) * (to - from)) / names.length - 2 : margin;
    if (longest(names) <= room && !across) continue;
    const short = names.map((text) => fitted(text, room, across, wide));
    Object.assign(layout[name], { tickmode: "array", tickvals: places, ticktext: short, ...(across && { tickangle: 0 }) });
    for (const trace of data) {
      if ((trace[`${name[0]}axis`] ?? name[0]) !== name.replace("axis", "") || !trace.hovertemplate?.includes(`%{${name[0]}}`)) continue;
      if (layout[name].type !== "category") continue;
      trace.hovertext = trace[name[0]];
      trace.hovertemplate = trace.hovertemplate.replaceAll(`%{${name[0]}}`, "%{hovertext}");
    }
  }
  return { data, layout };
}

// The names along an axis of categories, or instead of numbers, and where they are.
function named(name, data, layout) {
  const { type, ticktext, tickvals, categoryarray } = layout[name];
  if (ticktext) return ticktext.some((text) => /\p{L}{3}/u.test(text)) ? { names: ticktext, places: tickvals } : {};
  if (type !== "category") return {};
  const own = data.filter((trace) => (trace[`${name[0]}axis`] ?? name[0]) === name.replace("axis", ""));
  const names = categoryarray ?? [...new Set(own.flatMap((trace) => [trace[name[0]]].flat()))].filter((text) => text != null);
  return { names: names.map(String), places: names };
}

const letters = (text) => text.match(/&#?\w+;|<[^>]*>|./gsu) ?? [];

// Measures the width of a text in pixels, where an entity is as wide as a letter and a tag has no width.
function ruler(font) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = font;
  return (text) => context.measureText(letters(text).map((one) => (one.length < 3 ? one : one[0] === "&" ? "n" : "")).join("")).width;
}

function fitted(text, room, wraps, wide) {
  const lines = wraps ? [] : text.split("<br>");
  for (const word of wraps ? text.split(/ |<br>/) : []) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && (wide(longer) <= room || lines.length === 3)) lines.pop(), lines.push(longer);
    else lines.push(word);
  }
  return lines.map((line) => cut(line, room, wide)).join("<br>");
}

function cut(line, room, wide) {
  if (wide(line) <= room) return line;
  const kept = letters(line);
  while (kept.length > 1 && wide(`${kept.join("")}…`) > room) kept.pop();
  return `${kept.join("").trimEnd()}…`;
}

// plotly.js, once for all figures.
function load(address) {
  window.rrWorkbenchPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(window.Plotly);
    script.onerror = (error) => {
      window.rrWorkbenchPlotly = undefined; // the next figure asks again
      reject(error);
    };
    document.head.append(script);
  });
  return window.rrWorkbenchPlotly;
}

function begin(parent) {
  const place = parent.appendChild(document.createElement("div"));
  const figure = { seen: false, spec: "", drawn: "", wide: 0, waiting: 0 };
  place.className = "rr-figure";
  place.setAttribute("role", "figure");

  const draw = async () => {
    clearTimeout(figure.waiting);
    const Plotly = await load(figure.script);
    const spec = figure.spec, width = place.clientWidth;
    if (!width || (spec === figure.drawn && width === figure.wide)) return;
    const family = getComputedStyle(place).fontFamily;
    const { data, layout } = level(JSON.parse(spec), width, family), anew = width !== figure.wide; // plotly leaves a legend that has fewer lines where it was
    Object.assign(figure, { drawn: spec, wide: width });
    const font = { ...layout.font, family };
    const title = { ...layout.legend?.title, text: layout.legend?.title?.text || "\u00a0" }; // beside whose line the buttons stand
    const legend = { ...layout.legend, title };
    const height = document.fullscreenElement === place ? window.innerHeight : layout.height;
    figure.buttons ??= [["toImage", whole(Plotly)]]; // the same ones each time: plotly begins anew where it is given others
    const draws = anew ? Plotly.newPlot : Plotly.react;
    await draws(place, data, { ...layout, font, legend, width, height }, { ...figure.config, modeBarButtons: figure.buttons });
    if (anew) place.on("plotly_click", ({ points }) => points[0].customdata && figure.pick([points[0].customdata].flat()));
  };

  // What is seen is drawn at once, the rest when the page has come to rest.
  const soon = () => {
    clearTimeout(figure.waiting);
    if (figure.seen) draw();
    else figure.waiting = setTimeout(() => (window.requestIdleCallback ?? setTimeout)(draw), figure.drawn ? AGAIN : REST);
  };

  figure.show = ({ spec, config, script, alt, height }) => {
    Object.assign(figure, { spec, config, script });
    place.setAttribute("aria-label", alt);
    place.style.minHeight = `${height}px`;
    soon();
  };
  new IntersectionObserver(([{ isIntersecting }]) => { figure.seen = isIntersecting; if (isIntersecting) draw(); }).observe(place);
  new ResizeObserver(() => { if (place.clientWidth !== figure.wide) soon(); }).observe(place);
  return figure;
}

function whole(Plotly) {
  const click = (plot) => (document.fullscreenElement ? document.exitFullscreen() : plot.requestFullscreen());
  return { name: "Fullscreen", title: "Fullscreen", icon: Plotly.Icons.autoscale, click };
}
