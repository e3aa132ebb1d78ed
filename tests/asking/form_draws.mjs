// Reads {mechanism, codes, draws} and writes how often each record was released, with real random bytes.
import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

runInThisContext(readFileSync(new URL("../../rrcore/asking/assets/sampler.js", import.meta.url), "utf8"));
const { mechanism, codes, draws } = JSON.parse(readFileSync(0, "utf8"));
const entropy = (count) => webcrypto.getRandomValues(new Uint8Array(count));
const counts = {};
for (let draw = 0; draw < draws; draw++) {
  const released = randomize(mechanism, codes, entropy).join(",");
  counts[released] = (counts[released] || 0) + 1;
}
process.stdout.write(JSON.stringify(counts));
