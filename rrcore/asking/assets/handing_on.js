"use strict";

/**
 * A device that is handed on: each respondent gets the page as it was opened, and completed interviews are counted, in this page alone.
 *
 * begin(done): has one respondent answer; done is called once the report was handed in
 * spoken: its fresh() is the page as it was opened, in the language that is chosen
 * returns: what begins with the next respondent
 */
function handOn(element, begin, spoken) {
  let completed = 0;
  let current = 0;

  function next() {
    document.querySelector("main").replaceWith(spoken.fresh());
    for (const details of document.querySelectorAll("details")) details.open = false;
    const own = ++current;
    let counted = false;
    begin(() => {
      if (own !== current) return; // what was sent by one who is gone
      if (!counted) completed++;
      counted = true;
      element("interviews").textContent = String(completed);
      element("handing-on").hidden = false;
    });
    element("hand-on").addEventListener("click", anew);
  }

  function anew() {
    next();
    window.scrollTo(0, 0);
    element("before").querySelector("h2").focus();
  }

  element("abandon").addEventListener("click", anew);
  return next;
}
