"use strict";

chapters.push({
  name: "friend",
  limits: { guess: [50, 100], known: [0, 7], price: [0, 12] },
  defaults: { guess: 88, known: 7, price: 12 },

  play(ui) {
    const { together, friend } = lessonData;
    ui.predict("A friend knows three of your answers and sees your record. Of 100 such guesses about the fourth, how many can be right?", {
      text: (guess) => `${guess} of 100`,
      truth: (state) => Math.round(100 * Maths.told(this.turn(state))),
    });
    ui.revealed(() => {
      ui.ticks("known", "The friend knows", together.names.slice(0, 3));
      ui.slider("price", "Cards, from independent to least total", {
        text: (value) => (value === 0 ? "independent" : value === friend.length - 1 ? "least total" : `step ${value} of ${friend.length - 1}`),
      });
    });
  },

  /** How far odds about the fourth answer can move for this friend, in nats. */
  turn({ known, price }) {
    const { together, friend } = lessonData;
    return Maths.friend(friend[price].shares, together.sizes, [0, 1, 2].filter((i) => known & (1 << i)), 3);
  },

  scene(state) {
    const { friend } = lessonData, shown = state.revealed ? state : { ...state, known: 0 };
    const right = Maths.told(this.turn(shown)), of = People.shared([right, 1 - right]);
    const wrong = of.reduce((sum, group) => sum + (group === 1), 0);
    const x = (eps) => 0.56 + (0.4 * (eps - 1.8)) / 3, y = (total) => 0.81 - (0.65 * (total - 4)) / 4.4;
    const marks = [];
    if (state.revealed) {
      const [at, total] = [friend[state.price].leakage[3], friend[state.price].total];
      marks.push(
        { line: [[0.55, 0.12], [0.55, 0.83], [0.98, 0.83]] },
        { line: friend.map((each) => [x(each.leakage[3]), y(each.total)]), tone: BLUE, thick: 3 },
        { line: [[x(at), y(total) - 0.025], [x(at), y(total) + 0.025]], tone: ORANGE, thick: 9 },
        { text: `↑ whole record ${Words.times(total)}`, x: 0.56, y: 0.03, align: "left", bold: true },
        { text: "→ friend who knows three", x: 0.99, y: 0.89, align: "right", bold: true },
        { text: Words.times(at), x: 0.99, y: 0.98, align: "right", bold: true },
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
      legend: [[PINK, "guess about the fourth answer is right, at most"], [FAINT, "wrong"], ...(state.revealed ? [[ORANGE, "your cards"]] : [])],
      about: `At most ${DOTS - wrong} of 2,000 guesses about the fourth answer are right`,
    };
  },

  finding(state, { together, friend }) {
    const names = together.names.slice(0, 3).filter((_, i) => state.known & (1 << i));
    const turn = this.turn(state), { total } = friend[state.price];
    const who = names.length ? `A friend who knows ${Words.list(names)}` : "Whoever knows none of the others";
    return (
      `${who} learns up to ${Words.times(turn)} about survival: ${Words.of(Maths.told(turn))} guesses right. ` +
      `These cards: whole record ${Words.times(total)}, a friend who knows three ${Words.times(friend[state.price].leakage[3])}.`
    );
  },

  /** A link can say the two ends; what lies between is a point of the trade-off. */
  between: ({ price }) => price > 0 && price < lessonData.friend.length - 1,

  onwards(state) {
    return this.between(state) ? "Open the trade-off that these cards are a point of" : "Open this state on the dashboard";
  },

  link(state) {
    const section = this.between(state) ? "Trade-offs" : "What+an+observer+can+learn";
    const mechanism = state.price === 0 ? "kronecker" : "optimal";
    return `budget?table=titanic&levels=Class:2,Sex:2,Age:2,Survived:2&mechanism=${mechanism}&budget_section=${section}`;
  },
});
