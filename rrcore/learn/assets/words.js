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

  const times = (eps) => `×\u00a0${odds(eps).replace(" × ", "\u00a0×\u00a0").replace("^9", "⁹").replace(/\^1(\d)/, (_, digit) => `¹${"⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]}`)}`;
  const percent = (share, digits = 0) => `${(100 * share).toFixed(digits).replace("-", "−")}\u00a0%`;
  const points = (error, digits = 0) => `±\u00a0${(100 * error).toFixed(digits)}\u00a0points`;

  /** "25 of 100", and where that would read as none or all of them though it is not, "2 of 10,000" or "fewer than 1 of 10,000". */
  function of(share) {
    const hundred = Math.round(100 * share);
    if ((hundred > 0 && hundred < 100) || share === 0 || share === 1) return `${hundred} of 100`;
    if (hundred === 100) return share > 0.99995 ? "practically 100 of 100" : `${count(Math.min(9999, 10000 * share))} of 10,000`;
    return share < 0.00005 ? "fewer than 1 of 10,000" : `${count(Math.max(1, 10000 * share))} of 10,000`;
  }

  const list = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);
  return { count, odds, times, percent, points, of, list };
})();
