"use strict";

/**
 * The practice item. Nothing of it is kept, and nothing leaves the page.
 *
 * setup: element, text and randomBytes of form.js
 * mechanism: of the practice item: one attribute, by the same chances as the question that the picture is about
 * categories: its answers, in the language that is chosen
 */
function practise({ element, text, randomBytes }, mechanism, categories) {
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
    void device.offsetWidth; // a movement that is seen again starts anew
    device.className = outcome;
    element("mine").textContent = categories[code];
    element("drawn").textContent = categories[drawn];
    element("outcome").textContent = outcome === "kept" ? text("kept", { sent: categories[drawn] }) : text("changed", { mine: categories[code], sent: categories[drawn] });
    element("tally").textContent = text("tally", counted);
    element("tally").scrollIntoView({ block: "nearest" });
  });
}
