"use strict";

/**
 * What is handed in: one line of JSON, as long as the longest that the mechanism file allows, since an encrypted connection hides what is
 * sent and not how much. It is filled up with spaces before its last brace, which no reader of JSON takes notice of.
 *
 * mechanism: the parsed mechanism file; attributes stand in its order, whatever they are called
 * released: one report number for each attribute
 * more: further fields, whose values have the same length for whatever was answered
 * unrandomized, known: the questions whose answers are sent as they are, and a category number for each
 */
function recordLine(mechanism, released, more, unrandomized = [], known = []) {
  const reports = (attribute) => attribute.reports || attribute.categories;
  const written = (text) =>
    JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const size = (text) => new TextEncoder().encode(text).length; // bytes, as they are sent and saved

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
  const beside = unrandomized.length ? `, "unrandomized": ${answers(unrandomized, known)}` : "";
  const fields = Object.entries(more).map(([name, value]) => `, ${written(name)}: ${written(value)}`);
  return `{"mechanism": ${written(mechanism.sha256)}, ${own}${beside}${fields.join("")}${" ".repeat(spaces)}}`;
}
