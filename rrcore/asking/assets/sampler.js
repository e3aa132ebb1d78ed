"use strict";

/**
 * Natural numbers of any size for browsers without BigInt (ES2017): arrays of digits of 24 bits, the lowest first. There are no leading
 * zeros, so 0 is the empty array. Products of two digits are exact in a double.
 */
const natural = {
  BASE: 2 ** 24,

  // A whole number of at most 53 bits, or one of any size as decimal digits.
  of(value) {
    if (typeof value === "string") {
      let found = [];
      for (let start = 0, end = value.length % 7 || 7; start < value.length; start = end, end += 7) {
        found = natural.add(natural.scale(found, 1e7), natural.of(Number(value.slice(start, end))));
      }
      return found;
    }
    const digits = [];
    for (let left = value; left > 0; left = Math.floor(left / natural.BASE)) digits.push(left % natural.BASE);
    return digits;
  },

  trimmed(digits) {
    while (digits.length && digits[digits.length - 1] === 0) digits.pop();
    return digits;
  },

  add(a, b) {
    const sum = [];
    for (let i = 0, carry = 0; i < a.length || i < b.length || carry; i++) {
      const digit = (a[i] || 0) + (b[i] || 0) + carry;
      sum.push(digit % natural.BASE);
      carry = digit >= natural.BASE ? 1 : 0;
    }
    return sum;
  },

  // a times a whole number below the base.
  scale(a, factor) {
    return natural.multiply(a, natural.of(factor));
  },

  multiply(a, b) {
    const product = new Array(a.length + b.length).fill(0);
    for (let i = 0; i < a.length; i++) {
      let carry = 0;
      for (let j = 0; j < b.length || carry; j++) {
        const digit = product[i + j] + a[i] * (b[j] || 0) + carry;
        product[i + j] = digit % natural.BASE;
        carry = Math.floor(digit / natural.BASE);
      }
    }
    return natural.trimmed(product);
  },

  // a divided by a whole number below the base, rounded down.
  divide(a, divisor) {
    const quotient = new Array(a.length).fill(0);
    for (let i = a.length - 1, rest = 0; i >= 0; i--) {
      const left = rest * natural.BASE + a[i];
      quotient[i] = Math.floor(left / divisor);
      rest = left % divisor;
    }
    return natural.trimmed(quotient);
  },

  // Whether a is less than b.
  less(a, b) {
    if (a.length !== b.length) return a.length < b.length;
    for (let i = a.length - 1; i >= 0; i--) if (a[i] !== b[i]) return a[i] < b[i];
    return false;
  },

  // a minus 1, for a above 0.
  before(a) {
    const found = a.slice();
    let i = 0;
    while (found[i] === 0) found[i++] = natural.BASE - 1;
    found[i]--;
    return natural.trimmed(found);
  },

  // Number of bits of a.
  bits(a) {
    return a.length ? 24 * (a.length - 1) + a[a.length - 1].toString(2).length : 0;
  },

  // The number in the lowest bits of bytes, the highest byte first.
  fromBytes(bytes, bits) {
    const digits = new Array(Math.ceil(bytes.length / 3)).fill(0);
    for (let i = 0; i < bytes.length; i++) {
      const place = bytes.length - 1 - i;
      const counted = Math.max(0, Math.min(8, bits - 8 * place));
      digits[Math.floor(place / 3)] += (bytes[i] % 2 ** counted) * 2 ** (8 * (place % 3));
    }
    return natural.trimmed(digits);
  },

  // As an ordinary number of at most 53 bits.
  number(a) {
    return a.reduceRight((high, digit) => high * natural.BASE + digit, 0);
  },
};

/**
 * Randomize one record with the integers of a mechanism file, using bytes in the order that rrcore/promise/sampler.py documents.
 *
 * mechanism: the parsed mechanism file, whose weights are decimal strings of natural numbers
 * codes: one category number 0..a-1 for each attribute, in the file's order, which is not changed
 * entropy: entropy(count) returns a Uint8Array of count random bytes
 * returns: the released category numbers, a new array
 */
function randomize(mechanism, codes, entropy) {
  // A uniform number in 0..limit-1: the lowest bits of the fewest bytes that can hold limit - 1, drawn again until it is below limit.
  function below(limit) {
    const bits = natural.bits(natural.before(limit));
    if (bits === 0) return [];
    const width = Math.ceil(bits / 8);
    for (;;) {
      const bytes = entropy(width);
      if (bytes.length !== width) throw new RangeError("the source of random bytes gave too few of them");
      const draw = natural.fromBytes(bytes, bits);
      if (natural.less(draw, limit)) return draw;
    }
  }

  const belowSmall = (limit) => natural.number(below(natural.of(limit)));

  // A random position, with probabilities proportional to the weights.
  function choose(weights) {
    const draw = below(weights.reduce(natural.add, []));
    let end = [];
    return weights.findIndex((weight) => natural.less(draw, (end = natural.add(end, weight))));
  }

  // For each attribute of a group with weights of counts, whether its answer is changed.
  function* lies(group, sizes) {
    let alike = [[1]]; // records with each count vector
    let first = 0; // attribute of the kind
    for (const number of group.kinds) {
      const along = [[1]];
      for (let m = 1; m <= number; m++) {
        const ways = natural.scale(natural.scale(along[m - 1], number - m + 1), sizes[first] - 1);
        along.push(natural.divide(ways, m));
      }
      alike = alike.reduce((all, before) => {
        for (const ways of along) all.push(natural.multiply(before, ways));
        return all;
      }, []);
      first += number;
    }
    let drawn = choose(group.records.map((weight, m) => natural.multiply(natural.of(weight), alike[m])));
    const counts = group.kinds.map(() => 0);
    for (let t = counts.length - 1; t >= 0; t--) {
      counts[t] = drawn % (group.kinds[t] + 1);
      drawn = Math.floor(drawn / (group.kinds[t] + 1));
    }
    for (const [t, number] of group.kinds.entries()) {
      for (let open = number; open > 0; open--) {
        const lie = belowSmall(open) < counts[t];
        if (lie) counts[t]--;
        yield lie;
      }
    }
  }

  const another = (place) => (codes[place] + 1 + belowSmall(sizes[place] - 1)) % sizes[place];

  const names = mechanism.attributes.map((attribute) => attribute.name);
  const sizes = mechanism.attributes.map((attribute) => attribute.categories.length);
  const inside = (code, i) => Number.isInteger(code) && code >= 0 && code < sizes[i];
  if (codes.length !== sizes.length || !codes.every(inside)) throw new RangeError("a record needs one category of each attribute");

  const released = Array.from(codes);
  for (const group of mechanism.randomization) {
    const places = group.attributes.map((name) => names.indexOf(name));
    if (group.matrix) {
      released[places[0]] = choose(group.matrix[codes[places[0]]].map(natural.of));
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
    const drawn = choose([...sets.map((name) => natural.of(group.lies[name])), natural.of(group.uniform)]);
    places.forEach((place, i) => {
      if (drawn === sets.length) released[place] = belowSmall(sizes[place]);
      else if (sets[drawn][i] === "1") released[place] = another(place);
    });
  }
  return released;
}
