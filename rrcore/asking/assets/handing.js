"use strict";

/**
 * How a report is handed in: as a file, as a copy, or sent; and the invitation that goes before it.
 *
 * setup: element, text and randomBytes of form.js, address and invitations of the form
 * done: called once the report was handed in
 * returns: { open, prepare, wire, fields }: what is done before the questions, before chance decides, and on the screen of the report;
 *   fields go with the answers: a receipt and, by invitation, its signature
 */
function handingIn({ element, text, randomBytes, address, invitations }, done) {
  const SEND_TIMEOUT = 30000; // milliseconds
  const fields = {};
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

  function say(sentence) {
    element("status").textContent = sentence;
  }

  function download() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([element("record").value, "\n"], { type: "application/json" }));
    link.download = `answer-${hex(randomBytes(8))}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    say(text("saved", { file: link.download }));
    done();
  }

  async function copy() {
    try {
      await navigator.clipboard.writeText(element("record").value);
      say(text("copied"));
    } catch (_) {
      element("exact").open = true;
      element("record").select();
      say(text("not_copied"));
    }
    done();
  }

  // The reply to one line of JSON; throws a RangeError with the status where it is refused, another Error where none comes.
  async function post(url, line) {
    const stop = window.AbortController ? new AbortController() : { abort() {} };
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

  const REFUSALS = { 410: () => text("closed"), 423: () => text("paused"), 429: () => text("too_many") };
  if (invitations) Object.assign(REFUSALS, { 404: () => text("invitation_unknown"), 409: () => text("invitation_used") });

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

  const invitation = (more) => post(new URL("invitation", address), JSON.stringify(Object.assign({ code: element("code").value }, more)));

  // Whether the invitation is free, where one is needed; else why not is told beside its field.
  async function open() {
    if (!invitations) return true;
    const tell = (why) => {
      element("uninvited").textContent = why;
      element("uninvited").hidden = false;
      element("code").focus();
    };
    element("uninvited").hidden = true;
    if (element("code").value.trim()) return whileWaiting("start", () => invitation({}), tell);
    tell(text("invitation_missing"));
    return false;
  }

  // Draws the receipt and, by invitation, has it signed unseen. Where that fails it can be tried again with the same one.
  let hiding = null;
  async function useInvitation() {
    if (!address) return;
    hiding = hiding || (async () => {
      const receipt = randomBytes(32);
      return Object.assign({ receipt: hex(receipt) }, invitations ? await hideReceipt(invitations, receipt, randomBytes) : {});
    })();
    const { receipt, hidden, reveal } = await hiding;
    fields.receipt = receipt;
    if (!invitations) return;
    fields.signature = reveal((await invitation({ hidden })).signature);
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
      done();
    } catch (error) {
      button.disabled = false;
      const unconfirmed = (values) => text("unconfirmed", values); // it may be stored: sent again, with its receipt, it counts once
      const refused = (values) => (Number(values.status) < 500 ? text("error_from", values) : unconfirmed(values));
      say(told(error, refused, unconfirmed));
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

  function wire() {
    element("download").addEventListener("click", download);
    element("copy").addEventListener("click", copy);
    if (element("send")) element("send").addEventListener("click", send);
    if (invitations) takeCode();
  }

  return { open, prepare: (tell) => whileWaiting("randomize", useInvitation, tell), wire, fields };
}
