"use strict";

/** Progress for a learning platform that speaks SCORM 1.2: kept as it is made, and committed before the page closes. */
const Platform = (() => {
  const began = Date.now(), limit = 4096; // characters of cmi.suspend_data: it stays below
  let over = false;

  /** The platform's API, in one of the windows around this one or in the one that opened it. */
  function found(from) {
    for (let place = from, steps = 0; place && steps < 20; place = place.parent, steps++) {
      try {
        if (place.API) return place.API;
      } catch {
        return null; // a window of somebody else
      }
      if (place.parent === place) break;
    }
    return null;
  }
  const api = found(window) ?? (window.opener ? found(window.opener) : null);
  if (!api || api.LMSInitialize("") !== "true") return { api: null };

  function time() {
    const seconds = Math.floor((Date.now() - began) / 1000);
    const two = (number) => String(number).padStart(2, "0");
    return `${String(Math.floor(seconds / 3600)).padStart(4, "0")}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  }

  function keep() {
    if (over) return;
    const progress = lessonShell.progress(), kept = JSON.stringify(progress);
    if (kept.length < limit) api.LMSSetValue("cmi.suspend_data", kept);
    api.LMSSetValue("cmi.core.lesson_location", String(progress.at + 1));
    api.LMSSetValue("cmi.core.lesson_status", progress.done.length === lessonShell.chapters.length ? "completed" : "incomplete");
    api.LMSSetValue("cmi.core.session_time", time());
    api.LMSCommit("");
  }

  function leave() {
    if (over) return;
    api.LMSSetValue("cmi.core.exit", "suspend");
    keep();
    over = true;
    api.LMSFinish("");
  }

  try {
    const kept = JSON.parse(api.LMSGetValue("cmi.suspend_data"));
    if (Number.isInteger(kept.at) && Array.isArray(kept.done)) lessonShell.resume(kept);
  } catch {
    // a first visit, or what another version kept
  }
  keep();
  document.addEventListener("lesson:progress", keep);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && keep());
  addEventListener("pagehide", leave);
  return { api, keep, leave };
})();
