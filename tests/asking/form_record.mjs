// Reads a list of {mechanism, more} and writes the line for every report of every attribute, the others being reported as their first.
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

for (const name of ["sampler.js", "record.js"]) {
  runInThisContext(readFileSync(new URL(`../../rrcore/asking/assets/${name}`, import.meta.url), "utf8"));
}
const found = JSON.parse(readFileSync(0, "utf8")).map(({ mechanism, more }) =>
  mechanism.attributes.flatMap((attribute, i) =>
    (attribute.reports || attribute.categories).map((_, code) =>
      recordLine(mechanism, mechanism.attributes.map((_, j) => (j === i ? code : 0)), more),
    ),
  ),
);
process.stdout.write(JSON.stringify(found));
