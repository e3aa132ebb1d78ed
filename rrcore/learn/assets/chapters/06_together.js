"use strict";

const Deck = {
  /** Shares of cards that replace two, three and four answers, as the state says them: in cards of 2,000. */
  many: ({ two, three, four }) => [two, three, four].map((cards) => cards / DOTS),
  shares: (state) => Maths.deck(lessonData.together.lies, lessonData.together.sizes, Deck.many(state)),
  possible: (state) => Math.min(...Deck.shares(state)) >= -1e-12,
  total: (state) => Maths.total(Deck.shares(state), lessonData.together.sizes),
  start() {
    const [two, three, four] = Maths.independent(lessonData.together.lies).map((share) => Number((share * DOTS).toFixed(6)));
    return { two, three, four };
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
    return [answers, randomise(mechanism, answers, Chance.simulationEntropy(600 + state.dealt))];
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
  fine: ["two", "three", "four"], // their numbers in independent cards are no whole ones
  limits: { guess: [0, 50], two: [0, 300], three: [0, 250], four: [0, 120] },
  get defaults() {
    return (this.kept ??= { guess: 40, dealt: 1, ...Deck.start() });
  },

  play(ui) {
    const { floor_text: floor } = lessonData.together;
    const cards = (value) => `${Words.count(value)} of 2,000`;
    ui.predict(`Other cards, each answer replaced as often: how far down can ×\u00a0${lessonData.together.independent_text} go?`, {
      text: (guess) => `×\u00a0${Words.count(Number((2990 ** (guess / 50)).toPrecision(2)))}`,
      truth: () => floor,
      answer: (found) => `×\u00a0${found}`,
    });
    ui.revealed(() => {
      ui.slider("four", "Cards that replace all four", { text: cards });
      ui.slider("three", "Cards that replace three", { text: cards });
      ui.slider("two", "Cards that replace two", { text: cards });
      ui.text((state) => this.rest(state));
      ui.buttons(["Independent again", (state) => Object.assign(state, Deck.start())]);
    });
    ui.text((state) => this.dealt(state));
    ui.buttons(["Deal a card", (state) => state.dealt++]);
  },

  dealt(state) {
    const { names, categories } = lessonData.together, [answers, sent] = Deck.deal(state);
    const record = (codes) => codes.map((code, i) => categories[i][code]).join(", ");
    const replaced = names.filter((_, i) => answers[i] !== sent[i]);
    const card = replaced.length ? `replaces ${Words.list(replaced)}` : "replaces nothing";
    return `Card ${state.dealt} ${card}: “${record(answers)}” is sent as “${record(sent)}”.`;
  },

  rest(state) {
    if (!Deck.possible(state)) return "So many cards replace an answer more often than its rate allows: take some away.";
    const [none, one] = Deck.numbers(state).map((share) => Words.count(share * DOTS));
    return `The rest follows from the rates: ${one} cards replace one answer, ${none} none.`;
  },

  scene(state) {
    const shares = Array.from(Deck.shares(state), (share) => Math.max(0, share));
    const numbers = shares.map((_, set) => Maths.bits(set, 4).reduce((a, b) => a + b, 0));
    const by = [0, 0, 0, 0, 0];
    shares.forEach((share, set) => (by[numbers[set]] += share));
    const of = People.shared(by), total = Deck.total(state), { floor, independent } = lessonData.together;
    const counts = by.map((_, group) => of.reduce((sum, each) => sum + (each === group), 0));
    const places = [
      { x: 0.01, y: 0, w: 0.42, h: 0.75 }, { x: 0.46, y: 0, w: 0.31, h: 0.75 }, { x: 0.8, y: 0, w: 0.19, h: 0.33 },
      { x: 0.8, y: 0.34, w: 0.19, h: 0.24 }, { x: 0.8, y: 0.59, w: 0.19, h: 0.16 },
    ];
    const told = ["replace nothing", "replace one", "two", "three", "all four"];
    const at = (eps) => 0.03 + (0.94 * (Math.min(9, eps) - 3)) / 6;
    const marks = [
      { line: [[0.03, 0.89], [0.97, 0.89]], thick: 2 },
      { line: [[at(floor), 0.85], [at(floor), 0.92]], tone: GREEN, thick: 4 },
      { text: `floor ${Words.times(floor)}`, x: at(floor), y: 0.985, tone: 1 },
      { line: [[at(independent), 0.86], [at(independent), 0.92]], tone: ORANGE, thick: 3 },
      { text: `independent ${Words.times(independent)}`, x: Math.min(0.84, at(independent)), y: 0.985, tone: 1 },
    ];
    if (state.revealed && Number.isFinite(total) && Deck.possible(state)) {
      marks.push({ line: [[at(total), 0.84], [at(total), 0.93]], tone: BLUE, thick: 7 });
      marks.push({ text: `whole record ${Words.times(total)}`, x: Math.min(0.83, Math.max(0.17, at(total))), y: 0.8, bold: true });
    }
    return {
      groups: places.map((place, i) => ({ ...place, title: `${Words.count(counts[i])} ${told[i]}` })),
      of,
      tone: Uint8Array.from(of, (group) => [FAINT, SKY, BLUE, PINK, ORANGE][group]),
      marks: state.revealed ? marks : [],
      legend: [[FAINT, "card leaves all four answers as they are"], [SKY, "replaces one"], [BLUE, "two"], [PINK, "three"], [ORANGE, "all four"]],
      about: `2,000 cards: ${counts.map((count, i) => `${count} ${told[i]}`).join(", ")}`,
    };
  },

  finding(state, { together }) {
    if (!Deck.possible(state)) return "There is no such deck: an answer would be replaced more often than its rate of truth allows.";
    const total = Deck.total(state);
    if (!Number.isFinite(total)) return "Some replacement never happens now. Whoever sees one knows that it is true: the odds have no limit.";
    const rates = `with the same rates of truth, each answer alone still ${Words.times(together.level)}`;
    if (total <= together.floor + 0.03) {
      return `${Words.times(total)}: practically the floor. No deck gets below ${Words.times(together.floor)}, which is certified, ${rates}.`;
    }
    if (Math.abs(total - together.independent) < 1e-4) {
      return `Independent cards: the whole record shifts odds up to ${Words.times(total)}. The floor is ${Words.times(together.floor)}, ${rates}.`;
    }
    return `Whole record: ${Words.times(total)} in place of ${Words.times(together.independent)}, ${rates}. The floor is ${Words.times(together.floor)}.`;
  },

  link: () => "budget?table=titanic&levels=Class:2,Sex:2,Age:2,Survived:2&mechanism=optimal",
});
