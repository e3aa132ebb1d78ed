"use strict";

/** Around the chapters: which one is shown, its state in the address, keys, the view for a projector, and what is read aloud. */
class Shell {
  constructor(chapters, data) {
    Object.assign(this, { chapters, data });
    this.page = { level: "words", presenter: false };
    this.canvas = document.getElementById("people");
    this.crowd = new Crowd(this.canvas);
    this.aloud = document.getElementById("aloud");
    this.found = document.getElementById("found");
    this.states = chapters.map((chapter) => ({ ...chapter.defaults }));
    this.done = new Set();
    this.at = -1;
    document.documentElement.classList.add("live");
    chapters.forEach((chapter, i) => this.build(chapter, i));
    this.listen();
    const { at, found, page } = Address.read(location.hash, chapters);
    Object.assign(this.states[at], found);
    this.setLevel(page.level ?? "words");
    this.setPresenter(page.presenter ?? false);
    this.go(at, { first: true });
  }

  build(chapter, i) {
    chapter.section = document.getElementById(`chapter-${i + 1}`);
    chapter.limits = { revealed: [0, 1], ...chapter.limits };
    chapter.defaults.revealed ??= 0;
    this.states[i].revealed ??= 0;
    chapter.finding_ = chapter.section.querySelector(".finding");
    chapter.controls = new Controls(chapter.section.querySelector(".play"), chapter, this.states[i], (live) => this.changed(i, live));
    chapter.play(chapter.controls);
    chapter.onward = chapter.section.querySelector(".onward a");
  }

  listen() {
    for (const link of document.querySelectorAll("nav a, .steps a")) {
      link.addEventListener("click", (event) => {
        event.preventDefault(); // in a frame without an address of its own a link would lead elsewhere
        const { to, by } = link.dataset;
        if (to) this.go(Number(to));
        else if (Number(by) > 0) this.forward();
        else this.back();
      });
    }
    for (const input of document.querySelectorAll("input[name=level]")) input.addEventListener("change", () => this.setLevel(input.value));
    document.getElementById("present").addEventListener("click", () => this.setPresenter(!this.page.presenter, true));
    document.getElementById("copy").addEventListener("click", () => this.copy());
    document.getElementById("again").addEventListener("click", () => this.restart());
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => {
      if (location.hash === this.written) return;
      const { at, found, page } = Address.read(location.hash, this.chapters);
      Object.assign(this.states[at], this.chapters[at].defaults, found);
      if (page.level) this.setLevel(page.level);
      if (at === this.at) this.changed(at);
      else this.go(at);
    });
    for (const link of document.querySelectorAll("a[data-page]")) link.href = this.data.dashboard + link.dataset.page;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.crowd.recolor());
    addEventListener("message", ({ source, data }) => {
      if (source !== parent || parent === window || typeof data?.question !== "string") return;
      this.ask(data.question);
      document.documentElement.dataset.theme = data.dark ? "dark" : "light";
      this.crowd.recolor();
    });
    addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => (each.open = true)));
    document.addEventListener("fullscreenchange", () => {
      if (!document.fullscreenElement && this.page.presenter) this.setPresenter(false);
    });
  }

  /** The question of a teacher who shows this page in a frame of theirs; empty for the one that it was made with. */
  ask(question) {
    for (const place of document.querySelectorAll(".question")) {
      this.made ??= place.textContent;
      place.textContent = question.slice(0, 500) || this.made;
    }
  }

  /** Arrow keys turn the pages, unless a control needs them. In the presenter view the next key first shows the result. */
  key(event) {
    const inside = event.target.closest?.("input, select, textarea, [role=slider]");
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape" && this.page.presenter) this.setPresenter(false);
    const pages = event.key === "PageDown" || event.key === "PageUp";
    if (inside && !(pages && this.page.presenter)) return;
    if (event.key === "p" || event.key === "P") this.setPresenter(!this.page.presenter, true);
    else if (event.key === "ArrowRight" || (pages && this.page.presenter && event.key === "PageDown")) this.forward();
    else if (event.key === "ArrowLeft" || (pages && this.page.presenter && event.key === "PageUp")) this.back();
    else return;
    event.preventDefault();
  }

  /** On a projector: the result, then its explanation with numbers or formulas, then the next chapter. */
  forward() {
    const { controls } = this.chapters[this.at], { presenter, level } = this.page;
    if (presenter && !this.states[this.at].revealed) controls.reveal({ focus: false });
    else if (presenter && level !== "words" && !this.explained) this.explain(true);
    else this.go(this.at + 1);
  }

  back() {
    if (this.explained) this.explain(false);
    else this.go(this.at - 1);
  }

  explain(on) {
    this.explained = on;
    document.body.classList.toggle("explained", on);
  }

  go(at, { first = false } = {}) {
    if (at < 0 || at >= this.chapters.length || at === this.at) return;
    this.at = at;
    this.explain(false);
    this.chapters.forEach((chapter, i) => (chapter.section.hidden = i !== at));
    document.querySelectorAll("nav a").forEach((link, i) => {
      if (i === at) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    for (const link of document.querySelectorAll(".steps a")) link.hidden = !this.chapters[at + Number(link.dataset.by)];
    document.getElementById("place").textContent = `${at + 1} of ${this.chapters.length}`;
    document.title = `${this.chapters[at].section.querySelector("h2").textContent} · Randomized response`;
    this.canvas.style.touchAction = this.chapters[at].pointed ? "none" : "";
    this.changed(at);
    if (!first) {
      scrollTo(0, 0);
      this.chapters[at].section.querySelector("h2").focus({ preventScroll: true });
    }
  }

  changed(i, live = false) {
    if (i !== this.at) return;
    const chapter = this.chapters[i], state = this.states[i];
    chapter.controls.refresh();
    const scene = chapter.scene(state, this.data);
    this.crowd.show(scene, live ? 120 : 700);
    this.legend(scene.legend ?? []);
    chapter.section.classList.toggle("open", Boolean(state.revealed)); // explanations wait until a guess is made
    document.body.classList.toggle("revealed", Boolean(state.revealed));
    chapter.finding_.hidden = this.found.hidden = !state.revealed;
    if (state.revealed) {
      const said = chapter.finding(state, this.data);
      chapter.finding_.textContent = this.found.textContent = said;
      this.say(said);
      this.complete(i);
    }
    this.canvas.setAttribute("aria-label", scene.about);
    if (chapter.onward) {
      chapter.onward.href = this.data.dashboard + chapter.link(state);
      chapter.onward.textContent = "Open this example in RR Workbench";
    }
    this.write();
  }

  legend(entries) {
    const place = document.getElementById("legend");
    place.replaceChildren(
      ...entries.map(([tone, text]) => {
        const item = document.createElement("li"), dot = document.createElement("i");
        dot.className = `tone-${TONES[tone]}`;
        item.append(dot, text);
        return item;
      }),
    );
  }

  /** A reader hears what was found once a control has come to rest. */
  say(text) {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => (this.aloud.textContent = text), 400);
  }

  complete(i) {
    if (this.done.has(i)) return;
    this.done.add(i);
    document.querySelectorAll("nav a")[i].classList.add("done");
  }

  restart() {
    Object.assign(this.states[this.at], this.chapters[this.at].defaults);
    this.changed(this.at);
  }

  write() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => {
      this.written = Address.write(this.at, this.chapters[this.at], this.states[this.at], this.page);
      try {
        history.replaceState(null, "", this.written);
      } catch {
        this.written = ""; // a frame without an address of its own
      }
    }, 150);
  }

  async copy() {
    const hash = Address.write(this.at, this.chapters[this.at], this.states[this.at], this.page);
    const text = location.href.split("#")[0] + hash;
    const status = document.getElementById("copied");
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = "Copied.";
    } catch {
      status.textContent = text;
    }
  }

  setLevel(level) {
    this.page.level = level;
    document.body.dataset.level = level;
    document.querySelector(`input[name=level][value=${level}]`).checked = true;
    if (this.at >= 0) this.write();
  }

  setPresenter(on, asked = false) {
    this.page.presenter = on;
    document.body.classList.toggle("presenter", on);
    this.explain(false);
    document.getElementById("present").setAttribute("aria-pressed", String(on));
    if (asked && on) document.documentElement.requestFullscreen?.().catch(() => {});
    if (!on && document.fullscreenElement) document.exitFullscreen();
    if (this.at >= 0) this.write();
  }
}
