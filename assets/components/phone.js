// A phone that shows a page: the frame may run no script and send nothing, and keeps its place while the page in it changes.
const shown = new WeakMap(); // what a frame shows, by the frame

export default function (component) {
  const { data, parentElement } = component;
  const frame = parentElement.querySelector("iframe");
  frame.title = data.title;
  if (shown.get(frame) === data.page) return;
  shown.set(frame, data.page);
  const next = frame.cloneNode(false);
  next.srcdoc = data.page;
  shown.set(next, data.page);
  frame.replaceWith(next);
}
