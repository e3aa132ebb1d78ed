"use strict";

/**
 * Memoised answers: the same true answers of one device are always randomised in the same way (theory.md section 23).
 *
 * The device keeps one random seed for each mechanism file and nothing else. Each group of attributes is randomised by sampler.js with a
 * stream of bytes of its own, HMAC-SHA-256(seed, "<sha256 of the file> <number of the group> <true codes> <number of the block>"), so that
 * to somebody without the seed the draws for different answers are independent and uniform, and the seed says nothing of what was true.
 */

// The released category numbers of one record, a promise of a new array; arguments as of randomise, seed a Uint8Array, subtle of Web Crypto.
// With stages, what is remembered is drawn by the mechanism file stages.remembered, and then once more, by stages.every_wave, with random
// bytes from entropy: nothing keeps those.
async function memoised(mechanism, codes, seed, subtle, stages, entropy) {
  const kept = await remembered(stages ? Object.assign({}, stages.remembered, { sha256: mechanism.sha256 }) : mechanism, codes, seed, subtle);
  return stages ? randomise(stages.every_wave, kept, entropy) : kept;
}

async function remembered(mechanism, codes, seed, subtle) {
  const exhausted = new Error("more random bytes are needed");
  const key = await subtle.importKey("raw", seed, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const names = mechanism.attributes.map((attribute) => attribute.name);
  const released = Array.from(codes);
  for (const [number, group] of mechanism.randomization.entries()) {
    const places = group.attributes.map((name) => names.indexOf(name));
    const message = `${mechanism.sha256} ${number} ${places.map((place) => codes[place]).join(",")}`;
    const bytes = [];
    let drawn = null;
    while (drawn === null) {
      const block = new TextEncoder().encode(`${message} ${bytes.length / 32}`);
      bytes.push(...new Uint8Array(await subtle.sign("HMAC", key, block)));
      let used = 0;
      const entropy = (count) => {
        if (used + count > bytes.length) throw exhausted;
        used += count;
        return Uint8Array.from(bytes.slice(used - count, used));
      };
      try {
        drawn = randomise(Object.assign({}, mechanism, { randomization: [group] }), codes, entropy);
      } catch (error) {
        if (error !== exhausted) throw error;
      }
    }
    for (const place of places) released[place] = drawn[place];
  }
  return released;
}

// What the device remembers for one mechanism file, in a storage such as localStorage, which may refuse.
class Memory {
  constructor(storage, sha256) {
    this.storage = storage;
    this.name = `rr-workbench memory ${sha256}`;
  }

  // The seed; a new one from randomBytes(32) where there is none yet.
  seed(randomBytes) {
    const kept = this.storage.getItem(this.name);
    if (kept !== null && /^[0-9a-f]{64}$/.test(kept)) return Uint8Array.from(kept.match(/../g), (pair) => parseInt(pair, 16));
    const fresh = randomBytes(32);
    this.storage.setItem(this.name, Array.from(fresh, (byte) => byte.toString(16).padStart(2, "0")).join(""));
    return fresh;
  }

  forget() {
    this.storage.removeItem(this.name);
  }

  // Whether the storage keeps anything.
  works() {
    try {
      this.storage.setItem(`${this.name} test`, "1");
      this.storage.removeItem(`${this.name} test`);
      return true;
    } catch (_) {
      return false;
    }
  }
}

// The memory of this device for one mechanism file; null where its browser keeps nothing, or has no HMAC for this page.
function deviceMemory(sha256) {
  try {
    const memory = new Memory(localStorage, sha256);
    return crypto.subtle && memory.works() ? memory : null;
  } catch (_) {
    return null;
  }
}
