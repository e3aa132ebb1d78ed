"use strict";

/** What the chapters share: the list they add themselves to, and the people, who are the same in all of them. */
const chapters = [];

const People = (() => {
  const first = Chance.simulationOrder(1, DOTS), second = Chance.simulationOrder(2, DOTS);

  /** Who has done it: exactly this part of the people. Everybody in a smaller part is also in a larger one. */
  function done(share, number = DOTS) {
    const found = new Uint8Array(number), want = Math.round(share * number);
    let given = 0;
    for (const i of first) if (i < number && given < want) given += found[i] = 1;
    return found;
  }

  /** Whether each answer is unchanged, at this rate. */
  const truthful = (kind, rate) => Chance.onAverage(second, kind, rate);

  /** The group of each person, by the shares of the groups. Few people walk if the shares change little. */
  function shared(shares, number = DOTS) {
    const counts = Maths.apportion(shares, number), found = new Uint8Array(DOTS).fill(AWAY);
    let group = 0, left = counts[0];
    for (const i of first) {
      if (i >= number) continue;
      while (left === 0) left = counts[++group];
      found[i] = group;
      left--;
    }
    return found;
  }

  return { done, truthful, shared, all: () => new Uint8Array(DOTS) };
})();

/** The ε of a yes/no answer that is unchanged with this probability in percent. */
const epsilonOf = (percent) => Maths.epsilon(percent / 100);

/** An ε as an address of the dashboard has it. */
const said = (eps) => eps.toFixed(4).replace(/\.?0+$/, "");

/** A horizontal axis at height ``y`` with a tick and a number at each of the values, whose places ``at`` gives. */
const axis = (at, values, y) => [
  { line: [[at(values[0]), y], [at(values.at(-1)), y]], thick: 2 },
  ...values.flatMap((value) => [
    { line: [[at(value), y - 0.01], [at(value), y + 0.01]], thick: 2 },
    { text: String(value), x: at(value), y: y + 0.05 },
  ]),
];
