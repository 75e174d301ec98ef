// Kernels over time, before and after, on one scale that zooms: drag a range, use the buttons or the arrow keys.
import {type Kernel} from "./data";
import {h} from "./dom";
import {plural, us} from "./format";
import {asTimed, busyUs, endOf, isSlowed, type Lane} from "./lanes";
import {color, onTheme} from "./theme";

const kLane = 34,
  kGap = 12,
  kTop = 22,
  kLeft = 64,
  kLetter = 6.5; // about, of its text

// What a kernel does, by the operator that launched it: the colours of the chart.
const kKinds: [string, RegExp][] = [
  ["attention", /attention|flash|fmha|sdpa/i],
  ["product", /linear|matmul|addmm|bmm|gemm|conv|mm\b/i],
  ["norm", /norm|softmax/i],
  ["copy", /copy|contiguous|clone|cat|memcpy|memset|index|gather|embedding/i],
  ["other", /./],
];

// The operator says it better than the kernel's name, whose templates hold words of all kinds.
function kindOf(k: Kernel): number {
  const other = kKinds.length - 1,
    byOp = kKinds.findIndex(([, pattern]) => pattern.test(k.op));
  return byOp >= 0 && byOp < other ? byOp : k.op ? other : kKinds.findIndex(([, pattern]) => pattern.test(k.name));
}

const cut = (text: string, letters: number) =>
  text.length > letters ? `${text.slice(0, Math.max(0, Math.floor(letters) - 1))}…` : text;

class Timeline {
  readonly element: HTMLElement;
  private canvas = h("canvas", {tabindex: "0", role: "img"});
  private tip = h("div", {class: "tip", hidden: true});
  private status = h("span", {class: "quiet", "aria-live": "polite"});
  private from = 0;
  private to: number;
  private dragged: number | null = null;

  private lanes: Lane[];

  constructor(recorded: Lane[]) {
    this.lanes = recorded.map(asTimed);
    this.to = this.end;
    const words = this.lanes
      .map(({name, kernels}) => `${name}: ${plural(kernels.length, "kernel")} of ${us(busyUs(kernels))} together`)
      .join("; ");
    const how = recorded.some(isSlowed)
      ? " The call was recorded, which holds up the host: gaps are shortened to those of a timed call."
      : "";
    this.canvas.setAttribute("aria-label", `Kernels over time. ${words}`);
    const button = (label: string, title: string, act: () => void) =>
      h("button", {type: "button", title, "aria-label": title, click: act}, label);
    this.element = h(
      "figure",
      {class: "chart timeline"},
      h(
        "div",
        {class: "chart-tools"},
        button("+", "Zoom in", () => this.zoom(0.5)),
        button("−", "Zoom out", () => this.zoom(2)),
        button("Whole", "Show the whole call", () => this.show(0, this.end)),
        this.status,
      ),
      h("div", {class: "timeline-box"}, this.canvas, this.tip),
      h(
        "figcaption",
        {},
        h("span", {class: "legend"}, ...kKinds.map(([kind], i) => h("span", {class: `key key-${i}`}, kind))),
        ` ${words}.${how} Drag to zoom, double-click for the whole, arrow keys to move.`,
      ),
    );
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    onTheme(() => this.draw());
  }

  private get end() {
    return Math.max(1e-3, ...this.lanes.map((lane) => endOf(lane.kernels)));
  }
  private get width() {
    return this.canvas.clientWidth;
  }
  private x(time: number) {
    return kLeft + ((time - this.from) / (this.to - this.from)) * (this.width - kLeft);
  }
  private timeAt(x: number) {
    return this.from + ((x - kLeft) / (this.width - kLeft)) * (this.to - this.from);
  }

  private show(from: number, to: number): void {
    const span = Math.min(this.end, Math.max(to - from, this.end / 5000));
    this.from = Math.min(Math.max(0, from), this.end - span);
    this.to = this.from + span;
    this.canvas.dataset.from = this.from.toFixed(3);
    this.canvas.dataset.to = this.to.toFixed(3);
    this.status.textContent = span < this.end ? `${us(this.from)} to ${us(this.to)}` : "";
    this.draw();
  }

  private zoom(factor: number): void {
    const middle = (this.from + this.to) / 2,
      half = ((this.to - this.from) / 2) * factor;
    this.show(middle - half, middle + half);
  }

  private kernelAt(x: number, y: number): Kernel | undefined {
    const lane = this.lanes[Math.floor((y - kTop) / (kLane + kGap))];
    const time = this.timeAt(x),
      grain = (this.to - this.from) / this.width;
    return lane?.kernels.find((k) => time >= k.startUs - grain && time <= k.startUs + k.durationUs + grain);
  }

  private hover(event: PointerEvent): void {
    const k = this.kernelAt(event.offsetX, event.offsetY);
    this.tip.hidden = !k;
    if (!k) return;
    this.tip.replaceChildren(
      h("strong", {}, us(k.durationUs)),
      ` at ${us(k.startUs)}`,
      h("br"),
      k.name,
      h("br"),
      h("span", {class: "quiet"}, [k.op, k.scope || k.where.scope].filter(Boolean).join(" in ")),
    );
    this.tip.style.left = `${Math.min(event.offsetX + 12, Math.max(0, this.width - 300))}px`;
    this.tip.style.top = `${event.offsetY + 16}px`;
  }

  private listen(): void {
    const c = this.canvas;
    c.addEventListener("pointermove", (e) => (this.hover(e), this.dragged !== null && this.draw(e.offsetX)));
    c.addEventListener("pointerleave", () => (this.tip.hidden = true));
    c.addEventListener("pointerdown", (e) => (c.setPointerCapture(e.pointerId), (this.dragged = e.offsetX)));
    c.addEventListener("pointerup", (e) => {
      const began = this.dragged;
      this.dragged = null;
      if (began === null || Math.abs(e.offsetX - began) < 5) return this.draw();
      this.show(this.timeAt(Math.min(began, e.offsetX)), this.timeAt(Math.max(began, e.offsetX)));
    });
    c.addEventListener("dblclick", () => this.show(0, this.end));
    c.addEventListener("keydown", (e) => {
      const step = (this.to - this.from) / 4;
      const act: Record<string, () => void> = {
        ArrowLeft: () => this.show(this.from - step, this.to - step),
        ArrowRight: () => this.show(this.from + step, this.to + step),
        ArrowUp: () => this.zoom(0.5),
        ArrowDown: () => this.zoom(2),
        "+": () => this.zoom(0.5),
        "-": () => this.zoom(2),
        "0": () => this.show(0, this.end),
      };
      if (!act[e.key]) return;
      act[e.key]();
      e.preventDefault();
    });
  }

  private draw(selectedTo?: number): void {
    const height = kTop + this.lanes.length * (kLane + kGap),
      scale = devicePixelRatio || 1;
    if (!this.width) return;
    this.canvas.width = this.width * scale;
    this.canvas.height = height * scale;
    this.canvas.style.height = `${height}px`;
    const g = this.canvas.getContext("2d")!;
    g.scale(scale, scale);
    g.font = "12px system-ui, sans-serif";
    this.drawAxis(g, height);
    this.lanes.forEach((lane, i) => this.drawLane(g, lane, kTop + i * (kLane + kGap)));
    if (this.dragged === null || selectedTo === undefined) return;
    g.fillStyle = color("accent-soft");
    g.globalAlpha = 0.5;
    g.fillRect(Math.min(this.dragged, selectedTo), 0, Math.abs(selectedTo - this.dragged), height);
  }

  private drawAxis(g: CanvasRenderingContext2D, height: number): void {
    const span = this.to - this.from,
      rough = span / Math.max(2, this.width / 130);
    const power = 10 ** Math.floor(Math.log10(rough)),
      step = power * ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10);
    g.fillStyle = color("quiet");
    g.strokeStyle = color("line");
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      (g.beginPath(), g.moveTo(this.x(t), 16), g.lineTo(this.x(t), height), g.stroke());
      if (this.x(t) < this.width - 40) g.fillText(t === 0 ? "0" : us(t), this.x(t) + 3, 12);
    }
  }

  private drawLane(g: CanvasRenderingContext2D, lane: Lane, top: number): void {
    g.save();
    (g.beginPath(), g.rect(kLeft, top, this.width - kLeft, kLane), g.clip());
    g.fillStyle = color("sunken");
    g.fillRect(kLeft, top, this.x(endOf(lane.kernels)) - kLeft, kLane);
    for (const k of lane.kernels) {
      const x = this.x(k.startUs),
        w = this.x(k.startUs + k.durationUs) - x;
      if (x > this.width || x + w < kLeft) continue;
      g.fillStyle = color(`kind-${kindOf(k)}`);
      g.fillRect(x, top, Math.max(0.75, w - (w > 3 ? 1 : 0)), kLane);
      if (w < 60) continue;
      g.fillStyle = color(`on-kind`);
      g.fillText(cut(k.op.replace("aten::", "") || k.name, (w - 8) / kLetter), Math.max(x, kLeft) + 4, top + kLane / 2 + 4);
    }
    g.restore();
    g.fillStyle = color("ink");
    g.fillText(lane.name, 0, top + kLane / 2 + 4);
  }
}

export function timeline(lanes: Lane[]): HTMLElement | null {
  const shown = lanes.filter((lane) => lane.kernels.some((k) => k.durationUs > 0));
  return shown.length ? new Timeline(shown).element : null;
}
