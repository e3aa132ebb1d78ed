"use strict";

/** The state of a chapter as the end of an address: #6&two=180&revealed=1. Only numbers within limits and known words are ever taken from one. */
const Address = {
  read(hash, chapters) {
    const [first, ...rest] = hash.replace(/^#(chapter-)?/, "").split("&");
    const at = Math.min(chapters.length, Math.max(1, Number.parseInt(first, 10) || 1)) - 1;
    const chapter = chapters[at], found = {}, page = {};
    for (const each of rest) {
      const [key, raw = ""] = each.split("=");
      let text = "";
      try {
        text = decodeURIComponent(raw);
      } catch {
        continue;
      }
      if (key === "level" && ["words", "numbers", "formulas"].includes(text)) page.level = text;
      if (key === "view" && text === "presenter") page.presenter = true;
      const value = Object.hasOwn(chapter.limits, key) ? Address.allowed(text, chapter.limits[key]) : undefined;
      if (value !== undefined && (Number.isInteger(value) || typeof value === "string" || chapter.fine?.includes(key))) found[key] = value;
    }
    return { at, found, page };
  },

  /** A number from the first to the last of two numbers, or one of the values listed; undefined for anything else. */
  allowed(text, limits) {
    if (limits.length !== 2 || typeof limits[0] !== "number") return limits.find((value) => String(value) === text);
    const value = text.trim() === "" ? NaN : Number(text);
    return value >= limits[0] && value <= limits[1] ? value : undefined;
  },

  write(at, chapter, state, page) {
    const parts = Object.entries(state).filter(([key, value]) => key in chapter.limits && value !== chapter.defaults[key]);
    const said = parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    if (page.level !== "words") said.push(`level=${page.level}`);
    if (page.presenter) said.push("view=presenter");
    return `#${[at + 1, ...said].join("&")}`;
  },
};
