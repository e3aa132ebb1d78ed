"use strict";

chapters.push({
  name: "friend",
  limits: { guess: [50, 100], known: [0, 7], price: [0, 12] },
  defaults: { guess: 88, known: 7, price: 12 },

  play(ui) {
    const { together, friend } = lessonData;
    ui.predict("A friend knows three of your answers and sees your record. How many of 100 guesses about the fourth can be right?", {
      text: (guess) => `${guess} of 100`,
      truth: (state) => Math.round(100 * Maths.unchanged(this.turn(state))),
    });
    ui.revealed(() => {
      ui.ticks("known", "The friend knows", together.names.slice(0, 3));
      ui.slider("price", "Deck", {
        text: (value) => (value === 0 ? "independent" : value === friend.length - 1 ? "lowest total ε" : `step ${value} of ${friend.length - 1}`),
      });
    });
  },

  /** The ε of the fourth answer for this friend. */
  turn({ known, price }) {
    const { together, friend } = lessonData;
    return Maths.friend(friend[price].shares, together.sizes, [0, 1, 2].filter((i) => known & (1 << i)), 3);
  },

  scene(state) {
    const { friend } = lessonData, shown = state.revealed ? state : { ...state, known: 0 };
    const right = Maths.unchanged(this.turn(shown)), of = People.shared([right, 1 - right]);
    const wrong = of.reduce((sum, group) => sum + (group === 1), 0);
    const x = (eps) => 0.56 + (0.4 * (eps - 1.8)) / 3, y = (total) => 0.81 - (0.65 * (total - 4)) / 4.4;
    const marks = [];
    if (state.revealed) {
      const [at, total] = [friend[state.price].epsilon_informed[3], friend[state.price].total];
      marks.push(
        ...axis(x, [2, 3, 4, 5], 0.83),
        ...[4, 5, 6, 7, 8].flatMap((eps) => [
          { line: [[0.545, y(eps)], [0.56, y(eps)]] },
          { text: String(eps), x: 0.54, y: y(eps), align: "right" },
        ]),
        { line: [[0.56, 0.12], [0.56, 0.83]], thick: 2 },
        { line: friend.map((each) => [x(each.epsilon_informed[3]), y(each.total)]), tone: BLUE, thick: 3 },
        { line: [[x(at), y(total) - 0.025], [x(at), y(total) + 0.025]], tone: ORANGE, thick: 9 },
        { text: `↑ whole-record ε: ${Words.eps(total)}`, x: 0.56, y: 0.03, align: "left", bold: true },
        { text: `→ ε for a friend who knows three: ${Words.eps(at)}`, x: 0.99, y: 0.98, align: "right", bold: true },
      );
    }
    return {
      groups: [
        { x: 0.02, y: 0, w: state.revealed ? 0.32 : 0.7, h: 0.98, title: `${Words.count(DOTS - wrong)} of 2,000 guesses right` },
        { x: state.revealed ? 0.37 : 0.76, y: 0, w: state.revealed ? 0.14 : 0.22, h: 0.98, title: `${Words.count(wrong)} wrong` },
      ],
      of,
      tone: Uint8Array.from(of, (group) => (group ? FAINT : PINK)),
      marks,
      legend: [[PINK, "most right guesses about the fourth answer"], [FAINT, "wrong"], ...(state.revealed ? [[ORANGE, "your cards"]] : [])],
      about: `At most ${DOTS - wrong} of 2,000 guesses about the fourth answer are right`,
    };
  },

  finding(state, { together, friend }) {
    const names = together.names.slice(0, 3).filter((_, i) => state.known & (1 << i));
    const turn = this.turn(state), { total } = friend[state.price];
    const who = names.length ? `A friend who knows ${Words.list(names)}` : "Someone who knows none of the others";
    return (
      `${who} can guess survival right for up to ${Words.of(Maths.unchanged(turn))} people (ε\u00a0=\u00a0${Words.eps(turn)}). ` +
      `With these cards the whole record has ε\u00a0=\u00a0${Words.eps(total)}.`
    );
  },

  link: ({ price }) => `budget?table=titanic&epsilon=Class:2,Sex:2,Age:2,Survived:2&mechanism=${price === 0 ? "independent" : "optimal"}`,
});
