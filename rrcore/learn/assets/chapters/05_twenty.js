"use strict";

chapters.push({
  name: "twenty",
  limits: { guess: [50, 100], k: [1, 20], unchanged: [55, 95], way: ["each", "shared"] },
  defaults: { guess: 75, k: 20, unchanged: 75, way: "each" },

  play(ui) {
    ui.predict("How many of 100 people does an attacker guess right after twenty questions about one secret?", {
      text: (guess) => `${guess} of 100`,
      truth: (state) => Math.round(100 * this.right(state)),
    });
    ui.revealed(() => {
      ui.slider("k", "Questions about the same secret", {});
      ui.slider("unchanged", "One answer unchanged", { text: (value) => `${value}%` });
      ui.choice("way", "Each question gets", [
        ["each", "the whole ε"],
        ["shared", "an equal part of one ε"],
      ]);
    });
  },

  truth: (state) => (state.way === "each" ? state.unchanged / 100 : Maths.unchanged(epsilonOf(state.unchanged) / state.k)),

  right(state) {
    return Maths.majority(state.k, this.truth(state));
  },

  total: (state) => epsilonOf(state.unchanged) * (state.way === "each" ? state.k : 1),

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
      about: `${number} of 2,000 people are guessed right after ${shown.k === 1 ? "one question" : `${shown.k} questions`}`,
    };
  },

  finding(state) {
    const [one, all] = [epsilonOf(state.unchanged), this.total(state)].map((eps) => `ε\u00a0=\u00a0${Words.eps(eps)}`), right = Words.of(this.right(state));
    if (state.way === "shared") {
      const truth = Words.percent(this.truth(state), 1);
      return `Each of the ${state.k} answers is unchanged with probability ${truth}. The whole record stays at ${all}, and an attacker guesses ${right} people right.`;
    }
    if (state.k === 1) return `After one question with ${one}, an attacker guesses ${right} people right.`;
    return `Each answer has only ${one}, but the whole record of ${state.k} has ${all}. An attacker guesses ${right} people right.`;
  },

  link(state) {
    const eps = said(epsilonOf(state.unchanged));
    return `budget?table=titanic&epsilon=${["Class", "Sex", "Age", "Survived"].map((name) => `${name}:${eps}`).join(",")}&mechanism=independent`;
  },
});
