"use strict";

/** Controls of a chapter: HTML controls with names that write the chapter's state. */
class Controls {
  constructor(place, chapter, state, changed) {
    Object.assign(this, { place, chapter, state, changed, refreshers: [], into: place });
    this.ids = 0;
  }

  element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  id() {
    return `${this.chapter.name}-${++this.ids}`;
  }

  /** Show what ``fill`` adds only while ``when(state)``. */
  part(when, fill) {
    const box = this.element("div", { className: "part" });
    this.into.append(box);
    const outside = this.into;
    this.into = box;
    fill();
    this.into = outside;
    this.refreshers.push(() => (box.hidden = !when(this.state)));
  }

  revealed(fill) {
    this.part((state) => state.revealed, fill);
  }

  text(make) {
    const line = this.element("p", { className: "line" });
    this.into.append(line);
    this.refreshers.push(() => (line.textContent = make(this.state)));
  }

  slider(key, label, { text = String, step = 1, limits = this.chapter.limits[key] }) {
    const id = this.id();
    const input = this.element("input", { type: "range", id, min: limits[0], max: limits[1], step });
    const output = this.element("output", { htmlFor: id });
    input.addEventListener("input", () => {
      this.state[key] = Number(input.value);
      this.changed(true);
    });
    this.into.append(
      this.element("div", { className: "control" }, this.element("label", { htmlFor: id, textContent: label }), output, input),
    );
    this.refreshers.push(() => {
      input.value = this.state[key];
      output.textContent = text(this.state[key], this.state);
      input.setAttribute("aria-valuetext", output.textContent);
    });
  }

  choice(key, label, options) {
    const name = this.id();
    const box = this.element("fieldset", { className: "choice" }, this.element("legend", { textContent: label }));
    for (const [value, text] of options) {
      const input = this.element("input", { type: "radio", name, value });
      input.addEventListener("change", () => {
        this.state[key] = value;
        this.changed();
      });
      box.append(this.element("label", {}, input, this.element("span", { textContent: text })));
      this.refreshers.push(() => (input.checked = this.state[key] === value));
    }
    this.into.append(box);
  }

  /** One box for each text. Bit i of the state is 1 if box i is ticked. */
  ticks(key, label, texts) {
    const box = this.element("fieldset", { className: "choice" }, this.element("legend", { textContent: label }));
    texts.forEach((text, i) => {
      const input = this.element("input", { type: "checkbox" });
      input.addEventListener("change", () => {
        this.state[key] ^= 1 << i;
        this.changed();
      });
      const said = this.element("span");
      box.append(this.element("label", {}, input, said));
      this.refreshers.push(() => {
        input.checked = Boolean(this.state[key] & (1 << i));
        said.textContent = typeof text === "function" ? text(this.state) : text;
      });
    });
    this.into.append(box);
  }

  buttons(...each) {
    const row = this.element("p", { className: "buttons" });
    for (const [text, act, when = () => true] of each) {
      const button = this.element("button", { type: "button", textContent: text });
      button.addEventListener("click", () => {
        act(this.state);
        this.changed();
      });
      row.append(button);
      this.refreshers.push(() => (button.disabled = !when(this.state)));
    }
    this.into.append(row);
  }

  /**
   * Guess first, then see: the guess is set with a slider or drawn. It is compared with ``truth(state)``.
   */
  predict(label, { text, truth, answer = (found) => text(found), drawn = null }) {
    const box = this.element("div", { className: "predict" });
    this.into.append(box);
    const outside = this.into;
    this.into = box;
    this.part(
      (state) => !state.revealed,
      () => {
        if (drawn) drawn(this);
        else this.slider("guess", label, { text });
        const button = this.element("button", { type: "button", className: "main", textContent: "Check my guess" });
        button.addEventListener("click", () => this.reveal());
        this.into.append(this.element("p", { className: "buttons" }, button));
      },
    );
    this.revealed(() => {
      if (!drawn) this.text((state) => `You guessed ${text(state.guess)}. The answer is ${answer(truth(this.chapter.defaults))}.`);
    });
    this.into = outside;
  }

  /** ``focus``: whether to go on at the first control, from a button that is gone; a key that turns pages must not end in a slider. */
  reveal({ focus = true } = {}) {
    this.state.revealed = 1;
    this.chapter.reveal?.(this.state);
    this.changed();
    const found = this.chapter.finding_, stage = document.querySelector(".stage");
    if (found.offsetParent) scrollBy(0, found.getBoundingClientRect().top - stage.getBoundingClientRect().bottom - 8); // below the people, on a phone
    const next = this.place.querySelector(".part:not([hidden]) :is(input, button):not(:disabled)");
    if (focus && (document.activeElement === document.body || !document.activeElement.checkVisibility?.())) next?.focus({ preventScroll: true });
  }

  refresh() {
    for (const each of this.refreshers) each();
  }
}
