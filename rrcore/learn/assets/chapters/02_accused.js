"use strict";

chapters.push({
  name: "accused",
  limits: { guess: [0, 100], share: [1, 60], unchanged: [55, 99] },
  defaults: { guess: 75, share: 10, unchanged: 75 },

  play(ui) {
    ui.predict("How many of 100 people with a recorded “yes” have done it?", {
      text: (guess) => `${guess} of 100`,
      truth: (state) => Math.round(100 * this.meant(state)),
    });
    ui.revealed(() => {
      ui.slider("share", "Have done it", { text: (value) => `${value}%` });
      ui.slider("unchanged", "Answers unchanged", { text: (value) => `${value}%` });
    });
  },

  meant: (state) => Maths.meant(state.share / 100, state.unchanged / 100),

  scene(state) {
    const done = People.done(state.share / 100), honest = People.truthful(done, state.unchanged / 100);
    const yes = Uint8Array.from(done, (each, i) => (honest[i] ? each : 1 - each));
    const number = yes.reduce((a, b) => a + b, 0), meant = yes.reduce((sum, each, i) => sum + (each && done[i]), 0);
    const left = Math.min(0.7, Math.max(0.3, 0.08 + (0.84 * number) / DOTS));
    return {
      groups: [
        { x: 0.01, y: 0, w: left - 0.03, h: 1, title: `${Words.count(number)} recorded “yes”` },
        { x: left + 0.02, y: 0, w: 0.97 - left, h: 1, title: `${Words.count(DOTS - number)} recorded “no”` },
      ],
      of: Uint8Array.from(yes, (each) => 1 - each),
      tone: Uint8Array.from(done, (each) => (state.revealed ? (each ? ORANGE : FAINT) : BLUE)),
      legend: state.revealed
        ? [
            [ORANGE, "has done it"],
            [FAINT, "has not"],
          ]
        : [[BLUE, "nobody can see which “yes” is true"]],
      about: state.revealed
        ? `${meant} of ${number} people with a recorded yes have done it`
        : `${number} recorded yes, ${DOTS - number} recorded no`,
    };
  },

  finding(state) {
    const meant = this.meant(state), eps = epsilonOf(state.unchanged);
    const others = Maths.meant(state.share / 100, 1 - state.unchanged / 100);
    return (
      `${Words.of(meant)} people with a recorded “yes” have done it, and ${Words.of(others)} with a recorded “no”. ` +
      `A recorded answer changes the odds by at most ${Words.factor(eps)} (ε\u00a0=\u00a0${Words.eps(eps)}).`
    );
  },

  link: (state) => `?unchanged=${state.unchanged}&asked=2,201`,
});
