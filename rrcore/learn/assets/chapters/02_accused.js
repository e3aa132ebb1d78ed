"use strict";

chapters.push({
  name: "accused",
  limits: { guess: [0, 100], share: [1, 60], told: [55, 99] },
  defaults: { guess: 75, share: 10, told: 75 },

  play(ui) {
    ui.predict("Of 100 people who sent “yes”, how many have done it?", {
      text: (guess) => `${guess} of 100`,
      truth: (state) => Math.round(100 * this.meant(state)),
    });
    ui.revealed(() => {
      ui.slider("share", "Have done it", { text: (value) => `${value} of 100` });
      ui.slider("told", "Phone sends the truth", { text: (value) => `${value} times in 100` });
    });
  },

  meant: (state) => Maths.meant(state.share / 100, state.told / 100),

  scene(state) {
    const done = People.done(state.share / 100), honest = People.truthful(done, state.told / 100);
    const yes = Uint8Array.from(done, (each, i) => (honest[i] ? each : 1 - each));
    const number = yes.reduce((a, b) => a + b, 0), meant = yes.reduce((sum, each, i) => sum + (each && done[i]), 0);
    const left = Math.min(0.7, Math.max(0.3, 0.08 + (0.84 * number) / DOTS));
    return {
      groups: [
        { x: 0.01, y: 0, w: left - 0.03, h: 1, title: `${Words.count(number)} sent “yes”` },
        { x: left + 0.02, y: 0, w: 0.97 - left, h: 1, title: `${Words.count(DOTS - number)} sent “no”` },
      ],
      of: Uint8Array.from(yes, (each) => 1 - each),
      tone: Uint8Array.from(done, (each) => (state.revealed ? (each ? ORANGE : FAINT) : BLUE)),
      legend: state.revealed
        ? [
            [ORANGE, "has done it"],
            [FAINT, "has not"],
          ]
        : [[BLUE, "nobody can see who has done it"]],
      about: state.revealed
        ? `Of ${number} people who sent yes, ${meant} have done it`
        : `${number} people sent yes, ${DOTS - number} sent no`,
    };
  },

  finding(state) {
    const meant = this.meant(state), eps = levelOf(state.told);
    const others = Maths.meant(state.share / 100, 1 - state.told / 100);
    return (
      `Of 100 who sent “yes”, ${Math.round(100 * meant)} have done it; of 100 who sent “no”, ${Words.of(others).replace(" of 100", "")}. ` +
      `A report is no admission: it moves anyone's odds at most ${Words.times(eps)}.`
    );
  },

  link: (state) => `?told=${state.told}&asked=2,201`,
});
