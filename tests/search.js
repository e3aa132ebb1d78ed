// What the search of the built site finds, by the site's own script: node search.js SITE WORD ... prints {WORD: [places, best first]}.
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [site, ...words] = process.argv.slice(2);
const workers = path.join(site, "assets", "javascripts", "workers");
const script = fs.readdirSync(workers).find((name) => /^search\..*\.js$/.test(name));
let listen, answered;
const worker = vm.createContext({
  console,
  addEventListener: (_, listener) => { listen = listener; },
  postMessage: (message) => answered(message),
});
worker.self = worker;
vm.runInContext(fs.readFileSync(path.join(workers, script), "utf8"), worker);
const ask = (type, data) => new Promise((resolve) => { answered = resolve; listen({ data: { type, data } }); });

(async () => {
  const index = JSON.parse(fs.readFileSync(path.join(site, "search", "search_index.json"), "utf8"));
  await ask(0, { ...index, options: { suggest: false } });
  const found = {};
  for (const word of words) {
    found[word] = (await ask(2, word)).data.items.map(([first]) => first.location);
  }
  console.log(JSON.stringify(found));
})();
