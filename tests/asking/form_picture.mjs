// Reads mechanisms of one attribute and counts, by the form's sampler on every possible draw, how often each true answer gives each report.
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

runInThisContext(readFileSync(new URL("../../rrcore/asking/assets/sampler.js", import.meta.url), "utf8"));
const counted = JSON.parse(readFileSync(0, "utf8")).map((mechanism) => {
  const whole = mechanism.randomization[0].matrix[0].map(Number).reduce((sum, weight) => sum + weight, 0);
  const width = Math.ceil((whole - 1).toString(2).length / 8);
  return mechanism.attributes[0].categories.map((_, code) => {
    const reports = mechanism.attributes[0].categories.map(() => 0);
    for (let draw = 0; draw < whole; draw++) {
      const bytes = Uint8Array.from({ length: width }, (_, i) => (draw >> (8 * (width - 1 - i))) & 255);
      reports[randomise(mechanism, [code], () => bytes)[0]]++;
    }
    return reports;
  });
});
process.stdout.write(JSON.stringify(counted));
