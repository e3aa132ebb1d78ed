// Prints where each chapter's link to the dashboard leads: reads {data, states: [[chapter, state], ...]} as JSON.
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

const { data, states } = JSON.parse(readFileSync(0, "utf8"));
globalThis.lessonData = data;
const assets = new URL("../../rrcore/learn/assets/", import.meta.url);
const own = ["find", "accused", "bet", "detective", "twenty", "together", "friend", "berkeley", "cheat", "trust"];
const names = ["maths.js", "words.js", "chance.js", "crowd.js", "chapters/common.js"];
names.push(...own.map((name, i) => `chapters/${String(i + 1).padStart(2, "0")}_${name}.js`));
for (const name of names) runInThisContext(readFileSync(new URL(name, assets), "utf8"));
const chapters = runInThisContext("chapters");
console.log(JSON.stringify(states.map(([chapter, state]) => chapters[chapter].link({ ...chapters[chapter].defaults, ...state }))));
