// Sets the formulas of a page.
for (const place of document.querySelectorAll(".arithmatex")) {
  const source = place.textContent.trim();
  katex.render(source.slice(2, -2), place, { displayMode: source.startsWith("\\["), throwOnError: false });
  // A line may not begin with the mark that follows a formula.
  const next = place.nextSibling;
  const mark = next?.nodeType === Node.TEXT_NODE && next.data.match(/^[.,:?)]+/)?.[0];
  const end = place.querySelector(".katex-html")?.lastElementChild;
  if (mark && end) {
    next.deleteData(0, mark.length);
    end.append(mark);
  }
}
