"use strict";

chapters.push({
  name: "berkeley",
  limits: { guess: [0, 6], look: ["all", "departments"], kept: ["true", "pair", "pairs", "triple"] },
  defaults: { guess: 1, look: "departments", kept: "true" },

  play(ui) {
    ui.predict("In how many of the six departments were women admitted more often than men?", {
      text: (guess) => `${guess} of 6`,
      truth: () => this.ahead(lessonData.berkeley.counts.map((of) => of.map(([yes, no]) => yes / (yes + no)))),
    });
    ui.revealed(() => {
      ui.choice("look", "Look at", [["all", "everybody"], ["departments", "each department"]]);
      ui.choice("kept", "Kept accurate by the randomization", [
        ["true", "nothing randomized"],
        ["pair", "gender with admission"],
        ["pairs", "all pairs"],
        ["triple", "all three together"],
      ]);
    });
  },

  ahead: ([men, women]) => men.reduce((sum, share, i) => sum + (share !== null && women[i] !== null && women[i] > share), 0),

  /** [shares, margins] of men and women: of everybody, or by department. A share without an estimate is null. */
  found(state) {
    const { counts, kept } = lessonData.berkeley;
    const place = ["pair", "pairs", "triple"].indexOf(state.kept), all = state.look === "all";
    if (place >= 0) {
      const [shares, margins] = kept[place][all ? "overall" : "within"];
      return all ? [shares.map((share) => [share]), margins.map((margin) => [margin])] : [shares, margins];
    }
    const rate = (cells) => cells.reduce((sum, [yes]) => sum + yes, 0) / cells.reduce((sum, [yes, no]) => sum + yes + no, 0);
    const shares = counts.map((departments) => (all ? [rate(departments)] : departments.map((cell) => rate([cell]))));
    return [shares, shares.map((row) => row.map(() => 0))];
  },

  scene(state) {
    const { counts, departments } = lessonData.berkeley, shown = state.revealed ? state : { ...state, look: "all", kept: "true" };
    const all = shown.look === "all", columns = all ? 1 : departments.length;
    const cells = counts.flatMap((of) => of.flatMap(([yes, no]) => [yes, no]));
    const kind = People.shared(cells); // gender, department, admitted
    const of = Uint8Array.from(kind, (each) => {
      const [gender, department] = [Math.floor(each / 12), Math.floor(each / 2) % 6];
      return gender * columns + (all ? 0 : department);
    });
    const groups = [], marks = [], [shares, margins] = this.found(shown), wide = 0.93 / columns;
    marks.push({ text: state.kept === "true" ? "admitted, %" : "admitted, %, estimated from randomized answers", x: 0.98, y: 0.626, align: "right" });
    if (!all) departments.forEach((name, d) => marks.push({ text: name, x: 0.06 + wide * (d + 0.5), y: 0.975 }));
    ["men", "women"].forEach((who, gender) => {
      for (let d = 0; d < columns; d++) {
        groups.push({
          x: all ? 0.02 + gender * 0.5 : 0.06 + d * wide, y: all ? 0 : gender * 0.31, w: all ? 0.44 : wide - 0.02, h: all ? 0.57 : 0.28,
          title: all ? `${who}` : `${departments[d]} ${who}`,
        });
      }
    });
    const y = (share) => 0.92 - 0.27 * Math.min(1, Math.max(0, share));
    for (const [share, text] of [[0, "0"], [0.5, "50"], [1, "100"]]) {
      marks.push({ line: [[0, y(share)], [1, y(share)]], dashed: share === 0.5, thick: 0.7 }, { text, x: 0, y: y(share) - 0.022, align: "left" });
    }
    for (let d = 0; d < columns; d++) {
      [ORANGE, BLUE].forEach((tone, gender) => {
        const share = shares[gender][d], x = 0.06 + wide * (d + 0.5) + (gender - 0.5) * Math.min(0.12, wide * 0.34);
        if (share === null) return marks.push({ text: "?", x, y: y(0.5), tone, bold: true });
        const half = margins[gender][d];
        marks.push({ line: [[x, y(share + half)], [x, y(share - half)]], tone, thick: 3 });
        return marks.push({ line: [[x - 0.018, y(share)], [x + 0.018, y(share)]], tone, thick: 6 });
      });
    }
    return {
      groups, of, marks,
      tone: Uint8Array.from(kind, (each) => (each % 2 ? FAINT : each < 12 ? ORANGE : BLUE)),
      legend: [[ORANGE, "men admitted"], [BLUE, "women admitted"], [FAINT, "rejected"]],
      about: `Applicants by gender${all ? "" : " and department"}, and below the shares admitted: ${this.read(shown)}`,
    };
  },

  read(state) {
    const [shares, margins] = this.found(state), { departments } = lessonData.berkeley;
    const one = (gender, d) => (shares[gender][d] === null ? "unknown" : `${Words.percent(shares[gender][d])}${margins[gender][d] ? ` (±${Math.round(100 * margins[gender][d])})` : ""}`);
    return shares[0].map((_, d) => `${state.look === "all" ? "" : `${departments[d]}: `}men ${one(0, d)}, women ${one(1, d)}`).join("; ");
  },

  /** Whether women are ahead in department A by more than the margin of error. */
  stays(state) {
    const [[[men], [women]], [[ofMen], [ofWomen]]] = this.found({ ...state, look: "departments" });
    return women - men > Math.hypot(ofMen, ofWomen);
  },

  finding(state, { berkeley }) {
    const everybody = this.read({ ...state, look: "all" });
    const first = this.read({ ...state, look: "departments" }).split("; ")[0];
    if (state.kept === "true") {
      const ahead = this.ahead(this.found({ ...state, look: "departments" })[0]);
      return `Admitted: ${everybody}. Yet women were ahead in ${ahead} of 6 departments. Department ${first}.`;
    }
    const price = `Whole-record ε\u00a0=\u00a0${berkeley.epsilon_text}.`;
    if (state.kept === "pair") return `${price} Admitted: ${everybody}. The departments have no usable estimate, so the reversal vanishes.`;
    const seen = this.stays(state) ? "The reversal stays." : "It is unclear whether women were ahead.";
    return `${price} Admitted: ${everybody}. Department ${first}. ${seen}`;
  },

  link(state) {
    const asked = { pair: "Admit*Gender", pairs: "Admit*Gender,Gender*Dept,Admit*Dept" }[state.kept] ?? "Admit*Gender*Dept";
    return `budget?table=berkeley&total=4&questions=${asked}`;
  },
});
