"use strict";

const BINS = 16, LOW = -0.6, STEP = 0.1, CLASSES = 200;

chapters.push({
  name: "bet",
  pointed: true,
  limits: { middle: [-40, 80], wide: [2, 50], unchanged: [65, 95], n: [30, 60, 120, 480] },
  defaults: { middle: 20, wide: 6, unchanged: 75, n: 30 },

  play(ui) {
    this.drawing = null;
    ui.predict("", {
      text: String,
      truth: () => 0,
      drawn: () => {
        ui.text(() => "Draw your guess in the picture, or set both sliders.");
        ui.slider("middle", "Center of my guess", { text: (value) => `${value}%`, step: 2 });
        ui.slider("wide", "Margin for 95% of classes", { text: (value) => `${value} points` });
      },
    });
    ui.revealed(() => {
      ui.text((state) => `Your guess is right for ${this.met(state)} of 200 classes of 30.`);
      ui.choice("n", "Students in a class", [30, 60, 120, 480].map((n) => [n, String(n)]));
      ui.slider("unchanged", "Answers unchanged", { text: (value) => `${value}%` });
    });
    const canvas = document.getElementById("people");
    const draw = (event) => {
      const state = ui.state;
      if (lessonShell.chapters[lessonShell.at] !== this || state.revealed || !event.buttons) return;
      const place = canvas.getBoundingClientRect();
      const bin = Math.floor(((event.clientX - place.left) / place.width) * BINS);
      const drawing = this.drawing ?? this.guessed(state);
      const room = lessonShell.crowd.toPitch ** 2; // of one class, in square pixels
      const high = Math.max(0, 0.93 * place.height - (event.clientY - place.top));
      drawing[Math.min(BINS - 1, Math.max(0, bin))] = (high * place.width) / BINS / room;
      this.drawing = drawing;
      ui.changed(true);
    };
    canvas.addEventListener("pointerdown", draw);
    canvas.addEventListener("pointermove", draw);
    for (const input of ui.place.querySelectorAll("input[type=range]")) input.addEventListener("input", () => (this.drawing = null));
  },

  /** Heights of a guess, in classes, for each column: bell-shaped if the sliders set it. */
  guessed(state) {
    const middle = state.middle / 100, spread = Math.max(0.015, state.wide / 196);
    const heights = Array.from({ length: BINS }, (_, bin) => Math.exp(-(((LOW + (bin + 0.5) * STEP - middle) / spread) ** 2) / 2));
    const all = heights.reduce((a, b) => a + b, 0) || 1;
    return heights.map((height) => (CLASSES * height) / all);
  },

  /** The number of guessed classes where classes of 30 landed, column by column. */
  met(state) {
    const guess = this.drawing ?? this.guessed(state), all = guess.reduce((a, b) => a + b, 0) || 1;
    const landed = new Float64Array(BINS);
    for (const share of this.estimates(this.defaults)) {
      landed[Math.min(BINS - 1, Math.max(0, Math.floor((share - LOW) / STEP + 1e-9)))]++;
    }
    return Math.round(landed.reduce((sum, number, bin) => sum + Math.min(number, (CLASSES * guess[bin]) / all), 0));
  },

  /** The estimate of every class: a fifth of it has done it, and chance decides what the phones record. */
  estimates({ unchanged, n }) {
    this.bits ??= Chance.simulationUniform(3, CLASSES * 480);
    const found = new Float64Array(CLASSES), yes = n / 5;
    for (let c = 0; c < CLASSES; c++) {
      let recorded = 0;
      for (let i = 0; i < n; i++) {
        const honest = this.bits[c * 480 + i] < unchanged / 100;
        recorded += Number(i < yes === honest);
      }
      found[c] = Maths.corrected(recorded / n, unchanged / 100);
    }
    return found;
  },

  scene(state) {
    const at = (share) => (share - LOW) / (BINS * STEP);
    const marks = [-0.4, 0, 0.2, 0.4, 0.8].map((share) => ({
      text: Words.percent(share), x: at(share), y: 0.965, bold: share === 0.2, tone: share === 0.2 ? ORANGE : 1,
    }));
    marks.push({ line: [[0, 0.93], [1, 0.93]] }, { line: [[at(0.2), 0.04], [at(0.2), 0.93]], tone: ORANGE, thick: 2, under: true });
    const guess = this.drawing ?? this.guessed(state);
    guess.forEach((classes, bin) => {
      if (classes > 0.2) marks.push({ heap: [bin / BINS, 1 / BINS, 0.93, classes], tone: PINK, under: true });
    });
    const of = new Uint8Array(DOTS).fill(AWAY), tone = new Uint8Array(DOTS).fill(BLUE);
    const groups = [];
    if (state.revealed) {
      const one = 1 / (state.n * (2 * state.unchanged / 100 - 1)); // one recorded yes changes an estimate by this much
      const wide = one * Math.ceil(0.025 / one - 1e-9), first = Maths.corrected(0, state.unchanged / 100) - one / 2;
      const start = first + wide * Math.floor((LOW - first) / wide), columns = Math.ceil((LOW + BINS * STEP - start) / wide);
      for (let g = 0; g < columns; g++) groups.push({ x: at(start + g * wide), y: 0.04, w: wide / (BINS * STEP), h: 0.89, heap: true });
      this.estimates(state).forEach((share, c) => {
        of[c * 10] = Math.min(columns - 1, Math.max(0, Math.floor((share - start) / wide + 1e-9)));
      });
    } else {
      groups.push({ x: 0.02, y: 0, w: 0.3, h: 0.3, title: "200 classes wait" });
      for (let c = 0; c < CLASSES; c++) of[c * 10] = 0;
    }
    return {
      groups, of, tone, marks, pitch: 15,
      legend: [[PINK, "your guess"], [BLUE, `estimate of a class of ${state.n}`], [ORANGE, "true share in every class: 20%"]],
      about: state.revealed ? this.finding(state) : "An empty axis from minus 60% to 100% with your guess",
    };
  },

  finding(state) {
    const margin = Maths.margin(state.unchanged / 100, state.n), found = this.estimates(state);
    const within = found.reduce((sum, share) => sum + (Math.abs(share - 0.2) <= margin + 1e-12), 0);
    return (
      `${within} of 200 classes of ${state.n} are within the 95% margin of error, ${Words.points(margin, margin < 0.1 ? 1 : 0)}. ` +
      "Four times as many students would halve it."
    );
  },

  link: (state) => `simulate?epsilon=Survived:${said(epsilonOf(state.unchanged))}&marginal=Survived&n=${state.n}`,
});
