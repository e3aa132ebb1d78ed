const LINKS = 'a[data-testid="stPageLink-NavLink"]';

export default function ({ data, setTriggerValue }) {
  const before = window.rrWorkbenchPage;
  window.rrWorkbenchPage = data.page;
  if (before !== undefined && before !== data.page && window.innerWidth < 768) {
    document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  }
  window.rrWorkbenchTyping ??= holdLinks();
  window.rrWorkbenchTheme ??= watchTheme();
  window.rrWorkbenchTheme.changed = () => setTriggerValue("theme", true);
}

// Figures and the mark of the product have the colours of the theme from the server: where it changes under an open page, as it does on
// many computers in the evening, the page is run again.
function watchTheme() {
  const theme = {};
  const settle = 100; // milliseconds until the page has its new colours, by which the server is told of them
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTimeout(() => theme.changed(), settle));
  return theme;
}

// What is typed is sent when its field is left, also by the press on a link. A page that is replaced meanwhile does not take it: the link
// is followed as soon as the page has.
function holdLinks() {
  const typing = { changed: false, next: null };
  const running = () => document.querySelector('[data-testid="stApp"]').getAttribute("data-test-script-state") !== "notRunning";
  addEventListener("input", () => { typing.changed = true; }, true);
  addEventListener("click", (event) => {
    const link = event.target.closest?.(LINKS);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !(typing.changed || typing.next)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!typing.next) follow(performance.now(), false);
    typing.next = link;
  }, true);
  const follow = (start, ran) => {
    const waited = performance.now() - start;
    if (running() ? waited < 10000 : !ran && waited < 400) {
      setTimeout(follow, 20, start, ran || running());
      return;
    }
    const { next } = typing;
    typing.changed = false;
    typing.next = null;
    // not by the address alone: that of Start is empty, which a browser takes for the page's own
    [...document.querySelectorAll(LINKS)].find((link) => link.textContent === next.textContent && link.href === next.href)?.click();
  };
  return typing;
}
