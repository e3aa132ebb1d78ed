"use strict";

/** The formulas of the chapters, each the library's own: tests hold them against it. Shares are from 0 to 1. */
const Maths = (() => {
  const logFactorials = [0];
  function logFactorial(n) {
    for (let i = logFactorials.length; i <= n; i++) logFactorials.push(logFactorials[i - 1] + Math.log(i));
    return logFactorials[n];
  }

  /** Probabilities of 0..n hits in n trials. */
  function binomial(n, p) {
    const found = new Float64Array(n + 1);
    if (p <= 0 || p >= 1) {
      found[p <= 0 ? 0 : n] = 1;
      return found;
    }
    const yes = Math.log(p), no = Math.log1p(-p);
    for (let k = 0; k <= n; k++) {
      found[k] = Math.exp(logFactorial(n) - logFactorial(k) - logFactorial(n - k) + k * yes + (n - k) * no);
    }
    return found;
  }

  /** Probability that an answer with ``size`` categories is unchanged at ε. */
  const unchanged = (eps, size = 2) => Math.exp(eps) / (Math.exp(eps) + size - 1);

  /** The ε of a yes/no answer that is unchanged with this probability. */
  const epsilon = (truth) => Math.log(truth / (1 - truth));

  /** Share of the recorded yes that are true, for this true share of yes. */
  const meant = (share, truth) => (share * truth) / (share * truth + (1 - share) * (1 - truth));

  /** Standard error of the share of yes among these n people. */
  const noise = (truth, n) => Math.sqrt((truth * (1 - truth)) / n) / (2 * truth - 1);

  /** Half the width of a 95% interval of the same. */
  const Z = 1.959963984540054;
  const margin = (truth, n) => Z * noise(truth, n);

  /** The estimated share for this share of recorded yes: what chance added is subtracted, and the rest is scaled up. */
  const corrected = (reported, truth) => (reported - (1 - truth)) / (2 * truth - 1);

  /** How often most of k answers about the same thing are true. A tie counts half. */
  function majority(k, truth) {
    return binomial(k, truth).reduce((sum, p, hits) => sum + (2 * hits > k ? p : 2 * hits === k ? p / 2 : 0), 0);
  }

  const bits = (number, k) => Array.from({ length: k }, (_, i) => (number >> (k - 1 - i)) & 1);

  /** For each set of replaced answers, the number of records that differ from a true one in exactly these. */
  const ways = (sizes) =>
    Array.from({ length: 2 ** sizes.length }, (_, set) =>
      bits(set, sizes.length).reduce((product, lie, i) => (lie ? product * (sizes[i] - 1) : product), 1),
    );

  /**
   * The deck in which these shares of cards replace two, three and four answers, with equal probabilities for all records of one number.
   * Cards that replace one answer keep each answer's rate, and the rest replace nothing. Shares below 0: there is no such deck.
   */
  function deck(lies, sizes, many) {
    const k = sizes.length;
    const alike = ways(sizes);
    const number = (set) => bits(set, k).reduce((sum, lie) => sum + lie, 0);
    const found = new Float64Array(alike.length);
    for (let m = 2; m <= k; m++) {
      const all = alike.reduce((sum, each, set) => sum + (number(set) === m ? each : 0), 0);
      alike.forEach((each, set) => {
        if (number(set) === m) found[set] = (many[m - 2] * each) / all;
      });
    }
    for (let i = 0; i < k; i++) {
      const digit = 1 << (k - 1 - i);
      found[digit] = lies[i] - found.reduce((sum, share, set) => sum + (set & digit ? share : 0), 0);
    }
    found[0] = 1 - found.reduce((sum, share) => sum + share, 0);
    return found;
  }

  /** Shares of cards of the independent deck that replace two, three and four answers. */
  function independent(lies) {
    const k = lies.length;
    const many = new Array(k + 1).fill(0);
    for (let set = 0; set < 2 ** k; set++) {
      const lying = bits(set, k);
      const share = lying.reduce((product, lie, i) => product * (lie ? lies[i] : 1 - lies[i]), 1);
      many[lying.reduce((sum, lie) => sum + lie, 0)] += share;
    }
    return many.slice(2);
  }

  /** ε of the whole record: the logarithm of the largest ratio of probabilities of two randomized records. */
  function total(shares, sizes) {
    const each = ways(sizes).map((records, set) => shares[set] / records);
    const least = Math.min(...each);
    return least > 0 ? Math.log(Math.max(...each) / least) : Infinity;
  }

  /**
   * The ε of one answer for an attacker who sees the whole record, knows these other answers and thinks the rest equally likely.
   */
  function friend(shares, sizes, known, target) {
    const k = sizes.length;
    const seen = new Map(); // which known answers are replaced -> [target true, target one certain other]
    for (let set = 0; set < shares.length; set++) {
      const lying = bits(set, k);
      const key = known.map((i) => lying[i]).join("");
      if (!seen.has(key)) seen.set(key, [0, 0]);
      seen.get(key)[lying[target]] += shares[set] / (lying[target] ? sizes[target] - 1 : 1);
    }
    const turns = [...seen.values()].map(([yes, no]) => (no > 0 ? Math.abs(Math.log(yes / no)) : Infinity));
    return Math.max(...turns);
  }

  /** Which numbers of true answers in ``runs`` runs convict a mechanism that promises this rate: exact, two-sided, at level alpha. */
  function convicts(promised, runs, alpha) {
    const p = binomial(runs, promised);
    const found = new Uint8Array(runs + 1);
    let below = 0;
    for (let hits = 0; hits <= runs && 2 * (below += p[hits]) < alpha; hits++) found[hits] = 1;
    let above = 0;
    for (let hits = runs; hits >= 0 && 2 * (above += p[hits]) < alpha; hits--) found[hits] = 1;
    return found;
  }

  /** Probability that ``runs`` runs convict it if it records the true answer this often. */
  function power(truth, promised, runs, alpha) {
    const caught = convicts(promised, runs, alpha);
    return binomial(runs, truth).reduce((sum, p, hits) => sum + (caught[hits] ? p : 0), 0);
  }

  /** How often a survey's 95% interval contains the share of these n people if a part of them clicks at random. */
  function coverage(share, truth, careless, n) {
    const honest = (1 - careless) * truth + careless / 2;
    const yes = Math.round(share * n);
    const first = binomial(yes, honest), second = binomial(n - yes, 1 - honest);
    const sums = new Float64Array(n - yes + 2); // of the second, up to each number
    for (let i = 0; i <= n - yes; i++) sums[i + 1] = sums[i] + second[i];
    const upTo = (i) => sums[Math.max(0, Math.min(n - yes + 1, i + 1))];
    const middle = n * ((yes / n) * (2 * truth - 1) + 1 - truth), half = n * margin(truth, n) * (2 * truth - 1);
    let held = 0;
    first.forEach((p, i) => {
      if (p > 1e-14) held += p * (upTo(Math.floor(middle + half - i)) - upTo(Math.ceil(middle - half - i) - 1));
    });
    return held;
  }

  /** What a control question that nobody can answer with yes repairs: [share, its standard error], from both estimates. */
  function rescued(estimate, control, truth, n) {
    const careless = Math.min(0.95, Math.max(0, 2 * control));
    const share = (estimate - careless / 2) / (1 - careless);
    return [share, (noise(truth, n) * Math.hypot(1, 1 - 2 * share)) / (1 - careless)];
  }

  /** Whole dots for each share, exactly ``all`` of them: the largest remainders get the rest. */
  function apportion(shares, all) {
    const sum = shares.reduce((a, b) => a + b, 0);
    const exact = Array.from(shares, (share) => (all * share) / sum);
    const found = exact.map(Math.floor);
    const order = exact.map((_, i) => i).sort((i, j) => exact[j] - found[j] - (exact[i] - found[i]) || i - j);
    let rest = all - found.reduce((a, b) => a + b, 0);
    for (const i of order) if (rest-- > 0) found[i]++;
    return found;
  }

  return {
    Z, binomial, unchanged, epsilon, meant, noise, margin, corrected, majority, bits, ways, deck, independent, total, friend, convicts, power,
    coverage, rescued, apportion,
  };
})();
