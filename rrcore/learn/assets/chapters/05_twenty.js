"use strict";

chapters.push({
  name: "twenty",
  limits: { guess: [50, 100], k: [1, 20], told: [55, 95], way: ["each", "shared"] },
  defaults: { guess: 75, k: 20, told: 75, way: "each" },

  play(ui) {
    ui.predict("After twenty questions about one secret, how many of 100 people does the observer guess right?", {
      text: (guess) => `${guess} of 100`,
      truth: (state) => Math.round(100 * this.right(state)),
    });
    ui.revealed(() => {
      ui.slider("k", "Questions about the same secret", {});
      ui.slider("told", "One answer sends the truth", { text: (value) => `${value} times in 100` });
      ui.choice("way", "Each question gets", [
        ["each", "the whole level"],
        ["shared", "its part of one level"],
      ]);
    });
  },

  truth: (state) => (state.way === "each" ? state.told / 100 : Maths.told(levelOf(state.told) / state.k)),

  right(state) {
    return Maths.majority(state.k, this.truth(state));
  },

  total: (state) => levelOf(state.told) * (state.way === "each" ? state.k : 1),

  scene(state) {
    const shown = state.revealed ? state : { ...state, k: 1, way: "each" };
    const right = this.right(shown), of = People.shared([right, 1 - right]);
    const number = of.reduce((sum, group) => sum + (group === 0), 0);
    return {
      groups: [
        { x: 0.02, y: 0, w: 0.62, h: 1, title: `${Words.count(number)} guessed right after ${shown.k === 1 ? "one question" : `${shown.k} questions`}` },
        { x: 0.7, y: 0, w: 0.28, h: 1, title: `${Words.count(DOTS - number)} wrong` },
      ],
      of,
      tone: Uint8Array.from(of, (group) => (group ? FAINT : PINK)),
      legend: [[PINK, "secret guessed right"], [FAINT, "guessed wrong"]],
      about: `${number} of 2,000 people are guessed right after ${shown.k} questions`,
    };
  },

  finding(state) {
    const one = Words.times(levelOf(state.told)), all = Words.times(this.total(state)), right = Words.of(this.right(state));
    if (state.way === "shared") {
      const truth = Words.percent(this.truth(state), 1);
      return `One level for all: each of the ${state.k} answers is true ${truth} of the time, the whole record stays at ${all}, and ${right} are guessed right.`;
    }
    if (state.k === 1) return `One question at ${one}: ${right} are guessed right.`;
    return `Each answer alone only ${one}; the whole record of ${state.k} up to ${all}: ${right} are guessed right.`;
  },

  link(state) {
    const level = said(levelOf(state.told));
    return `budget?table=titanic&levels=${["Class", "Sex", "Age", "Survived"].map((name) => `${name}:${level}`).join(",")}&mechanism=kronecker`;
  },
});
