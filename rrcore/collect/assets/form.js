"use strict";

(() => {
  const SEND_TIMEOUT = 30000; // milliseconds
  const element = (id) => document.getElementById(id);
  const { mechanism, address, memory: remembering, texts } = JSON.parse(element("data").textContent);
  const text = (key, values = {}) => texts[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const controls = (i) => Array.from(document.querySelectorAll(`[name="q${i}"]`));

  const reports = (attribute) => attribute.reports || attribute.categories; // what can be handed in

  function goTo(id) {
    for (const step of document.querySelectorAll("main > section")) step.hidden = step.id !== id;
    element(id).querySelector("h2").focus();
    window.scrollTo(0, 0);
  }

  // The category number chosen for question i; -1 where there is none.
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
    const summary = element("summary");
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
    summary.querySelector("p").textContent = count;
    summary.querySelector("ul").replaceChildren(...links);
    summary.hidden = false;
    summary.focus();
  }

  // One line, attributes in the file's order whatever they are called.
  function record(released) {
    const answers = mechanism.attributes.map(
      (attribute, i) => `${JSON.stringify(attribute.name)}: ${JSON.stringify(reports(attribute)[released[i]])}`,
    );
    const line = `{"mechanism": ${JSON.stringify(mechanism.sha256)}, "answers": {${answers.join(", ")}}}`;
    return line.replace(/[\u007f-\u009f\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`);
  }

  function randomBytes(count) {
    return crypto.getRandomValues(new Uint8Array(count));
  }

  async function randomiseOnce(event) {
    event.preventDefault();
    const codes = mechanism.attributes.map((_, i) => chosen(i));
    codes.forEach((code, i) => markMissing(i, code < 0));
    const missing = codes.flatMap((code, i) => (code < 0 ? [i] : []));
    if (missing.length) {
      pointOut(missing);
      return;
    }
    element("randomise").disabled = true;
    const released = remembering
      ? await memoised(mechanism, codes, deviceMemory(mechanism.sha256).seed(randomBytes), crypto.subtle)
      : randomise(mechanism, codes, randomBytes);
    codes.fill(0);
    const wordings = mechanism.attributes.map((_, i) => element(`wording${i}`).textContent);
    element("answers").reset();
    element("questions").remove(); // the true answers, and with them any way to randomise them again
    show(released, wordings);
  }

  function show(released, wordings) {
    const rows = wordings.map((wording, i) => {
      const row = document.createElement("div");
      for (const [tag, content] of [["dt", wording], ["dd", reports(mechanism.attributes[i])[released[i]]]]) {
        const cell = document.createElement(tag);
        cell.textContent = content;
        cell.dir = "auto";
        row.append(cell);
      }
      return row;
    });
    element("released").replaceChildren(...rows);
    element("record").value = record(released);
    goTo("report");
  }

  function say(sentence) {
    element("status").textContent = sentence;
  }

  function download() {
    const name = Array.from(randomBytes(8), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([element("record").value, "\n"], { type: "application/json" }));
    link.download = `answer-${name}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    say(text("saved", { file: link.download }));
  }

  async function copy() {
    try {
      await navigator.clipboard.writeText(element("record").value);
      say(text("copied"));
    } catch {
      element("exact").open = true;
      element("record").select();
      say(text("not_copied"));
    }
  }

  async function send() {
    const button = element("send");
    const host = new URL(address).host;
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), SEND_TIMEOUT);
    button.disabled = true;
    say(text("sending"));
    try {
      const answer = await fetch(address, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: element("record").value,
        credentials: "omit",
        referrerPolicy: "no-referrer",
        redirect: "error",
        cache: "no-store",
        signal: stop.signal,
      });
      if (answer.ok) button.textContent = text("sent");
      else button.disabled = false;
      say(answer.ok ? text("sent_to", { host }) : text("error_from", { host, status: answer.status }));
    } catch {
      button.disabled = false;
      say(text("unconfirmed", { host }));
    } finally {
      clearTimeout(timer);
      if (document.activeElement === document.body) (button.disabled ? element("status") : button).focus();
    }
  }

  element("unready").hidden = true;
  if (typeof BigInt !== "function" || typeof randomise !== "function" || !window.crypto || !crypto.getRandomValues) {
    element("refused").hidden = false;
    return;
  }
  if (remembering && deviceMemory(mechanism.sha256) === null) {
    element("forgetful").hidden = false;
    return;
  }
  element("answers").reset(); // whatever a browser restored on its own
  addEventListener("pagehide", () => element("answers")?.reset());
  element("answers").addEventListener("submit", randomiseOnce);
  element("answers").addEventListener("change", (event) => markMissing(Number(event.target.name.slice(1)), false));
  element("start").addEventListener("click", () => goTo("questions"));
  element("back").addEventListener("click", () => goTo("before"));
  element("download").addEventListener("click", download);
  element("copy").addEventListener("click", copy);
  element("send")?.addEventListener("click", send);
  element("forget")?.addEventListener("click", () => {
    deviceMemory(mechanism.sha256).forget();
    element("forgotten").hidden = false;
  });
  element("start").hidden = false;
})();
