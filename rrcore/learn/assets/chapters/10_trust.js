"use strict";

const SIZES = [100, 500, 2000, 8000, 20000], SURVEYS = 100;

chapters.push({
  name: "trust",
  limits: { guess: [0, 100], share: [1, 40], careless: [0, 40], n: [0, 4], unchanged: [60, 95], control: ["no", "yes"] },
  defaults: { guess: 95, share: 5, careless: 10, n: 2, unchanged: 75, control: "no" },

  play(ui) {
    ui.predict("10% of people click at random. In how many of 100 such surveys does the 95% interval contain the truth?", {
      text: (guess) => `${guess} of 100`,
      truth: (state) => Math.round(100 * this.held(state)),
    });
    ui.revealed(() => {
      ui.choice("control", "Control question that nobody can truthfully answer with yes", [["no", "not asked"], ["yes", "also asked"]]);
      ui.slider("careless", "Click at random", { text: (value) => `${value}%` });
      ui.slider("n", "Sample size", { text: (value) => Words.count(SIZES[value]) });
      ui.slider("share", "Have done it", { text: (value) => `${value}%` });
    });
  },

  held: (state) => Maths.coverage(state.share / 100, state.unchanged / 100, state.careless / 100, SIZES[state.n]),

  /** A hundred surveys: estimate and half the width of its interval. Normal draws approximate the counts. */
  surveys(state) {
    const n = SIZES[state.n], truth = state.unchanged / 100, careless = state.careless / 100, share = state.share / 100;
    const honest = (1 - careless) * truth + careless / 2, noise = Math.sqrt((honest * (1 - honest)) / n) / (2 * truth - 1);
    this.draws ??= this.normal(Chance.simulationUniform(10, 4 * SURVEYS));
    return Array.from({ length: SURVEYS }, (_, i) => {
      const estimate = (1 - careless) * share + careless / 2 + noise * this.draws[2 * i];
      if (state.control === "no") return [estimate, Maths.margin(truth, n)];
      const [repaired, error] = Maths.rescued(estimate, careless / 2 + noise * this.draws[2 * i + 1], truth, n);
      return [repaired, Maths.Z * error];
    });
  },

  normal(uniform) {
    const half = uniform.length / 2;
    return Float64Array.from({ length: half }, (_, i) => Math.sqrt(-2 * Math.log(1 - uniform[i])) * Math.cos(2 * Math.PI * uniform[half + i]));
  },

  scene(state) {
    const shown = state.revealed ? state : { ...state, careless: 0, control: "no" };
    const surveys = this.surveys(shown), share = shown.share / 100;
    const hit = surveys.map(([estimate, half]) => Math.abs(estimate - share) <= half);
    const top = Math.max(share + 0.02, ...surveys.map(([estimate, half]) => estimate + half));
    const bottom = Math.min(share - 0.02, ...surveys.map(([estimate, half]) => estimate - half));
    const y = (value) => 0.06 + (0.9 * (top - value)) / (top - bottom), x = (i) => 0.12 + (0.87 * (i + 0.5)) / SURVEYS;
    const of = new Uint8Array(DOTS).fill(AWAY), tone = new Uint8Array(DOTS).fill(BLUE), groups = [], marks = [];
    surveys.forEach(([estimate, half], i) => {
      [of[i * 20], tone[i * 20]] = [i, hit[i] ? BLUE : PINK];
      groups.push({ x: x(i) - 0.0045, y: y(estimate) - 0.008, w: 0.009, h: 0.02 });
      marks.push({ line: [[x(i), y(estimate + half)], [x(i), y(estimate - half)]], tone: hit[i] ? BLUE : PINK, thick: 2, under: true });
    });
    const hits = hit.filter(Boolean).length;
    marks.push({ line: [[0, y(share)], [1, y(share)]], tone: ORANGE, thick: 2.5 });
    const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((each) => (top - bottom) / each <= 8) ?? 1;
    for (let tick = Math.ceil(bottom / step); tick * step <= top; tick++) {
      if (Math.abs(y(tick * step) - y(share)) > 0.03) marks.push({ text: Words.percent(tick * step), x: 0, y: y(tick * step), align: "left" });
    }
    if (!state.revealed) marks.push({ text: "surveys in which nobody clicks at random", x: 0.5, y: 0.02 });
    marks.push({ text: `${shown.share}%`, x: 0, y: y(share) - 0.022, align: "left", bold: true });
    return {
      groups, of, tone, marks,
      legend: [[BLUE, "interval that contains the truth"], [PINK, "interval that misses it"], [ORANGE, "the truth"]],
      about: `${hits} of 100 intervals contain the truth${state.revealed ? "" : " if nobody clicks at random"}`,
    };
  },

  finding(state) {
    const hits = this.surveys(state).filter(([estimate, half]) => Math.abs(estimate - state.share / 100) <= half).length;
    if (state.control === "yes") {
      return `The control question shows how many people click at random. With it, ${hits} of these 100 wider intervals contain the truth.`;
    }
    if (!state.careless) return `Nobody clicks at random, and ${Words.of(this.held(state))} intervals contain the truth.`;
    const shift = Words.percent((state.careless / 100) * 0.5 + (1 - state.careless / 100) * (state.share / 100), 1);
    return (
      `The intervals are as narrow as before but lie around ${shift} instead of ${state.share}%. ` +
      `Only ${Words.of(this.held(state))} contain the truth. A larger sample makes this worse.`
    );
  },

  link: (state) => `?unchanged=${state.unchanged}&asked=2,201`,
});
