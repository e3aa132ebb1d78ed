export default function ({ data, setTriggerValue }) {
  const tab = (window.rrWorkbenchTab ??= {});
  try {
    if (data.session) {
      const former = JSON.parse(sessionStorage.getItem("rr-workbench") ?? "{}");
      const isNew = tab.session !== data.session;
      tab.session = data.session;
      if (isNew && former.uploaded && !data.uploaded) {
        setTriggerValue("former", former.run);
      } else {
        sessionStorage.setItem("rr-workbench", JSON.stringify({ run: data.run, uploaded: data.uploaded }));
      }
    }
  } catch {}  // a browser that keeps nothing for pages: nobody is told that a table is lost
  if (data.names) {
    const others = new URLSearchParams(location.search);
    data.names.forEach((name) => others.delete(name));
    const said = [data.query, others.toString()].filter(Boolean).join("&");
    if (said !== location.search.slice(1)) {
      history.replaceState(history.state, "", location.pathname + (said && "?" + said) + location.hash);
    }
  }
}
