// The chapters of Learn in a frame that may run its own script and nothing else of this page. It is told a question of the teacher's own and whether this page is dark.
export default function (component) {
  const { data, parentElement } = component;
  const frame = parentElement.querySelector("iframe");
  const tell = () => frame.contentWindow?.postMessage({ question: data.question, dark: data.dark }, "*"); // the frame has no origin to be named
  frame.onload = tell;
  frame.title = data.title;
  if (frame.getAttribute("src") !== data.address) frame.src = data.address;
  else tell();
}
