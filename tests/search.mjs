// Print the first page that the site's own search finds for each query: node search.mjs SITE QUERY...
import { readdirSync, readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

const [site, ...queries] = process.argv.slice(2);
const workers = `${site}/assets/javascripts/workers`;
const script = readdirSync(workers).find((name) => /^search\..*\.js$/.test(name));
const index = JSON.parse(readFileSync(`${site}/search/search_index.json`, "utf-8"));

let receive, answered;
globalThis.self = globalThis;
globalThis.addEventListener = (_, listener) => (receive = listener);
globalThis.postMessage = (message) => answered(message);
runInThisContext(readFileSync(`${workers}/${script}`, "utf-8"));

const ask = (type, data) =>
  new Promise((resolve) => {
    answered = resolve;
    receive({ data: { type, data } });
  });

await ask(0, { config: index.config, docs: index.docs, options: {} });
for (const query of queries) {
  const { data } = await ask(2, query);
  console.log(data.items.length ? data.items[0][0].location.split("#")[0] : "");
}
