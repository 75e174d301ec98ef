// One module at each level of optimisation.
import {type Data, type Level, medianUs} from "./data";
import {bar, h} from "./dom";
import {bytes, us} from "./format";

function factorOf({level, verdict}: Level, isCpu: boolean): string {
  const {low, mid, high} = verdict.speedup;
  if (level === 0) return "1";
  return mid && low && high && !(isCpu && mid > 20) ? `${mid.toFixed(2)}x (${low.toFixed(2)}–${high.toFixed(2)})` : "-";
}

const outputsOf = ({level, verdict}: Level) =>
  level === 0 ? "" : verdict.outcome === "wrong-output" ? "DIFFERENT" : verdict.accuracy.grade && verdict.outcome !== "failed" ? `equal (${verdict.accuracy.grade})` : "-";

export function levelsSection({report}: Data): HTMLElement | null {
  const levels = report.levels;
  if (!levels?.length) return null;
  const most = Math.max(...levels.map((l) => medianUs(l.verdict.after)));
  const row = (l: Level) => {
    const time = medianUs(l.verdict.after), peak = l.verdict.after.peakBytes, first = l.verdict.after.firstCallMs;
    const remarks = [l.verdict.reason, ...l.notes].filter(Boolean).join("; ");
    return h("tr", {}, h("td", {class: "num"}, String(l.level)), h("th", {scope: "row"}, l.name, remarks && h("span", {class: "quiet remark"}, remarks)),
      h("td", {class: "share"}, time ? bar(time / most, l.level ? "good" : "") : null, h("span", {class: "num"}, time ? us(time) : "-")), h("td", {class: "num"}, factorOf(l, report.device.kind === "cpu")),
      h("td", {class: "num"}, peak ? bytes(peak) : "-"), h("td", {class: "num"}, first ? us(1000 * first) : "-"), h("td", {}, outputsOf(l)));
  };
  return h("section", {id: "levels", "aria-labelledby": "levels-title"}, h("h2", {id: "levels-title"}, "Levels"),
    h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Levels"}, h("table", {}, h("thead", {}, h("tr", {}, ...["level", "", "a call", "against as loaded", "peak", "first call", "outputs"].map((t) => h("th", {scope: "col"}, t)))),
      h("tbody", {}, ...levels.map(row)))));
}
