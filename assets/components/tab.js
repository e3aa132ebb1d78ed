export default function ({ data, setTriggerValue }) {
  const tab = (window.rrWorkbenchTab ??= {});
  try {
    if (data.session) {
      const former = JSON.parse(sessionStorage.getItem("rr-workbench") ?? "{}");
      const isNew = tab.session !== data.session;
      const own = data.table === "upload";
      tab.session = data.session;
      tab.lost &&= !data.table;
      if (isNew && former.uploaded && !data.table) {
        tab.lost = true;
        setTriggerValue("former", former.run);
      } else {
        sessionStorage.setItem("rr-workbench", JSON.stringify({ run: data.run, uploaded: own || !!tab.lost }));
      }
      tab.connected = () => (own || tab.lost) && setTriggerValue("former", data.run);
    }
  } catch {}  // a browser that keeps nothing for pages: nobody is told that a table is lost
  if (!tab.watched) {
    // Streamlit does not run the page after a lost connection: it would go on showing the table that the server no longer has
    const app = document.querySelector("[data-test-connection-state]");
    const state = () => app.getAttribute("data-test-connection-state");
    tab.state = app && state();
    tab.watched = app && new MutationObserver(() => {
      if (state() !== tab.state) {
        tab.state = state();
        if (tab.state === "CONNECTED") tab.connected?.();
      }
    });
    tab.watched?.observe(app, { attributes: true, attributeFilter: ["data-test-connection-state"] });
  }
  if (data.names) {
    const others = new URLSearchParams(location.search);
    data.names.forEach((name) => others.delete(name));
    const said = [data.query, others.toString()].filter(Boolean).join("&");
    if (said !== location.search.slice(1)) {
      history.replaceState(history.state, "", location.pathname + (said && "?" + said) + location.hash);
    }
  }
}
