"use strict";

const RUNS = [10, 30, 100, 300, 1000, 3000, 10000], PROMISED = 0.75;

chapters.push({
  name: "cheat",
  limits: { guess: [0, 100], cheat: ["often", "rare", "copy", "none"], evidence: ["answers", "runs", "program"], runs: [0, 6], more: [1, 15] },
  defaults: { guess: 50, cheat: "often", evidence: "runs", runs: 2, more: 5 },

  play(ui) {
    ui.predict("It promises 75 of 100 and tells the truth 80 times. In how many of 100 audits do 100 runs convict it?", {
      text: (guess) => `${guess} of 100`,
      truth: (state) => Math.round(100 * this.power(state)),
    });
    ui.revealed(() => {
      ui.choice("cheat", "What it does", [
        ["often", "tells the truth too often"],
        ["rare", "always, of 1 in 1,000 people"],
        ["copy", "keeps a copy"],
        ["none", "what it promises"],
      ]);
      ui.choice("evidence", "Evidence", [
        ["answers", "answers received"],
        ["runs", "runs with known answers"],
        ["program", "the program"],
      ]);
      ui.part((state) => state.evidence === "runs", () => ui.slider("runs", "Runs", { text: (value) => Words.count(RUNS[value]) }));
      ui.part((state) => state.cheat === "often", () => ui.slider("more", "Truth told too often", { text: (value) => `${75 + value} in place of 75 of 100` }));
    });
  },

  truth: ({ cheat, more }) => PROMISED + { often: more / 100, rare: (1 - PROMISED) / 1000, copy: 0, none: 0 }[cheat],

  power(state) {
    if (state.evidence !== "runs") return state.evidence === "program" && state.cheat !== "none" ? 1 : 0;
    return Maths.power(this.truth(state), PROMISED, RUNS[state.runs], lessonData.audit.alpha);
  },

  scene(state) {
    const power = this.power(state), marks = [];
    const two = (title, other) => [
      { x: 0.02, y: 0, w: 0.46, h: 1, title },
      { x: 0.54, y: 0, w: 0.44, h: 1, title: other },
    ];
    if (!state.revealed) {
      const title = `2,000 audits of ${Words.count(RUNS[state.runs])} runs each`;
      return { groups: [{ x: 0.02, y: 0, w: 0.96, h: 1, title }], of: People.all(), tone: new Uint8Array(DOTS).fill(FAINT), about: title };
    }
    if (state.evidence !== "runs") {
      const of = People.shared([power, 1 - power]);
      const number = of.reduce((sum, group) => sum + (group === 0), 0);
      return {
        groups: two(`${Words.count(number)} convicted`, `${Words.count(DOTS - number)} audits find nothing`), of,
        tone: Uint8Array.from(of, (group) => (group ? FAINT : ORANGE)), legend: this.legend,
        about: `${number} of 2,000 audits convict`,
      };
    }
    const runs = RUNS[state.runs], low = 0.55, high = 0.96, step = Math.ceil(0.0025 * runs - 1e-9) / runs;
    const first = low - step + ((PROMISED - low) % step), bins = Math.ceil((high - first) / step), at = (share) => (share - low) / (high - low);
    const p = Maths.binomial(runs, this.truth(state)), caught = Maths.convicts(PROMISED, runs, lessonData.audit.alpha);
    const shares = new Float64Array(2 * bins), bin = (hits) => Math.min(bins - 1, Math.max(0, Math.floor((hits / runs - first) / step + 0.5)));
    p.forEach((share, hits) => (shares[2 * bin(hits) + caught[hits]] += share));
    const kind = People.shared(Array.from(shares));
    for (const share of [0.6, 0.7, 0.75, 0.8, 0.9]) marks.push({ text: String(Math.round(100 * share)), x: at(share), y: 0.9, bold: share === 0.75 });
    marks.push({ line: [[0, 0.86], [1, 0.86]] }, { text: "true answers, of 100", x: 0.5, y: 0.985 });
    marks.push({ line: [[at(PROMISED), 0.07], [at(PROMISED), 0.86]], dashed: true, under: true }, { text: "promised", x: at(PROMISED), y: 0.02 });
    const least = caught.indexOf(0) / runs - step / 2, most = caught.lastIndexOf(0) / runs + step / 2;
    if (most < high) marks.push({ band: [at(most), 0.07, at(high) - at(most), 0.79], tone: ORANGE, under: true });
    if (least > low) marks.push({ band: [0, 0.07, at(least), 0.79], tone: ORANGE, under: true });
    return {
      groups: Array.from({ length: bins }, (_, i) => ({ x: at(first + (i - 0.5) * step), y: 0.07, w: step / (high - low), h: 0.79, heap: true })),
      of: Uint8Array.from(kind, (each) => each >> 1),
      tone: Uint8Array.from(kind, (each) => (each & 1 ? ORANGE : FAINT)),
      marks, legend: this.legend,
      about: `2,000 audits by how often the truth was told; ${Words.of(power)} convict`,
    };
  },

  legend: [[ORANGE, "audit that convicts"], [FAINT, "audit that finds nothing"]],

  finding(state) {
    const power = this.power(state), runs = Words.count(RUNS[state.runs]);
    if (state.cheat === "none") return "An honest mechanism: fewer than 1 of 1,000 audits accuse it, however many runs they take.";
    if (state.evidence === "program") return "Whoever can read the program sees what it does, a copy too. The form can be read by everybody: it runs on the respondent's device.";
    if (state.evidence === "answers") return "Answers that came in convict nobody here: as nobody knows what is true, a few more of “yes” may be the truth.";
    if (state.cheat === "copy") return `${runs} runs find nothing, nor would any number: what leaves is exactly as promised. No audit of outputs sees a copy.`;
    const told = `${runs} runs convict it in ${Words.of(power)} audits`;
    if (state.cheat === "rare") return `${told}: who is sold out rarely hides in the noise. Only runs of the same records again and again, or the program, show it.`;
    return power > 0.95 ? `${told}. Runs with known answers are the evidence, and there are enough of them.` : `${told}. More runs see more.`;
  },

  onwards: () => "Audit a mechanism on the dashboard",

  link: () => "audit",
});
