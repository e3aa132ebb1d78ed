"use strict";

const RUNS = [10, 30, 100, 300, 1000, 3000, 10000], PROMISED = 0.75;

chapters.push({
  name: "cheat",
  limits: { guess: [0, 100], cheat: ["often", "rare", "copy", "none"], evidence: ["answers", "runs", "program"], runs: [0, 6], more: [1, 15] },
  defaults: { guess: 50, cheat: "often", evidence: "runs", runs: 2, more: 5 },

  play(ui) {
    ui.predict("A program promises 75% and records 80% of true answers. How many of 100 audits with 100 runs convict it?", {
      text: (guess) => `${guess} of 100`,
      truth: (state) => Math.round(100 * this.power(state)),
    });
    ui.revealed(() => {
      ui.choice("cheat", "The program", [
        ["often", "records too many true answers"],
        ["rare", "exposes 1 in 1,000 people"],
        ["copy", "keeps a hidden copy"],
        ["none", "is honest"],
      ]);
      ui.choice("evidence", "Evidence", [
        ["answers", "collected answers"],
        ["runs", "runs with known answers"],
        ["program", "program code"],
      ]);
      ui.part((state) => state.evidence === "runs", () => ui.slider("runs", "Runs", { text: (value) => Words.count(RUNS[value]) }));
      ui.part((state) => state.cheat === "often", () => ui.slider("more", "True answers recorded", { text: (value) => `${75 + value}% instead of 75%` }));
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
        groups: two(`${Words.count(number)} convicted`, `${Words.count(DOTS - number)} find nothing`), of,
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
    marks.push({ line: [[0, 0.86], [1, 0.86]] }, { text: "true answers recorded, %", x: 0.5, y: 0.985 });
    marks.push({ line: [[at(PROMISED), 0.07], [at(PROMISED), 0.86]], dashed: true, under: true }, { text: "promised", x: at(PROMISED), y: 0.02 });
    const least = caught.indexOf(0) / runs - step / 2, most = caught.lastIndexOf(0) / runs + step / 2;
    if (most < high) marks.push({ band: [at(most), 0.07, at(high) - at(most), 0.79], tone: ORANGE, under: true });
    if (least > low) marks.push({ band: [0, 0.07, at(least), 0.79], tone: ORANGE, under: true });
    return {
      groups: Array.from({ length: bins }, (_, i) => ({ x: at(first + (i - 0.5) * step), y: 0.07, w: step / (high - low), h: 0.79, heap: true })),
      of: Uint8Array.from(kind, (each) => each >> 1),
      tone: Uint8Array.from(kind, (each) => (each & 1 ? ORANGE : FAINT)),
      marks, legend: this.legend,
      about: `2,000 audits by how often the true answer was recorded. ${Words.of(power)} convict`,
    };
  },

  legend: [[ORANGE, "audit that convicts"], [FAINT, "audit that finds nothing"]],

  finding(state) {
    const power = this.power(state), runs = Words.count(RUNS[state.runs]);
    if (state.cheat === "none") return "Fewer than 1 of 1,000 audits accuse an honest program, for any number of runs.";
    if (state.evidence === "program") return "Anyone who reads the code sees everything that it does. The survey form runs on the respondent's device, so everybody can read it.";
    if (state.evidence === "answers") return "Collected answers convict nobody. Nobody knows the true answers, so a few more “yes” may be true.";
    if (state.cheat === "copy") return `${runs} runs find nothing, and more runs would not help. The outputs are exactly as promised. No audit of outputs detects a hidden copy.`;
    const found = `${runs} runs convict it in ${Words.of(power)} audits.`;
    if (state.cheat === "rare") return `${found} Rare leaks hide in the noise. Only repeated runs of the same records, or the code, reveal them.`;
    return `${found} ${power > 0.95 ? "That is enough evidence." : "More runs detect more."}`;
  },

  link: () => "analyze?analyze_tab=Check+a+mechanism",
});
