"use strict";

/**
 * The people: one set of dots that lives through all chapters. They walk, take colors and form groups. They are never drawn again from nothing.
 *
 * A scene says where: {groups: [{x, y, w, h, title, up}], of, tone, marks}, where places are parts of the canvas from its upper left, ``of`` is
 * each dot's group (AWAY: not on the screen), ``tone`` its color, and a group is filled row by row; a column of a heap (``heap``) from below, and
 * wholly. Each dot has as much room, at most ``pitch`` pixels squared, so that areas can be compared. ``marks`` are lines, bands and texts.
 */
const DOTS = 2000, AWAY = 255, TONES = ["faint", "text", "blue", "orange", "green", "pink", "sky"];
const FAINT = 0, BLUE = 2, ORANGE = 3, GREEN = 4, PINK = 5, SKY = 6;

class Crowd {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    for (const name of ["x", "y", "fromX", "fromY", "toX", "toY"]) this[name] = new Float32Array(DOTS);
    this.order = new Uint16Array(DOTS);
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.pitch = this.toPitch = this.fromPitch = 6;
    this.scene = null;
    this.moving = 0;
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.recolor();
  }

  /** Colors of the page, read again when it turns dark or light. */
  recolor() {
    const style = getComputedStyle(document.documentElement);
    this.colors = TONES.map((name) => style.getPropertyValue(`--${name}`).trim());
    this.paint();
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!w || !h) return;
    const dense = Math.min(devicePixelRatio || 1, 2);
    const [before, tall] = [this.width, this.height];
    [this.width, this.height] = [w, h];
    this.canvas.width = Math.round(w * dense);
    this.canvas.height = Math.round(h * dense);
    this.context.setTransform(dense, 0, 0, dense, 0, 0);
    this.font = parseFloat(getComputedStyle(this.canvas).fontSize);
    if (!this.scene) return;
    if (before) for (let i = 0; i < DOTS; i++) [this.x[i], this.y[i]] = [(this.x[i] * w) / before, (this.y[i] * h) / tall];
    this.show(this.scene, 0);
  }

  /** Have the people walk to their places in ``scene`` within ``time`` milliseconds. */
  show(scene, time = 700) {
    const first = !this.scene;
    this.scene = scene;
    if (!this.width) return;
    this.place(scene);
    this.fromX.set(this.x);
    this.fromY.set(this.y);
    this.fromPitch = this.pitch;
    this.began = performance.now();
    this.time = first || this.still.matches ? 0 : time;
    if (!this.moving) this.moving = requestAnimationFrame((now) => this.step(now));
  }

  step(now) {
    const part = this.time ? Math.min(1, Math.max(0, now - this.began) / this.time) : 1;
    const eased = part * part * (3 - 2 * part);
    for (let i = 0; i < DOTS; i++) {
      this.x[i] = this.fromX[i] + (this.toX[i] - this.fromX[i]) * eased;
      this.y[i] = this.fromY[i] + (this.toY[i] - this.fromY[i]) * eased;
    }
    this.pitch = this.fromPitch + (this.toPitch - this.fromPitch) * eased;
    this.paint();
    this.moving = part < 1 ? requestAnimationFrame((again) => this.step(again)) : 0;
  }

  /** Where everybody is to stand. */
  place({ groups, of, tone, pitch: most = 16 }) {
    const starts = new Uint32Array(257 * 8);
    for (let i = 0; i < DOTS; i++) starts[of[i] * 8 + 8 - tone[i]]++;
    const sizes = groups.map((_, g) => starts.subarray(g * 8 + 1, g * 8 + 9).reduce((a, b) => a + b, 0));
    for (let key = 1; key < starts.length; key++) starts[key] += starts[key - 1];
    const ends = starts.slice();
    for (let i = 0; i < DOTS; i++) this.order[ends[of[i] * 8 + 7 - tone[i]]++] = i; // by group, then color
    const boxes = groups.map((group) => this.box(group));
    let pitch = Math.min(most, (this.width * this.height) ** 0.5 / 34);
    const full = ([, , w, h], g) => sizes[g] && Math.ceil(sizes[g] / grid(w, pitch, groups[g].heap)[0]) * grid(w, pitch, groups[g].heap)[2] > h;
    while (pitch > 1 && boxes.some(full)) pitch *= 0.97;
    this.toPitch = pitch;
    for (let at = 0; at < DOTS; at++) {
      const i = this.order[at], g = of[i];
      if (g === AWAY) {
        this.toX[i] = (this.width * (i + 0.5)) / DOTS;
        this.toY[i] = this.height + 40;
        continue;
      }
      const [x, y, w, h] = boxes[g];
      const [columns, across, down] = grid(w, pitch, groups[g].heap), nth = at - starts[g * 8];
      const row = Math.floor(nth / columns);
      this.toX[i] = x + ((nth % columns) + 0.5) * across;
      this.toY[i] = groups[g].heap ? y + h - (row + 0.5) * down : y + (row + 0.5) * down;
    }
  }

  /** The part of a group below its title, in pixels. */
  box({ x, y, w, h, title }) {
    const above = title ? this.lines(title, w * this.width).length * this.font * 1.25 + 7 : 0;
    return [x * this.width, y * this.height + above, w * this.width, h * this.height - above];
  }

  lines(text, width) {
    this.context.font = this.face();
    const lines = [];
    for (const word of text.split(" ")) {
      const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
      if (lines.length && this.context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  }

  face(bold = false) {
    return `${bold ? "600 " : ""}${this.font}px system-ui, sans-serif`;
  }

  paint() {
    if (!this.scene || !this.width) return;
    const { context, scene, pitch } = this;
    context.clearRect(0, 0, this.width, this.height);
    for (const mark of scene.marks ?? []) if (mark.under) this.mark(mark);
    const radius = pitch * 0.41;
    let tone = -1;
    for (let at = 0; at < DOTS; at++) {
      const i = this.order[at];
      if (scene.tone[i] !== tone) {
        if (tone >= 0) context.fill();
        tone = scene.tone[i];
        context.fillStyle = this.colors[tone];
        context.beginPath();
      }
      const x = this.x[i], y = this.y[i];
      if (y > this.height + radius) continue;
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 6.2832);
    }
    context.fill();
    for (const group of scene.groups) if (group.title) this.title(group);
    for (const mark of scene.marks ?? []) if (!mark.under) this.mark(mark);
  }

  title({ x, y, w, title }) {
    this.context.fillStyle = this.colors[1];
    this.context.textAlign = "left";
    this.context.textBaseline = "top";
    this.lines(title, w * this.width).forEach((line, i) => {
      this.context.fillText(line, x * this.width, y * this.height + 3 + i * this.font * 1.25);
    });
  }

  mark({ line, band, heap, text, x, y, tone = 1, align = "center", dashed = false, thick = 1.5, bold = false }) {
    const { context, width: w, height: h } = this;
    if (line) {
      context.strokeStyle = this.colors[tone];
      context.lineWidth = thick;
      context.setLineDash(dashed ? [5, 4] : []);
      context.beginPath();
      line.forEach(([a, b], i) => context[i ? "lineTo" : "moveTo"](a * w, b * h));
      context.stroke();
      context.setLineDash([]);
    }
    if (heap) band = [heap[0], heap[2] - Math.min(heap[2], (heap[3] * this.toPitch ** 2) / (heap[1] * w * h)), heap[1], 0];
    if (heap) band[3] = heap[2] - band[1];
    if (band) {
      context.fillStyle = this.colors[tone];
      context.globalAlpha = 0.18;
      context.fillRect(band[0] * w, band[1] * h, band[2] * w, band[3] * h);
      context.globalAlpha = 1;
    }
    if (text) {
      context.font = this.face(bold);
      context.fillStyle = this.colors[tone];
      context.textAlign = align;
      context.textBaseline = "middle";
      const long = context.measureText(text).width, before = { left: 0, center: long / 2, right: long }[align];
      const tall = this.font * 0.65; // never beyond an edge
      context.fillText(text, Math.min(w - long + before, Math.max(before, x * w)), Math.min(h - tall, Math.max(tall, y * h)));
    }
  }
}

/** Columns of dots in a group of this width, and how far apart they are, across and down. */
function grid(w, pitch, heap) {
  if (!heap) return [Math.max(1, Math.floor(w / pitch)), pitch, pitch];
  const columns = Math.max(1, Math.round(w / pitch));
  return [columns, w / columns, (pitch * pitch * columns) / w];
}
