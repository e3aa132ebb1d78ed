const LINKS = '.rr-pages a, a[data-testid="stPageLink-NavLink"]';

export default function ({ data, parentElement, setTriggerValue }) {
  const list = parentElement.querySelector(".rr-pages") ?? parentElement.appendChild(listed(data));
  list.querySelectorAll("a").forEach((link) => {
    if (link.dataset.page === data.page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  list.onclick = (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // The server leaves a page without what its address says: else that were an entry of its own in the history, besides the next page's.
    if (link.dataset.page !== data.page) history.replaceState(history.state, "", location.pathname);
    setTriggerValue("page", link.dataset.page);
  };
  const before = window.rrWorkbenchPage;
  window.rrWorkbenchPage = data.page;
  if (before !== undefined && before !== data.page && window.innerWidth < 768) {
    document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  }
  window.rrWorkbenchTyping ??= holdLinks();
  window.rrWorkbenchRuns ??= watchRuns();
  window.rrWorkbenchTheme ??= watchTheme();
  window.rrWorkbenchTheme.changed = () => setTriggerValue("theme", true);
}

// Links to all pages, in their sections.
function listed({ sections, base }) {
  const list = document.createElement("nav");
  list.className = "rr-pages";
  list.setAttribute("aria-label", "Pages");
  for (const [title, pages] of sections) {
    const links = document.createElement("ul");
    if (title) {
      const head = list.appendChild(document.createElement("p"));
      head.textContent = title;
      links.setAttribute("aria-label", title);
    }
    for (const [name, page] of pages) {
      const link = links.appendChild(document.createElement("li")).appendChild(document.createElement("a"));
      Object.assign(link, { textContent: name, href: `${base}/${page}` });
      link.dataset.page = page;
    }
    list.append(links);
  }
  return list;
}

// The page is marked while a run takes longer than most: what still waits for it fades then (page.css).
function watchRuns() {
  const slow = 500; // milliseconds
  const app = document.querySelector('[data-testid="stApp"]'), page = document.documentElement;
  let waiting = 0;
  const runs = new MutationObserver(() => {
    clearTimeout(waiting);
    if (app.getAttribute("data-test-script-state") === "notRunning") page.classList.remove("rr-slow");
    else waiting = setTimeout(() => page.classList.add("rr-slow"), slow);
  });
  runs.observe(app, { attributeFilter: ["data-test-script-state"] });
  return runs;
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
    typing.next = link.href;
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
    [...document.querySelectorAll(LINKS)].find((link) => link.href === next)?.click();
  };
  return typing;
}
