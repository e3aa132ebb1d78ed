"use strict";

(() => {
  const SEND_TIMEOUT = 30000; // milliseconds
  const element = (id) => document.getElementById(id);
  const { mechanism, address, invitations, memory: remembering, texts } = JSON.parse(element("data").textContent);
  const handedIn = {}; // what goes with the answers: a receipt and, by invitation, its signature
  const text = (key, values = {}) => texts[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const asked = Array.from(document.querySelectorAll("[id^=wording]"), (wording) => Number(wording.id.slice("wording".length))); // in their order
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
    summarise(count, links);
  }

  function summarise(said, items) {
    const summary = element("summary");
    summary.querySelector("p").textContent = said;
    summary.querySelector("ul").replaceChildren(...items);
    summary.hidden = false;
    summary.focus();
  }

  function randomBytes(count) {
    return crypto.getRandomValues(new Uint8Array(count));
  }

  // The category numbers of all answers; null, and pointed out, where some are missing.
  function complete() {
    const codes = mechanism.attributes.map((_, i) => chosen(i));
    codes.forEach((code, i) => markMissing(i, code < 0));
    const missing = asked.filter((i) => codes[i] < 0);
    if (missing.length) pointOut(missing);
    return missing.length ? null : codes;
  }

  async function randomiseOnce(event) {
    event.preventDefault();
    if (!complete() || !(await whileWaiting("randomise", useInvitation, (why) => summarise(why, [])))) return;
    const codes = complete(); // they may have changed meanwhile
    if (!codes) return;
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
    const rows = asked.map((i) => {
      const row = document.createElement("div");
      for (const [tag, content] of [["dt", wordings[i]], ["dd", reports(mechanism.attributes[i])[released[i]]]]) {
        const cell = document.createElement(tag);
        cell.textContent = content;
        cell.dir = "auto";
        row.append(cell);
      }
      return row;
    });
    element("released").replaceChildren(...rows);
    element("record").value = recordLine(mechanism, released, handedIn);
    goTo("report");
  }

  function say(sentence) {
    element("status").textContent = sentence;
  }

  function download() {
    const name = hex(randomBytes(8));
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

  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

  // The reply to one line of JSON; throws a RangeError with the status where it is refused, another Error where none comes.
  async function post(url, line) {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), SEND_TIMEOUT);
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: line,
        credentials: "omit",
        referrerPolicy: "no-referrer",
        redirect: "error",
        cache: "no-store",
        signal: stop.signal,
      });
      if (answer.ok) return await answer.json().catch(() => ({}));
      throw new RangeError(String(answer.status));
    } catch (error) {
      throw error instanceof RangeError ? error : new Error();
    } finally {
      clearTimeout(timer);
    }
  }

  const REFUSALS = {
    404: () => text("invitation_unknown"),
    409: () => text("invitation_used"),
    410: () => text("closed"),
    423: () => text("paused"),
    429: () => text("too_many"),
  };

  // What is said of an error of post: failed says it of any other refusal, unanswered where no reply came.
  function told(error, failed, unanswered) {
    const values = { host: new URL(address).host, status: error.message };
    if (!(error instanceof RangeError)) return unanswered(values);
    return (REFUSALS[error.message] || failed)(values);
  }

  // Runs a step with its button off; where it fails, tells why and gives false.
  async function whileWaiting(id, step, tell) {
    const button = element(id);
    button.disabled = true;
    try {
      await step();
      return true;
    } catch (error) {
      tell(told(error, (values) => text("invitation_failed", values), (values) => text("invitation_unanswered", values)));
      return false;
    } finally {
      button.disabled = false;
    }
  }

  const invitation = (fields) => post(new URL("invitation", address), JSON.stringify({ code: element("code").value, ...fields }));

  async function begin() {
    if (invitations) {
      const tell = (why) => {
        element("uninvited").textContent = why;
        element("uninvited").hidden = false;
        element("code").focus();
      };
      element("uninvited").hidden = true;
      if (!element("code").value.trim()) return tell(text("invitation_missing"));
      if (!(await whileWaiting("start", () => invitation({}), tell))) return;
    }
    goTo("questions");
  }

  // Draws the receipt and, by invitation, has it signed unseen. Where that fails it can be tried again with the same one.
  let hiding;
  async function useInvitation() {
    if (!address) return;
    hiding ??= (async () => {
      const receipt = randomBytes(32);
      return { receipt: hex(receipt), ...(invitations ? await hideReceipt(invitations, receipt, randomBytes) : {}) };
    })();
    const { receipt, hidden, reveal } = await hiding;
    handedIn.receipt = receipt;
    if (!invitations) return;
    handedIn.signature = reveal((await invitation({ hidden })).signature);
    element("code").value = "";
  }

  async function send() {
    const button = element("send");
    button.disabled = true;
    say(text("sending"));
    try {
      await post(address, element("record").value);
      button.textContent = text("sent");
      say(text("sent_to", { host: new URL(address).host }));
    } catch (error) {
      button.disabled = false;
      say(told(error, (values) => text("error_from", values), (values) => text("unconfirmed", values)));
    } finally {
      if (document.activeElement === document.body) (button.disabled ? element("status") : button).focus();
    }
  }

  // The code of an invitation's link, which leaves the address bar: the part behind # is never sent to a server.
  function takeCode() {
    const code = new URLSearchParams(location.hash.slice(1)).get("code");
    if (!code) return;
    element("code").value = code;
    history.replaceState(null, "", location.pathname + location.search);
  }

  element("unready").hidden = true;
  const safe = window.crypto && crypto.getRandomValues && (!invitations || crypto.subtle);
  if (typeof BigInt !== "function" || typeof randomise !== "function" || !safe) {
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
  element("start").addEventListener("click", begin);
  element("back").addEventListener("click", () => goTo("before"));
  element("download").addEventListener("click", download);
  element("copy").addEventListener("click", copy);
  element("send")?.addEventListener("click", send);
  if (invitations) takeCode();
  element("forget")?.addEventListener("click", () => {
    deviceMemory(mechanism.sha256).forget();
    element("forgotten").hidden = false;
  });
  element("start").hidden = false;
})();
