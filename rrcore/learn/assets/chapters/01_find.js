"use strict";

chapters.push({
  name: "find",
  limits: { guess: [0, 100], known: [0, 127], her: [0, 19] },
  defaults: { guess: 10, known: 0, her: 0 },

  play(ui) {
    const { people } = lessonData, facts = people.names.length - 1;
    ui.predict("How many of 100 people share their seven answers with nobody?", {
      text: (guess) => `${guess} of 100`,
      truth: () => Math.round((100 * people.alone) / DOTS),
    });
    ui.revealed(() => {
      const one = (i) => (state) => `${people.names[i]}: ${this.answer(people.her[state.her], i)}`;
      ui.ticks("known", "Add facts that you know about her until one dot is left.", Array.from({ length: facts }, (_, i) => one(i)));
      ui.buttons(["Another woman", (state) => Object.assign(state, { her: (state.her + 1) % people.her.length, known: 0 })]);
    });
  },

  answer(person, i) {
    const { people } = lessonData;
    return people.categories[i][Number.parseInt(people.codes[i][person], 16)];
  },

  left(state) {
    const { people } = lessonData, her = people.her[state.her];
    const known = Maths.bits(state.known, 7).reverse().flatMap((bit, i) => (bit ? [i] : []));
    return Uint8Array.from({ length: DOTS }, (_, p) => Number(known.every((i) => people.codes[i][p] === people.codes[i][her])));
  },

  /** Who shares all seven answers with nobody. */
  alone() {
    const { codes } = lessonData.people, records = Array.from({ length: DOTS }, (_, p) => codes.slice(0, -1).map((each) => each[p]).join(""));
    const number = new Map();
    for (const record of records) number.set(record, (number.get(record) ?? 0) + 1);
    return Uint8Array.from(records, (record) => Number(number.get(record) === 1));
  },

  /** Everybody before a guess, and after it those who are alone. */
  everybody({ revealed }) {
    const alone = revealed ? (this.only ??= this.alone()) : People.all(), number = alone.reduce((a, b) => a + b, 0);
    const [left, right] = [0.62, 0.3];
    return {
      groups: revealed
        ? [
            { x: 0.02, y: 0, w: left, h: 1, title: `${Words.count(number)} share their answers with nobody` },
            { x: 0.98 - right, y: 0, w: right, h: 1, title: `${Words.count(DOTS - number)} share theirs with others` },
          ]
        : [{ x: 0.02, y: 0, w: 0.96, h: 1, title: "2,000 people without names" }],
      of: revealed ? Uint8Array.from(alone, (each) => 1 - each) : People.all(),
      tone: Uint8Array.from(alone, (each) => (each ? ORANGE : BLUE)),
      about: revealed ? `${number} of 2,000 people share their seven answers with nobody` : "2,000 people as equal dots",
    };
  },

  scene(state) {
    if (!state.known || !state.revealed) return this.everybody(state);
    const fits = this.left(state);
    const number = fits.reduce((a, b) => a + b, 0);
    return {
      groups: [
        { x: 0.02, y: 0, w: 0.36, h: 1, title: number === 1 ? "This is her" : `${Words.count(number)} could be her` },
        { x: 0.44, y: 0, w: 0.54, h: 1, title: `${Words.count(DOTS - number)} cannot` },
      ],
      of: Uint8Array.from(fits, (fit) => 1 - fit),
      tone: Uint8Array.from(fits, (fit) => (fit ? (number === 1 ? ORANGE : BLUE) : FAINT)),
      about: `${Words.count(number)} of 2,000 people fit what is known and are shown apart from the others`,
    };
  },

  finding(state, { people }) {
    const number = this.left(state).reduce((a, b) => a + b, 0);
    const facts = Maths.bits(state.known, 7).reduce((a, b) => a + b, 0);
    if (!facts) return `${Math.round((100 * people.alone) / DOTS)} of 100 people share their seven answers with nobody. Removing the names does not hide them. Now find one.`;
    const known = facts === 1 ? "one fact" : `${facts} facts`;
    if (number > 1) return `You know ${known}, and ${Words.count(number)} of 2,000 people could be her.`;
    const last = people.names.length - 1;
    return `You know ${known} and no name, but only one dot is left. Her income is ${this.answer(people.her[state.her], last)}.`;
  },

  link: () => "budget?table=census",
});
