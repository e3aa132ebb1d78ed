"use strict";

/** What the chapters share: the list they add themselves to, and the people, who are the same in all of them. */
const chapters = [];

const People = (() => {
  const first = Chance.simulationOrder(1, DOTS), second = Chance.simulationOrder(2, DOTS);

  /** Who has done it: exactly this part of the people, and whoever has done it among few has done it among more. */
  function done(share, number = DOTS) {
    const found = new Uint8Array(number), want = Math.round(share * number);
    let given = 0;
    for (const i of first) if (i < number && given < want) given += found[i] = 1;
    return found;
  }

  /** Whether what each of them sends is true, where the truth is told at this rate. */
  const truthful = (kind, rate) => Chance.onAverage(second, kind, rate);

  /** So many of the people in each group, by the shares of the groups: few walk where the shares change a little. */
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

/** Odds of a yes or no that is told truthfully so many times in 100, as a level. */
const levelOf = (percent) => Maths.level(percent / 100);

/** A level as it stands in an address of the dashboard. */
const said = (eps) => eps.toFixed(4).replace(/\.?0+$/, "");
