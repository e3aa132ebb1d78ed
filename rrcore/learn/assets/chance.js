"use strict";

/**
 * Chance in the chapters. A pure function of random bits randomizes an answer: ``randomize`` of the respondents' form. Here these bits
 * are simulated from a seed, so that everybody sees the same people. This file never randomizes real answers.
 */
const Chance = (() => {
  /** A source of random bytes for ``randomize``, from a seed: for simulations only (sfc32). */
  function simulationEntropy(seed) {
    let a = 0x9e3779b9, b = 0x243f6a88, c = 0xb7e15162, d = seed >>> 0;
    function next() {
      const t = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + t) | 0;
      return t >>> 0;
    }
    for (let i = 0; i < 15; i++) next();
    return (number) => Uint8Array.from({ length: number }, () => next() & 255);
  }

  /** ``number`` uniform numbers in [0, 1) from the same. */
  function simulationUniform(seed, number) {
    const bytes = simulationEntropy(seed)(4 * number);
    const view = new DataView(bytes.buffer);
    return Float64Array.from({ length: number }, (_, i) => view.getUint32(4 * i) / 2 ** 32);
  }

  /** An order of 0..number-1 from the same. */
  function simulationOrder(seed, number) {
    const key = simulationUniform(seed, number);
    return Uint16Array.from({ length: number }, (_, i) => i).sort((i, j) => key[i] - key[j]);
  }

  /** A mechanism file with one question, whose answer is unchanged with this probability. */
  const yesOrNo = (percent) => ({
    attributes: [{ name: "answer", categories: ["no", "yes"] }],
    randomization: [{ attributes: ["answer"], lies: { 0: String(percent), 1: String(100 - percent) }, uniform: "0" }],
  });

  /** The recorded answer of one person: ``answer`` is 0 or 1, unchanged with probability ``percent``. */
  const recorded = (percent, answer, entropy) => randomize(yesOrNo(percent), [answer], entropy)[0];

  /**
   * For every person, whether the answer is unchanged: among people of one kind, for the first ``rate`` part in the given order. This is
   * what happens on average, so that counts on the screen equal the formulas.
   */
  function onAverage(order, kind, rate) {
    const kinds = new Uint32Array(256), done = new Uint32Array(256);
    for (const each of kind) kinds[each]++;
    const found = new Uint8Array(kind.length);
    for (const i of order) if (i < kind.length && done[kind[i]]++ < Math.round(rate * kinds[kind[i]])) found[i] = 1;
    return found;
  }

  return { simulationEntropy, simulationUniform, simulationOrder, recorded, onAverage };
})();
