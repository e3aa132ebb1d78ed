// Answers questions about the lesson's scripts: reads [[name, function, arguments], ...] as JSON, prints what each returns.
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

const scripts = ["asking/assets/sampler.js", "learn/assets/maths.js", "learn/assets/words.js", "learn/assets/chance.js"];
for (const name of scripts) runInThisContext(readFileSync(new URL(`../../rrcore/${name}`, import.meta.url), "utf8"));
const rooms = runInThisContext("({ Maths, Words, Chance })");

const plain = (value) => (ArrayBuffer.isView(value) ? Array.from(value) : value === Infinity ? "infinite" : value);
const bytesOf = (hex) => {
  let used = 0;
  const all = Uint8Array.from(Buffer.from(hex, "hex"));
  return (count) => all.subarray(used, (used += count));
};
const asked = JSON.parse(readFileSync(0, "utf8"));
const answers = asked.map(([room, name, given]) => {
  if (name === "recorded") return Chance.recorded(given[0], given[1], bytesOf(given[2]));
  if (name === "simulationEntropy") return plain(Chance.simulationEntropy(given[0])(given[1]));
  return plain(rooms[room][name](...given));
});
console.log(JSON.stringify(answers));
