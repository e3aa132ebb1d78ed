"use strict";

(() => {
  const element = (id) => document.getElementById(id);
  const data = JSON.parse(element("data").textContent);
  const { invitations, unrandomized } = data;
  const opened = document.querySelector("main").cloneNode(true); // before anybody has answered
  // the current language, and a copy of the page in it without answers
  const current = {
    language: data.languages[document.documentElement.lang],
    fresh: () => opened.cloneNode(true),
  };
  const text = (key, values = {}) => current.language.texts[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const randomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

  // One respondent, from the first screen to the report. The function done is called when the report has been submitted.
  function begin(done) {
    element("unready").hidden = true;
    const safe = window.crypto && crypto.getRandomValues && (!invitations || (crypto.subtle && typeof hideReceipt === "function"));
    if (typeof randomize !== "function" || !safe) {
      element("refused").hidden = false;
      return;
    }
    const { mechanism } = data;
    // numbers of the questions, in the order in which they are asked
    const asked = Array.from(document.querySelectorAll("[id^=wording]"), (wording) => Number(wording.id.slice("wording".length)));
    const controls = (i) => Array.from(document.querySelectorAll(`[name="q${i}"]`));
    const setup = Object.assign({ element, text, randomBytes }, data);
    const submission = submitting(setup, done);
    // screen -> check before the next screen is shown
    const leaving = { before: submission.open };
    // position of the question that is shown, or -1 for all
    let at = data.one_at_a_time ? 0 : -1;

    function goTo(id) {
      for (const screen of document.querySelectorAll("main > section")) screen.hidden = screen.id !== id;
      if (id === "questions") showQuestion();
      if (element("languages")) element("languages").hidden = id !== "before";
      element(id).querySelector("h2").focus();
      window.scrollTo(0, 0);
    }

    // Leave a screen for the next one (1) or the previous one (-1).
    async function go(from, step) {
      if (step > 0 && leaving[from] && !(await leaving[from]())) return;
      const screens = Array.from(document.querySelectorAll("main > section"), (screen) => screen.id);
      goTo(screens[screens.indexOf(from) + step]);
    }

    // Show one question and its buttons, if each question has a separate screen.
    function showQuestion() {
      if (at < 0) return;
      const last = at === asked.length - 1;
      asked.forEach((i, place) => (element(`question${i}`).hidden = place !== at));
      for (const id of ["once", "randomize"]) element(id).hidden = !last;
      element("onward").hidden = last;
      element("truthfully").hidden = asked[at] >= mechanism.attributes.length; // not randomized
      element("summary").hidden = true;
      if (asked.length === 1) return;
      element("progress").hidden = false;
      element("progress").value = at;
      element("questions").querySelector("h2").textContent = text("question_of", { number: at + 1, all: asked.length });
    }

    function ask(place) {
      at = place;
      goTo("questions");
    }

    function onward() {
      const i = asked[at];
      markMissing(i, chosen(i) < 0);
      if (chosen(i) < 0) controls(i)[0].focus();
      else ask(at + 1);
    }

    // The category number chosen for question i, or -1.
    function chosen(i) {
      const [first, ...others] = controls(i);
      const value = first.tagName === "SELECT" ? first.value : ([first, ...others].find((radio) => radio.checked) || { value: "" }).value;
      return value === "" ? -1 : Number(value);
    }

    function markMissing(i, missing) {
      const question = element(`question${i}`);
      const target = question.querySelector("select") || question;
      element(`missing${i}`).hidden = !missing;
      question.classList.toggle("incomplete", missing);
      if (missing) target.setAttribute("aria-invalid", "true");
      else target.removeAttribute("aria-invalid");
    }

    function pointOut(missing) {
      if (at >= 0 && asked[at] !== missing[0]) ask(asked.indexOf(missing[0]));
      if (at >= 0) return controls(missing[0])[0].focus();
      const count = missing.length === 1 ? text("missing_one") : text("missing_many", { number: missing.length });
      const links = missing.map((i) => {
        const link = document.createElement("a");
        link.href = `#question${i}`;
        link.textContent = element(`wording${i}`).textContent;
        link.dir = "auto";
        link.addEventListener("click", (event) => {
          event.preventDefault();
          controls(i)[0].focus();
        });
        const item = document.createElement("li");
        item.append(link);
        return item;
      });
      summarize(count, links);
    }

    function summarize(sentence, items) {
      const summary = element("summary");
      const list = summary.querySelector("ul");
      summary.querySelector("p").textContent = sentence;
      list.textContent = "";
      list.append(...items);
      summary.hidden = false;
      summary.focus();
    }

    // The category numbers of all answers. If some are missing, mark them and return null.
    function complete() {
      const codes = mechanism.attributes.concat(unrandomized).map((_, i) => chosen(i));
      asked.forEach((i) => markMissing(i, codes[i] < 0));
      const missing = asked.filter((i) => codes[i] < 0);
      if (missing.length) pointOut(missing);
      return missing.length ? null : codes;
    }

    async function randomizeOnce(event) {
      event.preventDefault();
      if (at >= 0 && at < asked.length - 1) return onward(); // Enter was pressed before the last question
      if (!complete() || !(await submission.prepare((reason) => summarize(reason, [])))) return;
      const given = complete(); // the answers may have changed meanwhile
      if (!given) return;
      const codes = given.slice(0, mechanism.attributes.length);
      const known = given.slice(mechanism.attributes.length);
      given.fill(0);
      element("randomize").disabled = true;
      const released = randomize(mechanism, codes, randomBytes);
      codes.fill(0);
      const wordings = codes.concat(known).map((_, i) => element(`wording${i}`).textContent);
      element("answers").reset();
      for (const id of ["practice", "questions"]) if (element(id)) element(id).remove(); // nothing can be randomized again
      show(released, known, wordings);
    }

    function show(released, known, wordings) {
      const { notes, shown } = current.language;
      const sent = Array.from(released).concat(known);
      const rows = asked.map((i) => {
        const row = document.createElement("div");
        if (i >= released.length) row.className = "unrandomized";
        const cells = [["dt", wordings[i]], ["dd", shown[i][sent[i]]], ["dd", notes[i][sent[i] % notes[i].length]]];
        for (const [tag, content] of cells) {
          if (content === undefined) continue;
          const cell = document.createElement(tag);
          cell.textContent = content;
          cell.dir = "auto";
          row.append(cell);
        }
        return row;
      });
      element("released").textContent = "";
      element("released").append(...rows);
      element("record").value = recordLine(mechanism, released, submission.fields, unrandomized, known);
      goTo("report");
    }

    element("answers").classList.toggle("one-at-a-time", at >= 0);
    element("answers").reset(); // a browser may have restored answers
    element("answers").addEventListener("submit", randomizeOnce);
    element("answers").addEventListener("change", (event) => markMissing(Number(event.target.name.slice(1)), false));
    element("start").addEventListener("click", () => go("before", 1));
    element("onward").addEventListener("click", onward);
    element("back").addEventListener("click", () => (at > 0 ? ask(at - 1) : go("questions", -1)));
    for (const button of document.querySelectorAll("[data-go]")) {
      button.addEventListener("click", () => go(button.closest("section").id, Number(button.dataset.go)));
    }
    if (element("practice")) startPractice(setup, data.practice, current.language.practice);
    submission.wire();
    if (element("languages")) element("languages").hidden = false; // also for the next person
    element("start").hidden = false;
  }

  // Answers are cleared when someone leaves the page.
  addEventListener("pagehide", () => {
    for (const id of ["answers", "trying"]) if (element(id)) element(id).reset();
  });
  function restart() {
    document.querySelector("main").replaceWith(current.fresh());
    begin(() => {});
  }
  const next = data.interviewer ? passOn(element, begin, current) : restart;
  if (element("languages")) chooseLanguage(element, data.languages, current, next);
  else next();
})();
