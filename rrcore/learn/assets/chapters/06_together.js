"use strict";

const Deck = {
  /** Shares of cards that replace two, three and four answers, from the state, which counts cards of 2,000. */
  many: ({ two, three, four }) => [two, three, four].map((cards) => cards / DOTS),
  shares: (state) => Maths.deck(lessonData.together.lies, lessonData.together.sizes, Deck.many(state)),
  possible: (state) => Math.min(...Deck.shares(state)) >= -1e-12,
  total: (state) => Maths.total(Deck.shares(state), lessonData.together.sizes),
  start: () => Deck.cards(Maths.independent(lessonData.together.lies)),
  /** The deck with the lowest ε of the whole record. */
  best() {
    const found = [0, 0, 0, 0, 0];
    lessonData.together.best.forEach((share, set) => (found[Maths.bits(set, 4).reduce((a, b) => a + b, 0)] += share));
    return Deck.cards(found.slice(2));
  },
  cards([two, three, four]) {
    const number = (share) => Number((share * DOTS).toFixed(6));
    return { two: number(two), three: number(three), four: number(four) };
  },
  /** The answers of one passenger before and after a card was dealt: the ``dealt``-th of the deck, by the sampler of the respondents' form. */
  deal(state) {
    const { names, categories } = lessonData.together, answers = [2, 0, 1, 0];
    const weight = (share) => String(Math.max(0, Math.round(1e6 * share)));
    const lies = Object.fromEntries(Array.from(Deck.shares(state), (share, set) => [Maths.bits(set, 4).join(""), weight(share)]));
    const mechanism = {
      attributes: names.map((name, i) => ({ name, categories: categories[i] })),
      randomization: [{ attributes: names, lies, uniform: "0" }],
    };
    return [answers, randomize(mechanism, answers, Chance.simulationEntropy(600 + state.dealt))];
  },
  /** Cards that replace none, one, ..., four answers. */
  numbers(state) {
    const found = [0, 0, 0, 0, 0];
    Deck.shares(state).forEach((share, set) => (found[Maths.bits(set, 4).reduce((a, b) => a + b, 0)] += share));
    return found;
  },
};

chapters.push({
  name: "together",
  fine: ["two", "three", "four"], // their numbers in the independent deck are not whole
  limits: { guess: [0, 50], two: [0, 300], three: [0, 250], four: [0, 120] },
  get defaults() {
    return (this.kept ??= { guess: 40, dealt: 1, ...Deck.start() });
  },

  /** Show the deck that the guess was about. */
  reveal: (state) => Object.assign(state, Deck.best()),

  play(ui) {
    const { floor, independent } = lessonData.together, named = (eps) => `ε\u00a0=\u00a0${Words.eps(eps)}`;
    const cards = (value) => `${Words.count(value)} of 2,000`;
    ui.predict(`How far can other cards lower the whole-record ε of ${Words.eps(independent)}, if each answer is unchanged as often?`, {
      text: (guess) => named((independent * guess) / 50),
      truth: () => floor,
      answer: named,
    });
    ui.revealed(() => {
      ui.slider("four", "Cards that replace all four", { text: cards });
      ui.slider("three", "Cards that replace three", { text: cards });
      ui.slider("two", "Cards that replace two", { text: cards });
      ui.text((state) => this.rest(state));
      ui.buttons(["Best deck", (state) => Object.assign(state, Deck.best())], ["Independent deck", (state) => Object.assign(state, Deck.start())]);
    });
    ui.text((state) => this.dealt(state));
    ui.buttons(["Deal a card", (state) => state.dealt++]);
  },

  dealt(state) {
    const { names, categories } = lessonData.together, [answers, sent] = Deck.deal(state);
    const record = (codes) => codes.map((code, i) => categories[i][code]).join(", ");
    const replaced = names.filter((_, i) => answers[i] !== sent[i]);
    const card = replaced.length ? `replaces ${Words.list(replaced)}` : "replaces nothing";
    return `Card ${state.dealt} ${card}: “${record(answers)}” becomes “${record(sent)}”.`;
  },

  rest(state) {
    if (!Deck.possible(state)) return "These cards replace an answer more often than its rate allows. Take some away.";
    const [none, one] = Deck.numbers(state).map((share) => Words.count(share * DOTS));
    return `The rates fix the rest: ${one} cards replace one answer, and ${none} replace nothing.`;
  },

  scene(state) {
    const shares = Array.from(Deck.shares(state), (share) => Math.max(0, share));
    const numbers = shares.map((_, set) => Maths.bits(set, 4).reduce((a, b) => a + b, 0));
    const by = [0, 0, 0, 0, 0];
    shares.forEach((share, set) => (by[numbers[set]] += share));
    const of = People.shared(by), total = Deck.total(state), { floor, independent } = lessonData.together;
    const counts = by.map((_, group) => of.reduce((sum, each) => sum + (each === group), 0));
    const places = [
      { x: 0.01, y: 0, w: 0.42, h: 0.7 }, { x: 0.46, y: 0, w: 0.31, h: 0.7 }, { x: 0.8, y: 0, w: 0.19, h: 0.31 },
      { x: 0.8, y: 0.32, w: 0.19, h: 0.21 }, { x: 0.8, y: 0.54, w: 0.19, h: 0.16 },
    ];
    const named = ["replace nothing", "replace one", "two", "three", "all four"];
    const at = (eps) => 0.03 + (0.94 * (Math.min(9, eps) - 3)) / 6;
    const marks = [
      ...axis(at, [3, 4, 5, 6, 7, 8, 9], 0.86),
      { line: [[at(floor), 0.83], [at(floor), 0.89]], tone: GREEN, thick: 4 },
      { text: `lower bound ${Words.eps(floor)}`, x: at(floor), y: 0.8 },
      { line: [[at(independent), 0.83], [at(independent), 0.89]], tone: ORANGE, thick: 3 },
      { text: `independent ${Words.eps(independent)}`, x: Math.min(0.84, at(independent)), y: 0.8 },
    ];
    if (state.revealed && Number.isFinite(total) && Deck.possible(state)) {
      marks.push({ line: [[at(total), 0.83], [at(total), 0.89]], tone: BLUE, thick: 7 });
      marks.push({ text: `whole-record ε of this deck: ${total.toFixed(2)}`, x: Math.min(0.7, Math.max(0.3, at(total))), y: 0.735, bold: true });
    }
    return {
      groups: places.map((place, i) => ({ ...place, title: `${Words.count(counts[i])} ${named[i]}` })),
      of,
      tone: Uint8Array.from(of, (group) => [FAINT, SKY, BLUE, PINK, ORANGE][group]),
      marks: state.revealed ? marks : [],
      legend: [[FAINT, "card replaces nothing"], [SKY, "replaces one"], [BLUE, "two"], [PINK, "three"], [ORANGE, "all four"]],
      about: `2,000 cards: ${counts.map((count, i) => `${count} ${named[i]}`).join(", ")}`,
    };
  },

  finding(state, { together }) {
    if (!Deck.possible(state)) return "There is no such deck. It would replace an answer more often than its rate allows.";
    const total = Deck.total(state);
    if (!Number.isFinite(total)) return "Some replacement never happens now, so a record can reveal a true answer. ε has no limit.";
    const [now, floor] = [total, together.floor].map((eps) => eps.toFixed(2)), [independent, one] = [together.independent, together.level].map(Words.eps);
    const rest = `A certificate proves that no deck gets below ${floor}. Each answer alone still has ε\u00a0=\u00a0${one}.`;
    if (Math.abs(total - together.independent) < 1e-4) return `Independent cards give a whole-record ε of ${independent}. ${rest}`;
    return `The whole-record ε is ${now} instead of ${independent}. ${rest}`;
  },

  link: () => "budget?table=titanic&epsilon=Class:2,Sex:2,Age:2,Survived:2&mechanism=optimal",
});
