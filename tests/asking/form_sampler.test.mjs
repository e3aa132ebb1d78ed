// The form's sampler on the shared vectors: node --test tests/asking/form_sampler.test.mjs
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { runInThisContext } from "node:vm";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
runInThisContext(read("../../rrcore/asking/assets/sampler.js"));
const vectors = JSON.parse(read("form_vectors.json"));

test("every case is reproduced and uses exactly its bytes", () => {
  assert.ok(vectors.cases.length > 400);
  for (const { mechanism, codes, bytes, released } of vectors.cases) {
    const given = Uint8Array.from(Buffer.from(bytes, "hex"));
    const before = [...codes];
    let used = 0;
    const entropy = (count) => given.subarray(used, (used += count));
    assert.deepEqual(randomize(vectors.mechanisms[mechanism], codes, entropy), released);
    assert.equal(used, given.length);
    assert.deepEqual(codes, before);
  }
});

test("too few bytes are refused", () => {
  assert.throws(() => randomize(vectors.mechanisms[0], [0, 0, 0], () => new Uint8Array(0)), RangeError);
});

test("a record that is not one category of each attribute is refused", () => {
  const entropy = (count) => new Uint8Array(count);
  for (const codes of [[], [0, 0], [0, 0, 5], [0, -1, 0], [0, 0.5, 0], [0, "1", 0], [0, 0, 0, 0]]) {
    assert.throws(() => randomize(vectors.mechanisms[0], codes, entropy), RangeError);
  }
});
