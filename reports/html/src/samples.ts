// The calls of a comparison: each one as a point, before and after, with the median and the middle half.
import {type Measurement, quantile} from "./data";
import {fitted, h, svg} from "./dom";
import {us} from "./format";

const kRow = 46,
  kLeft = 56,
  kRight = 16;

function samplesOf(m: Measurement): number[] {
  return (
    (m.timings.find((t) => t.regime === "warm" && t.wallUs.length) ?? m.timings.find((t) => t.wallUs.length))?.wallUs ??
    []
  );
}

// Points of one row lie on a few lines, in order of time, so that drift shows.
function row(values: number[], name: string, top: number, width: number, x: (us: number) => number): SVGElement {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, middle, high] = [0.25, 0.5, 0.75].map((q) => quantile(sorted, q));
  const step = Math.max(1, Math.floor(values.length / 400)); // more points than that hide each other
  const group = svg("g", {class: `samples-${name}`});
  group.append(svg("line", {x1: kLeft, x2: x(middle), y1: top + 16, y2: top + 16, class: "samples-line"}));
  group.append(svg("text", {x: 0, y: top + 20, class: "chart-label"}, name));
  group.append(
    svg("rect", {
      x: x(low),
      y: top + 4,
      width: Math.max(1, x(high) - x(low)),
      height: 24,
      rx: 3,
      class: "samples-half",
    }),
  );
  values.forEach((v, i) => {
    if (i % step === 0)
      group.append(
        svg("circle", {
          cx: x(v),
          cy: top + 6 + 20 * (i / Math.max(1, values.length - 1)),
          r: 1.8,
          class: "samples-point",
        }),
      );
  });
  group.append(svg("line", {x1: x(middle), x2: x(middle), y1: top + 1, y2: top + 31, class: "samples-median"}));
  const isLate = x(middle) > width - 90;
  group.append(
    svg(
      "text",
      {x: x(middle) + (isLate ? -4 : 4), y: top + 42, class: "chart-label", "text-anchor": isLate ? "end" : "start"},
      us(middle),
    ),
  );
  return group;
}

export function sampleChart(before: Measurement, after: Measurement): HTMLElement | null {
  const rows: [string, number[]][] = [
    ["before", samplesOf(before)],
    ["after", samplesOf(after)],
  ];
  const all = rows.flatMap(([, values]) => values).sort((a, b) => a - b);
  if (rows.some(([, values]) => values.length < 2)) return null;
  // Where the gain is large the scale begins at 0, so that lengths compare. A call that the machine interrupted would
  // squeeze the rest: the scale ends at the 99th percentile.
  const [a, b] = rows.map(([, values]) =>
    quantile(
      [...values].sort((x, y) => x - y),
      0.5,
    ),
  );
  const isFar = Math.max(a, b) > 1.5 * Math.min(a, b);
  const high = Math.max(quantile(all, 0.99), all[0] * 1.02),
    low = isFar ? 0 : all[0] - (high - all[0]) * 0.05,
    end = high + (high - low) * 0.05;
  const words = `${rows[0][1].length} calls before and ${rows[1][1].length} after, interleaved`;
  const draw = (width: number) => {
    const x = (v: number) => kLeft + (width - kLeft - kRight) * Math.min(1, (v - low) / (end - low));
    return svg(
      "svg",
      {viewBox: `0 0 ${width} ${2 * kRow + 4}`, role: "img", "aria-label": `Time of a call: ${words}`},
      isFar && svg("line", {x1: x(0), x2: x(0), y1: 0, y2: 2 * kRow, class: "grid"}),
      ...rows.map(([name, values], i) => row(values, name, i * kRow, width, x)),
    );
  };
  return h(
    "figure",
    {class: "chart"},
    fitted(draw),
    h(
      "figcaption",
      {},
      `Time of a call: ${words}. The bar holds the middle half, the line is the median${isFar ? "; the scale begins at 0" : ""}.`,
    ),
  );
}
