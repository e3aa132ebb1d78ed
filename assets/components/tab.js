export default function ({ data, setTriggerValue }) {
  const tab = (window.rrWorkbenchTab ??= {});
  try {
    if (data.key) {
      const former = sessionStorage.getItem("rr-workbench");
      if (data.heard || !former || former === data.key) {
        sessionStorage.setItem("rr-workbench", data.key);
      } else if (tab.asked !== data.key) {
        tab.asked = data.key;
        setTriggerValue("former", former);
      }
    }
  } catch {}  // a browser that keeps nothing for pages: they are new when they are loaded anew
  if (data.names) {
    const others = new URLSearchParams(location.search);
    data.names.forEach((name) => others.delete(name));
    const said = [data.query, others.toString()].filter(Boolean).join("&");
    if (said !== location.search.slice(1)) {
      history.replaceState(history.state, "", location.pathname + (said && "?" + said) + location.hash);
    }
  }
}
