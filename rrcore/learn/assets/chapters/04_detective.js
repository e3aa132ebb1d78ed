"use strict";

const CASES = 20;

chapters.push({
  name: "detective",
  limits: { guess: [10, 20], told: [55, 95], seed: [1, 999] },
  defaults: { guess: 18, told: 75, seed: 1, played: "" },

  play(ui) {
    ui.predict("Of 20 answers, how many can the best detective get right, in the long run?", {
      text: (guess) => `${guess} of 20`,
      truth: (state) => (CASES * state.told) / 100,
    });
    ui.revealed(() => {
      ui.text((state) => this.told(state));
      const open = (state) => state.played.length < CASES;
      ui.buttons(
        ["Has done it", (state) => (state.played += "1"), open],
        ["Has not", (state) => (state.played += "0"), open],
        ["Believe every report", (state) => (state.played = this.cases(state).reduce((all, [, sent], i) => all + (state.played[i] ?? sent), "")), open],
      );
      ui.buttons(["Twenty new answers", (state) => Object.assign(state, { seed: (state.seed % 999) + 1, played: "" })]);
      ui.slider("told", "Phone sends the truth", { text: (value) => `${value} times in 100`, step: 5 });
    });
  },

  told(state) {
    const at = state.played.length, cases = this.cases(state);
    if (at === CASES) return "All twenty are solved.";
    const last = at ? `Answer ${at} ${this.right(state)[at - 1] ? "was as you said" : "was otherwise"}. ` : "";
    return `${last}Answer ${at + 1} of 20: the phone sent “${cases[at][1] ? "yes" : "no"}”. What is true?`;
  },

  /** Twenty people, half of whom have done it, and what their phones sent: [truth, sent]. */
  cases(state) {
    if (this.dealt?.seed !== state.seed || this.dealt.told !== state.told) {
      const entropy = Chance.simulationEntropy(state.seed);
      const all = Array.from({ length: CASES }, () => {
        const truth = entropy(1)[0] & 1;
        return [truth, Chance.sent(state.told, truth, entropy)];
      });
      this.dealt = { seed: state.seed, told: state.told, all };
    }
    return this.dealt.all;
  },

  right(state) {
    return this.cases(state).map(([truth], i) => Number(state.played[i] === String(truth)));
  },

  scene(state) {
    const right = this.right(state), at = state.played.length, over = at === CASES && state.revealed;
    const of = new Uint8Array(DOTS), tone = new Uint8Array(DOTS);
    const honest = People.truthful(new Uint8Array(DOTS), state.told / 100);
    for (let i = 0; i < DOTS; i++) [of[i], tone[i]] = over ? [honest[i] ? 3 : 4, honest[i] ? BLUE : PINK] : [3, FAINT];
    for (let i = 0; i < CASES; i++) {
      const dot = i * 97;
      [of[dot], tone[dot]] = i < at ? (right[i] ? [1, BLUE] : [2, PINK]) : [0, FAINT];
    }
    const solved = right.slice(0, at).reduce((a, b) => a + b, 0);
    const groups = [
      { x: 0.02, y: 0, w: 0.3, h: 0.17, title: `${CASES - at} open` },
      { x: 0.36, y: 0, w: 0.3, h: 0.17, title: `${solved} right` },
      { x: 0.7, y: 0, w: 0.28, h: 0.17, title: `${at - solved} wrong` },
    ];
    const others = "1,980 others, who believe every report";
    groups.push(
      over
        ? { x: 0.02, y: 0.2, w: 0.64, h: 0.8, title: `${others}: ${state.told} of 100 right` }
        : { x: 0.02, y: 0.2, w: 0.96, h: 0.8, title: "1,980 others, who will believe every report" },
      { x: 0.7, y: 0.2, w: 0.28, h: 0.8, title: over ? "wrong" : "" },
    );
    return {
      groups, of, tone,
      legend: [[BLUE, "guessed right"], [PINK, "guessed wrong"], [FAINT, "not guessed yet"]],
      about: `${solved} guessed right, ${at - solved} wrong, ${CASES - at} open`,
    };
  },

  finding(state) {
    const solved = this.right(state).slice(0, state.played.length).reduce((a, b) => a + b, 0);
    const law = `Nobody gets more than ${state.told} of 100 right in the long run: the rate of truth`;
    const level = `that is what a level of ${levelOf(state.told).toFixed(2)} means, odds up to ${Words.times(levelOf(state.told))}`;
    return state.played.length < CASES ? `${law}. Try it.` : `You got ${solved} of 20. ${law}; ${level}.`;
  },

  link: (state) => `budget?table=titanic&levels=Survived:${said(levelOf(state.told))}`,
});
