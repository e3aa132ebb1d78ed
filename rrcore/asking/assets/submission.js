"use strict";

/**
 * Submit a response: download it, copy it or send it. Check the invitation before.
 *
 * setup: element, text and randomBytes of form.js, and the address and invitations of the form
 * done: called when the response has been submitted
 * returns: { open, prepare, wire, fields }. The functions run before the questions, before randomization, and when the form starts.
 *   The fields are sent with the answers: a receipt and, with an invitation, its signature
 */
function submitting({ element, text, randomBytes, address, invitations }, done) {
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

  // Return the reply to one line of JSON. Throws a RangeError with the status if it is refused, and another Error without a reply.
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

  // The sentence about an error of post. The functions failed and unanswered return it for other refusals and without a reply.
  function explain(error, failed, unanswered) {
    const values = { host: new URL(address).host, status: error.message };
    if (!(error instanceof RangeError)) return unanswered(values);
    return (REFUSALS[error.message] || failed)(values);
  }

  // Run a step with its button disabled. If it fails, show why and return false.
  async function whileWaiting(id, step, show) {
    const button = element(id);
    button.disabled = true;
    try {
      await step();
      return true;
    } catch (error) {
      show(explain(error, (values) => text("invitation_failed", values), (values) => text("invitation_unanswered", values)));
      return false;
    } finally {
      button.disabled = false;
    }
  }

  const invitation = (more) => post(new URL("invitation", address), JSON.stringify(Object.assign({ code: element("code").value }, more)));

  // Return whether the invitation can be used, or none is needed. Otherwise, show the reason next to its field.
  async function open() {
    if (!invitations) return true;
    const show = (reason) => {
      element("uninvited").textContent = reason;
      element("uninvited").hidden = false;
      element("code").focus();
    };
    element("uninvited").hidden = true;
    if (element("code").value.trim()) return whileWaiting("start", () => invitation({}), show);
    show(text("invitation_missing"));
    return false;
  }

  // Draw the receipt and, with an invitation, get a blind signature. If that fails, the next attempt uses the same receipt.
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
      // the response may be stored, but it counts only once because of its receipt
      const unconfirmed = (values) => text("unconfirmed", values);
      const refused = (values) => (Number(values.status) < 500 ? text("error_from", values) : unconfirmed(values));
      say(explain(error, refused, unconfirmed));
    } finally {
      if (document.activeElement === document.body) (button.disabled ? element("status") : button).focus();
    }
  }

  // Take the code from an invitation's link and remove it from the address bar. Browsers never send the part after # to a server.
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

  return { open, prepare: (show) => whileWaiting("randomize", useInvitation, show), wire, fields };
}
