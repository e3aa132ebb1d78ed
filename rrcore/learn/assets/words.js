"use strict";

/** How numbers are written, as the library writes them. */
const Words = (() => {
  const count = (number) => Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, ",");

  /** The factor e^eps by which odds can move, rounded up to three significant digits. */
  function odds(eps) {
    if (!Number.isFinite(eps)) return "any number";
    const power = Math.floor(eps / Math.LN10);
    const lead = Math.ceil(100 * Math.exp(eps - power * Math.LN10) - 1e-7) / 100;
    if (power >= 9) return `${lead.toFixed(2)} × 10^${power}`;
    const factor = lead * 10 ** power;
    if (factor >= 1e6) return `${Number((factor / 1e6).toPrecision(3))} million`;
    if (factor >= 100) return count(factor);
    return factor >= 10 ? factor.toFixed(1) : factor.toFixed(2);
  }

  const raised = (text) => text.replace(" × ", "\u00a0×\u00a0").replace("^9", "⁹").replace(/\^1(\d)/, (_, digit) => `¹${"⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]}`);
  const factor = (value) => `a factor of\u00a0${raised(odds(value).replace(/\.0+$/, ""))}`;

  /** An ε to one decimal, to two significant digits below 1. Whole numbers have no decimal. */
  function eps(value) {
    if (value < 1) return String(Number(value.toPrecision(2)));
    return Math.abs(value - Math.round(value)) < 1e-4 ? count(value) : value.toFixed(1);
  }
  const percent = (share, digits = 0) => `${(100 * share).toFixed(digits).replace("-", "−")}%`;
  const points = (error, digits = 0) => `${(100 * error).toFixed(digits)}\u00a0percentage\u00a0points`;

  /** "25 of 100". If that would wrongly read as none or all, "2 of 10,000" or "fewer than 1 of 10,000". */
  function of(share) {
    const hundred = Math.round(100 * share);
    if ((hundred > 0 && hundred < 100) || share === 0 || share === 1) return `${hundred} of 100`;
    if (hundred === 100) return share > 0.99995 ? "nearly 100 of 100" : `${count(Math.min(9999, 10000 * share))} of 10,000`;
    return share < 0.00005 ? "fewer than 1 of 10,000" : `${count(Math.max(1, 10000 * share))} of 10,000`;
  }

  const list = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);
  return { count, odds, factor, eps, percent, points, of, list };
})();
