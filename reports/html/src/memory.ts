// Memory over the time of one call, as it was watched; else the peak by shapes.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import {type Data, type MemoryTimeline} from "./data";
import {bar, h} from "./dom";
import {bytes, place, us} from "./format";
import {color, onTheme} from "./theme";

const kSteps = Array.from({length: 50}, (_, i) => 2 ** i); // between the lines: whole KiB and MiB

function chart(m: MemoryTimeline): HTMLElement {
  const box = h("div", {
    class: "plot",
    role: "img",
    "aria-label": `Memory of one call: peak ${bytes(m.peakBytes)} after ${us(m.peakUs)}`,
  });
  let plot: uPlot | null = null;
  const draw = () => {
    plot?.destroy();
    const axis = {
      stroke: color("quiet"),
      grid: {stroke: color("line"), width: 1},
      ticks: {stroke: color("line"), width: 1},
      font: "12px system-ui, sans-serif",
    };
    plot = new uPlot(
      {
        width: Math.max(280, box.clientWidth),
        height: 260,
        cursor: {drag: {x: true, y: false}},
        scales: {x: {time: false}},
        legend: {live: true},
        axes: [
          {...axis, values: (_, ticks) => ticks.map((t) => us(t))},
          {...axis, size: 74, incrs: kSteps, values: (_, ticks) => ticks.map((t) => bytes(t))},
        ],
        series: [
          {label: "time", value: (_, v) => (v === null ? "" : us(v))},
          {
            label: "held",
            stroke: color("accent"),
            fill: color("accent-soft"),
            width: 1.5,
            paths: uPlot.paths.stepped!({align: 1}),
            value: (_, v) => (v === null ? "" : bytes(v)),
          },
        ],
      },
      [m.points.map((p) => p.us), m.points.map((p) => p.bytes)],
      box,
    );
  };
  new ResizeObserver(() => box.clientWidth && draw()).observe(box);
  onTheme(draw);
  return h(
    "figure",
    {class: "chart wide"},
    box,
    h(
      "figcaption",
      {},
      `Held beyond what was held before the call. Peak ${bytes(m.peakBytes)} after ${us(m.peakUs)}. Drag to zoom, double-click for the whole.`,
    ),
  );
}

function held(title: string, rows: {bytes: number; what: string}[]): HTMLElement | null {
  const most = Math.max(0, ...rows.map((r) => r.bytes));
  return rows.length
    ? h(
        "div",
        {},
        h("h3", {}, title),
        h(
          "ul",
          {class: "held"},
          ...rows.map((r) =>
            h("li", {}, h("span", {class: "num"}, bytes(r.bytes)), bar(r.bytes / most), h("span", {}, r.what)),
          ),
        ),
      )
    : null;
}

export function memorySection({report}: Data): HTMLElement | null {
  const watched = report.profile?.memory,
    estimated = report.memory;
  if (!watched?.points.length && !estimated?.peakBytes) return null;
  const section = h(
    "section",
    {id: "memory", "aria-labelledby": "memory-title"},
    h("h2", {id: "memory-title"}, "Memory"),
  );
  if (watched?.points.length)
    section.append(
      chart(watched),
      held(
        "Held at the peak",
        watched.atPeak.map((a) => ({bytes: a.bytes, what: `${a.op} at ${place(a.where)}`})),
      ) ?? "",
    );
  if (estimated?.peakBytes)
    section.append(
      h(
        "p",
        {},
        `By shapes: peak activations ${bytes(estimated.peakBytes)} at ${estimated.op} in ${place(estimated.where)}; beside them parameters ${bytes(estimated.parameterBytes)} and inputs ${bytes(estimated.inputBytes)}.`,
      ),
      held(
        "Largest then",
        estimated.largest.map((t) => ({bytes: t.bytes, what: `${t.type} of ${t.op} at ${place(t.where)}`})),
      ) ?? "",
    );
  return section;
}
