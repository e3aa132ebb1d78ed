"use strict";

/**
 * Restart the page for each person who uses the same device, and count completed interviews. The count is only in this page.
 *
 * begin(done): starts one interview, and calls done when the response has been submitted
 * current: as in form.js
 * returns: the function that starts the first interview
 */
function passOn(element, begin, current) {
  let completed = 0;
  let person = 0;

  function next() {
    document.querySelector("main").replaceWith(current.fresh());
    for (const details of document.querySelectorAll("details")) details.open = false;
    const own = ++person;
    let counted = false;
    begin(() => {
      if (own !== person) return; // a late reply to a previous person
      if (!counted) completed++;
      counted = true;
      element("interviews").textContent = String(completed);
      element("handing-on").hidden = false;
    });
    element("hand-on").addEventListener("click", restart);
  }

  function restart() {
    next();
    window.scrollTo(0, 0);
    element("before").querySelector("h2").focus();
  }

  element("abandon").addEventListener("click", restart);
  return next;
}
