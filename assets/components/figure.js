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
    const { data, layout } = JSON.parse(spec), anew = width !== figure.wide; // plotly leaves a legend that has fewer lines where it was
    Object.assign(figure, { drawn: spec, wide: width });
    const font = { ...layout.font, family: getComputedStyle(place).fontFamily };
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
