// Reads mechanisms of one attribute and counts, by the form's sampler on every possible draw, how often each true answer gives each report.
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

runInThisContext(readFileSync(new URL("../../rrcore/asking/assets/sampler.js", import.meta.url), "utf8"));
const counted = JSON.parse(readFileSync(0, "utf8")).map((mechanism) => {
  const [group] = mechanism.randomization;
  const weights = group.matrix ? group.matrix[0] : Object.values(group.lies);
  const size = mechanism.attributes[0].categories.length;
  const whole = weights.map(Number).reduce((sum, weight) => sum + weight, 0);
  const bytes = (value, count) => Uint8Array.from({ length: count }, (_, i) => (value >> (8 * (count - 1 - i))) & 255);
  return mechanism.attributes[0].categories.map((_, code) => {
    const reports = mechanism.attributes[0].categories.map(() => 0);
    for (let draw = 0; draw < whole; draw++) {
      const others = group.matrix ? 1 : size - 1; // which of the other answers is a second draw
      for (let other = 0; other < others; other++) {
        let first = true;
        const entropy = (count) => {
          const given = bytes(first ? draw : other, count);
          first = false;
          return given;
        };
        reports[randomize(mechanism, [code], entropy)[0]]++;
      }
    }
    return reports;
  });
});
process.stdout.write(JSON.stringify(counted));
