// Reads a list of {mechanism, codes, seed} and writes what memory.js makes of each, twice with the same memory and once after it forgot.
import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

for (const name of ["sampler.js", "memory.js"]) {
  const source = readFileSync(new URL(`../../rrcore/asking/assets/${name}`, import.meta.url), "utf8");
  runInThisContext(name === "memory.js" ? `${source}\nglobalThis.Memory = Memory; globalThis.memoised = memoised;` : source);
}
const store = new Map();
const storage = {
  getItem: (name) => store.get(name) ?? null,
  setItem: (name, value) => store.set(name, value),
  removeItem: (name) => store.delete(name),
};
const released = [];
for (const { mechanism, codes, seed, stages, entropy } of JSON.parse(readFileSync(0, "utf8"))) {
  const memory = new Memory(storage, mechanism.sha256);
  const first = memory.seed(() => Uint8Array.from(Buffer.from(seed, "hex")));
  const again = memory.seed(() => {
    throw new Error("a seed that is kept is not drawn again");
  });
  const bytes = Buffer.from(entropy ?? "", "hex");
  let used = 0;
  const given = (count) => Uint8Array.from(bytes.subarray(used, (used += count)));
  const once = await memoised(mechanism, codes, first, webcrypto.subtle, stages, given);
  const twice = await memoised(mechanism, codes, again, webcrypto.subtle, stages, given);
  const kept = [...store.entries()];
  memory.forget();
  released.push({ once, twice, kept, left: store.size, works: memory.works() });
}
const refusing = { getItem: () => null, setItem: () => { throw new Error("full"); }, removeItem: () => {} };
process.stdout.write(JSON.stringify({ released, refusing: new Memory(refusing, "x").works() }));
