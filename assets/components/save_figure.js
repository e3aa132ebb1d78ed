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
  const [menu, ...formats] = parentElement.querySelectorAll("button"), choices = parentElement.querySelector("span");
  menu.setAttribute("aria-label", `Save figure: ${data.about}`);
  menu.onclick = () => {
    choices.hidden = !choices.hidden;
    menu.setAttribute("aria-expanded", String(!choices.hidden));
  };
  for (const button of formats) button.onclick = () => save(button.textContent.toLowerCase());
}
