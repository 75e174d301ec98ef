// Arithmetic intensity against what the GPU could do: modules by their estimate, kernels as they were counted.
import {type Data, type Roofline} from "./data";
import {fitted, h, svg} from "./dom";
import {count, us} from "./format";

interface Point {
  name: string;
  flops: number;
  bytes: number;
  us: number;
  isMeasured: boolean;
  n: number;
}

const kHeight = 380,
  kLeft = 70,
  kBottom = 44,
  kTop = 16,
  kRight = 24;

const withoutNumbers = (path: string) =>
  path
    .split(".")
    .map((p) => (/^\d+$/.test(p) ? "*" : p))
    .join(".");

// Modules with work of their own; equal layers are one point.
function modulePoints({report}: Data): Point[] {
  const points = new Map<string, Point>();
  const parents = new Set(report.modules.map((m) => m.path.split(".").slice(0, -1).join(".")));
  for (const m of report.modules) {
    if (parents.has(m.path) || !m.flops || !(m.bytesRead + m.bytesWritten)) continue;
    const name = withoutNumbers(m.path) || "the module itself";
    const p = points.get(name) ?? {name, flops: 0, bytes: 0, us: 0, isMeasured: false, n: 0};
    ((p.flops += m.flops), (p.bytes += m.bytesRead + m.bytesWritten), (p.us += m.estimatedUs), ++p.n);
    points.set(name, p);
  }
  return [...points.values()];
}

function kernelPoints({report}: Data): Point[] {
  return (report.profile?.counted ?? [])
    .map((k) => ({
      name: k.name,
      flops: k.tensorFlop + k.fp32Flop,
      bytes: k.dramReadBytes + k.dramWriteBytes,
      us: k.us,
      isMeasured: true,
      n: 1,
    }))
    .filter((p) => p.flops > 0 && p.bytes > 0 && p.us > 0);
}

function axis(
  width: number,
  x: (v: number) => number,
  y: (v: number) => number,
  range: number[],
  domain: number[],
): SVGElement {
  const g = svg("g", {class: "axis"});
  for (let e = Math.ceil(Math.log10(range[0])); 10 ** e <= range[1]; ++e)
    g.append(
      svg("line", {x1: x(10 ** e), x2: x(10 ** e), y1: kTop, y2: kHeight - kBottom, class: "grid"}),
      svg(
        "text",
        {x: x(10 ** e), y: kHeight - kBottom + 18, "text-anchor": "middle", class: "chart-label"},
        e < 0 ? String(10 ** e) : count(10 ** e),
      ),
    );
  for (let e = Math.ceil(Math.log10(domain[0])); 10 ** e <= domain[1]; ++e)
    g.append(
      svg("line", {x1: kLeft, x2: width - kRight, y1: y(10 ** e), y2: y(10 ** e), class: "grid"}),
      svg("text", {x: kLeft - 8, y: y(10 ** e) + 4, "text-anchor": "end", class: "chart-label"}, count(10 ** e)),
    );
  g.append(
    svg(
      "text",
      {x: (kLeft + width) / 2, y: kHeight - 6, "text-anchor": "middle", class: "chart-label"},
      "FLOP per byte of DRAM traffic",
    ),
    svg(
      "text",
      {x: -(kHeight - kBottom) / 2, y: 14, transform: "rotate(-90)", "text-anchor": "middle", class: "chart-label"},
      "FLOP/s",
    ),
  );
  return g;
}

type Scale = {range: number[]; domain: number[]; rates: [string, number][]};

function scaleOf(roof: Roofline, points: Point[]): Scale {
  const rates = Object.entries(roof.flopPerSecond).filter(
    ([, v], i, all) => v > 0 && all.findIndex(([, w]) => w === v) === i,
  );
  const peak = Math.max(...rates.map(([, v]) => v)),
    intensities = points.map((p) => p.flops / p.bytes),
    speeds = points.map((p) => (p.flops / p.us) * 1e6);
  const range = [Math.min(0.1, ...intensities) / 2, Math.max((4 * peak) / roof.bytesPerSecond, ...intensities) * 1.5];
  return {range, domain: [Math.min(...speeds, roof.bytesPerSecond * range[0]) / 4, peak * 2], rates};
}

function chart(roof: Roofline, points: Point[], {range, domain, rates}: Scale, width: number): SVGElement {
  const scale = (v: number, [low, high]: number[], from: number, to: number) =>
    from + ((Math.log(v) - Math.log(low)) / (Math.log(high) - Math.log(low))) * (to - from);
  const x = (v: number) => scale(v, range, kLeft, width - kRight),
    y = (v: number) => scale(v, domain, kHeight - kBottom, kTop);
  const out = svg("svg", {
    viewBox: `0 0 ${width} ${kHeight}`,
    role: "img",
    "aria-label": `Roofline of ${roof.gpu} with ${points.length} points; the table below has the figures`,
  });
  out.append(axis(width, x, y, range, domain));
  for (const [name, rate] of rates) {
    const ridge = rate / roof.bytesPerSecond;
    out.append(
      svg("polyline", {
        points: `${x(range[0])},${y(roof.bytesPerSecond * range[0])} ${x(ridge)},${y(rate)} ${x(range[1])},${y(rate)}`,
        class: "roof",
      }),
      svg("text", {x: kLeft + 6, y: y(rate) - 4, class: "chart-label"}, `${name}, ${count(rate)}FLOP/s`),
      svg("line", {x1: kLeft, x2: x(ridge), y1: y(rate), y2: y(rate), class: "roof-hint"}),
    );
  }
  const total = points.reduce((sum, p) => sum + p.us, 0);
  for (const p of [...points].sort((a, b) => b.us - a.us))
    out.append(
      svg(
        "circle",
        {
          cx: x(p.flops / p.bytes),
          cy: y((p.flops / p.us) * 1e6),
          r: 4 + 16 * Math.sqrt(p.us / total),
          class: p.isMeasured ? "point measured" : "point",
        },
        svg(
          "title",
          {},
          `${p.name}${p.n > 1 ? ` (${p.n}x)` : ""}: ${us(p.us)}, ${count(p.flops)}FLOP, ${count(p.bytes)}B${p.isMeasured ? ", counted" : ", estimate"}`,
        ),
      ),
    );
  return out;
}

export function rooflineSection(data: Data): HTMLElement | null {
  const roof = data.view.roofline,
    points = [...kernelPoints(data), ...modulePoints(data)].filter((p) => p.us > 0);
  if (!roof || !points.length) return null;
  const scale = scaleOf(roof, points),
    isEstimated = points.every((p) => !p.isMeasured);
  const what = isEstimated
    ? "a module (equal layers together) by its estimate from shapes: how far it lies under the roof is what its kernels take to start"
    : "a kernel as it was counted (green), or a module by its estimate (blue)";
  return h(
    "section",
    {id: "roofline", "aria-labelledby": "roofline-title"},
    h("h2", {id: "roofline-title"}, "Roofline"),
    h(
      "figure",
      {class: "chart wide"},
      fitted((width) => chart(roof, points, scale, width)),
      h(
        "figcaption",
        {},
        `${roof.gpu}: ${count(roof.bytesPerSecond)}B/s of DRAM. A point is ${what}; the larger it is, the more time it takes.`,
      ),
    ),
    table(points),
  );
}

function table(points: Point[]): HTMLElement {
  const rows = [...points].sort((a, b) => b.us - a.us).slice(0, 40);
  return h(
    "details",
    {},
    h("summary", {}, "The same as a table"),
    h(
      "div",
      {class: "scroll", tabindex: "0", role: "region", "aria-label": "Points of the roofline"},
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...["", "time", "FLOP", "bytes", "FLOP a byte"].map((t) =>
              h("th", {scope: "col", class: t ? "num" : ""}, t),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          ...rows.map((p) =>
            h(
              "tr",
              {},
              h("th", {scope: "row"}, p.name + (p.n > 1 ? ` (${p.n}x)` : "")),
              h("td", {class: "num"}, us(p.us)),
              h("td", {class: "num"}, count(p.flops)),
              h("td", {class: "num"}, count(p.bytes)),
              h("td", {class: "num"}, count(p.flops / p.bytes)),
            ),
          ),
        ),
      ),
    ),
  );
}
