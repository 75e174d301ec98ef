// One operator over shapes, each against a plain copy of the same run.
import {type BenchRow, type Data} from "./data";
import {bar, h} from "./dom";
import {bytes, count, percent, us} from "./format";

const rate = (bytesPerSecond: number) => `${count(bytesPerSecond)}B/s`;

function row(r: BenchRow): HTMLElement {
  const name = h("th", {scope: "row", class: "long"}, r.inputs);
  if (r.refused) return h("tr", {}, name, h("td", {colspan: "4", class: "ink-fair"}, `not measured: ${r.refused}`));
  return h(
    "tr",
    {},
    name,
    h("td", {class: "num"}, us(r.us.mid), h("span", {class: "quiet remark"}, `${us(r.us.low)}–${us(r.us.high)}`)),
    h("td", {class: "num"}, bytes(r.bytes)),
    h("td", {class: "num"}, rate(r.bytesPerSecond)),
    h("td", {class: "share"}, bar(r.shareOfCopy), h("span", {class: "num"}, percent(r.shareOfCopy))),
  );
}

export function benchSection({report, view}: Data): HTMLElement | null {
  const bench = report.bench;
  if (!bench) return null;
  const heads = ["inputs", "a call (95 %)", "moved", "rate", "of a copy"].map((t, at) =>
    h("th", {scope: "col", class: at > 0 && at < 4 ? "num" : ""}, t),
  );
  const above = bench.rows.some((r) => r.shareOfCopy > 1.0005);
  return h(
    "section",
    {id: "bench", "aria-labelledby": "bench-title"},
    h("h2", {id: "bench-title"}, `Benchmark of ${bench.op}`),
    h(
      "p",
      {class: "quiet"},
      `On ${view.device}.`,
      bench.copyBytesPerSecond > 0 &&
        ` A copy of ${bytes(bench.copyBytes)} in the same run moves ${rate(bench.copyBytesPerSecond)}, what is read and what is written.`,
    ),
    h(
      "div",
      {class: "scroll", tabindex: "0", role: "region", "aria-label": "Benchmark"},
      h("table", {}, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...bench.rows.map(row))),
    ),
    above &&
      h(
        "p",
        {class: "quiet"},
        "Above 100 % of a copy: the operands fit in the cache, or the machine was busy while the copy was timed.",
      ),
    ...bench.notes.map((n) => h("p", {class: "quiet"}, n)),
    ...report.errors.map((e) => h("p", {class: "ink-bad"}, [e.where, e.what].filter(Boolean).join(": "))),
  );
}
