"use strict";

/**
 * The practice question. Its answers are not stored and never leave the page.
 *
 * setup: element, text and randomBytes of form.js
 * mechanism: one attribute with the same probabilities as the question of the picture
 * categories: its answers in the current language
 */
function startPractice({ element, text, randomBytes }, mechanism, categories) {
  const controls = Array.from(document.querySelectorAll('[name="qpractice"]'));
  const counted = { kept: 0, changed: 0 };

  function chosen() {
    const [first] = controls;
    const found = first.tagName === "SELECT" ? first : controls.find((radio) => radio.checked);
    return found && found.value !== "" ? Number(found.value) : -1;
  }

  element("trying").addEventListener("submit", (event) => {
    event.preventDefault();
    const code = chosen();
    element("missingpractice").hidden = code >= 0;
    if (code < 0) return controls[0].focus();
    const [drawn] = randomize(mechanism, [code], randomBytes);
    const outcome = drawn === code ? "kept" : "changed";
    counted[outcome]++;
    const device = element("device");
    device.hidden = false;
    device.className = "";
    // restarts the animation
    void device.offsetWidth;
    device.className = outcome;
    element("mine").textContent = categories[code];
    element("drawn").textContent = categories[drawn];
    element("outcome").textContent = outcome === "kept" ? text("kept", { sent: categories[drawn] }) : text("changed", { mine: categories[code], sent: categories[drawn] });
    element("tally").textContent = text("tally", counted);
    element("tally").scrollIntoView({ block: "nearest" });
  });
}
