"use strict";

/**
 * Randomise one record by the integers of a mechanism file, with the bytes in the order that rrcore/collect/sampler.py documents.
 *
 * mechanism: the parsed mechanism file; weights are decimal strings and become BigInt
 * codes: one category number 0..a-1 for each attribute, in the file's order; left as they are
 * entropy: entropy(count) gives a Uint8Array of count random bytes
 * returns: the released category numbers, a new array
 */
function randomise(mechanism, codes, entropy) {
  // A uniform BigInt in 0..limit-1: the lowest bits of as few bytes as hold limit - 1, drawn again while they are not below limit.
  function below(limit) {
    const last = limit - 1n;
    if (last === 0n) return 0n;
    const bits = last.toString(2).length;
    const width = Math.ceil(bits / 8);
    const mask = (1n << BigInt(bits)) - 1n;
    for (;;) {
      const bytes = entropy(width);
      if (bytes.length !== width) throw new RangeError("the source of random bytes gave too few of them");
      let draw = 0n;
      for (const byte of bytes) draw = (draw << 8n) | BigInt(byte);
      draw &= mask;
      if (draw < limit) return draw;
    }
  }

  // A position, each with a probability proportional to its weight.
  function choose(weights) {
    const draw = below(weights.reduce((sum, weight) => sum + weight, 0n));
    let end = 0n;
    return weights.findIndex((weight) => (end += weight) > draw);
  }

  // Whether each attribute of a group that weighs counts of lies is reported falsely.
  function* lies(group, sizes) {
    let alike = [1n]; // records with each count vector
    let first = 0; // attribute of the kind
    for (const number of group.kinds) {
      const others = BigInt(sizes[first] - 1);
      const along = [1n];
      for (let m = 1; m <= number; m++) along.push((along[m - 1] * BigInt(number - m + 1) * others) / BigInt(m));
      alike = alike.flatMap((before) => along.map((ways) => before * ways));
      first += number;
    }
    let drawn = choose(group.records.map((weight, m) => BigInt(weight) * alike[m]));
    const counts = group.kinds.map(() => 0);
    for (let t = counts.length - 1; t >= 0; t--) {
      counts[t] = drawn % (group.kinds[t] + 1);
      drawn = Math.floor(drawn / (group.kinds[t] + 1));
    }
    for (const [t, number] of group.kinds.entries()) {
      for (let open = number; open > 0; open--) {
        const lie = below(BigInt(open)) < BigInt(counts[t]);
        if (lie) counts[t]--;
        yield lie;
      }
    }
  }

  const another = (place) => (codes[place] + 1 + Number(below(BigInt(sizes[place] - 1)))) % sizes[place];

  const names = mechanism.attributes.map((attribute) => attribute.name);
  const sizes = mechanism.attributes.map((attribute) => attribute.categories.length);
  const inside = (code, i) => Number.isInteger(code) && code >= 0 && code < sizes[i];
  if (codes.length !== sizes.length || !codes.every(inside)) throw new RangeError("a record needs one category of each attribute");

  const released = Array.from(codes);
  for (const group of mechanism.randomization) {
    const places = group.attributes.map((name) => names.indexOf(name));
    if (group.matrix) {
      released[places[0]] = choose(group.matrix[codes[places[0]]].map(BigInt));
      continue;
    }
    if (group.kinds) {
      let i = 0;
      for (const lie of lies(group, places.map((place) => sizes[place]))) {
        if (lie) released[places[i]] = another(places[i]);
        i++;
      }
      continue;
    }
    const sets = Object.keys(group.lies).sort(); // an object lists keys such as "100" before "001"
    const drawn = choose([...sets.map((name) => BigInt(group.lies[name])), BigInt(group.uniform)]);
    places.forEach((place, i) => {
      if (drawn === sets.length) released[place] = Number(below(BigInt(sizes[place])));
      else if (sets[drawn][i] === "1") released[place] = another(place);
    });
  }
  return released;
}
