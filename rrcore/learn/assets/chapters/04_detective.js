"use strict";

const CASES = 20;

chapters.push({
  name: "detective",
  limits: { guess: [10, 20], unchanged: [55, 95], seed: [1, 999] },
  defaults: { guess: 18, unchanged: 75, seed: 1, played: "" },

  play(ui) {
    ui.predict("How many of 20 answers does the best detective guess right on average?", {
      text: (guess) => `${guess} of 20`,
      truth: (state) => (CASES * state.unchanged) / 100,
    });
    ui.revealed(() => {
      ui.text((state) => this.next(state));
      const open = (state) => state.played.length < CASES;
      ui.buttons(
        ["Has done it", (state) => (state.played += "1"), open],
        ["Has not", (state) => (state.played += "0"), open],
        ["Believe the rest", (state) => (state.played = this.cases(state).reduce((all, [, sent], i) => all + (state.played[i] ?? sent), "")), open],
      );
      ui.buttons(["Twenty new answers", (state) => Object.assign(state, { seed: (state.seed % 999) + 1, played: "" })]);
      ui.slider("unchanged", "Answers unchanged", { text: (value) => `${value}%`, step: 5 });
    });
  },

  next(state) {
    const at = state.played.length, cases = this.cases(state);
    if (at === CASES) return "You have guessed all twenty.";
    const last = at ? `Guess ${at} was ${this.right(state)[at - 1] ? "right" : "wrong"}. ` : "";
    return `${last}Answer ${at + 1} of 20 is recorded as “${cases[at][1] ? "yes" : "no"}”. Has this person done it?`;
  },

  /** Twenty people, each with even odds of having done it, and the recorded answers: [truth, recorded]. */
  cases(state) {
    if (this.dealt?.seed !== state.seed || this.dealt.unchanged !== state.unchanged) {
      const entropy = Chance.simulationEntropy(state.seed);
      const all = Array.from({ length: CASES }, () => {
        const truth = entropy(1)[0] & 1;
        return [truth, Chance.recorded(state.unchanged, truth, entropy)];
      });
      this.dealt = { seed: state.seed, unchanged: state.unchanged, all };
    }
    return this.dealt.all;
  },

  right(state) {
    return this.cases(state).map(([truth], i) => Number(state.played[i] === String(truth)));
  },

  scene(state) {
    const right = this.right(state), at = state.played.length, over = at === CASES && state.revealed;
    const of = new Uint8Array(DOTS), tone = new Uint8Array(DOTS);
    const honest = People.truthful(new Uint8Array(DOTS), state.unchanged / 100);
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
    const others = "1,980 other people, guessed by the recorded answer";
    groups.push(
      over
        ? { x: 0.02, y: 0.2, w: 0.64, h: 0.8, title: `${others}: ${state.unchanged} of 100 right` }
        : { x: 0.02, y: 0.2, w: 0.96, h: 0.8, title: "1,980 other people" },
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
    const eps = epsilonOf(state.unchanged);
    const law = `Nobody guesses more than ${state.unchanged} of 100 right in the long run.`;
    const meaning = `ε\u00a0=\u00a0${Words.eps(eps)} means just that: the odds change by at most ${Words.factor(eps)}.`;
    return state.played.length < CASES ? `${law} Try it.` : `You guessed ${solved} of 20 right. ${law} ${meaning}`;
  },

  link: (state) => `budget?table=titanic&epsilon=Survived:${said(epsilonOf(state.unchanged))}`,
});
