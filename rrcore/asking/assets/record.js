"use strict";

/**
 * Return the response as one line of JSON. All responses have the same length, because encryption does not hide the length of a message.
 * Spaces before the last brace fill shorter ones. Readers of JSON ignore them.
 *
 * mechanism: the parsed mechanism file, which determines the order of the attributes
 * released: one report number for each attribute
 * more: further fields, whose length does not depend on the answers
 * unrandomized, known: the questions that are not randomized, and a category number for each
 */
function recordLine(mechanism, released, more, unrandomized = [], known = []) {
  const reports = (attribute) => attribute.reports || attribute.categories;
  const written = (text) =>
    JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const size = (text) => new TextEncoder().encode(text).length; // bytes

  let spaces = 0;
  const answers = (attributes, codes) => {
    const each = attributes.map((attribute, i) => {
      const texts = reports(attribute).map(written);
      spaces += texts.reduce((longest, text) => Math.max(longest, size(text)), 0) - size(texts[codes[i]]);
      return `${written(attribute.name)}: ${texts[codes[i]]}`;
    });
    return `{${each.join(", ")}}`;
  };
  const own = `"answers": ${answers(mechanism.attributes, released)}`;
  const further = unrandomized.length ? `, "unrandomized": ${answers(unrandomized, known)}` : "";
  const fields = Object.entries(more).map(([name, value]) => `, ${written(name)}: ${written(value)}`);
  return `{"mechanism": ${written(mechanism.sha256)}, ${own}${further}${fields.join("")}${" ".repeat(spaces)}}`;
}
