// One module at each level of optimisation. Both sides of a row come from one campaign: rows do not compare.
import {type Data, type Level, type LevelCells, medianUs} from "./data";
import {bar, h} from "./dom";

function row({level, name, verdict, notes}: Level, cells: LevelCells): HTMLElement {
  const before = medianUs(verdict.before),
    after = medianUs(verdict.after);
  const share =
    level && before && after ? bar(after / Math.max(before, after), verdict.outcome === "faster" ? "good" : "") : null;
  return h(
    "tr",
    {},
    h("td", {class: "num"}, String(level)),
    h(
      "th",
      {scope: "row"},
      name,
      cells.doubt && h("span", {class: "ink-fair remark"}, cells.doubt),
      ...notes.map((n) => h("span", {class: "quiet remark"}, n)),
    ),
    h("td", {}, h("span", {class: "num"}, cells.time), share),
    h("td", {class: "num"}, cells.factor),
    h("td", {class: "num"}, cells.memory),
    h("td", {class: "num"}, cells.firstCall),
    h("td", {}, cells.outputs),
  );
}

export function levelsSection({report, view}: Data): HTMLElement | null {
  const levels = report.levels;
  if (!levels?.length) return null;
  const heads = ["level", "", "a call", "faster", "peak", "first call", "outputs"].map((t) =>
    h("th", {scope: "col", class: /faster|peak|first/.test(t) ? "num" : ""}, t),
  );
  return h(
    "section",
    {id: "levels", "aria-labelledby": "levels-title"},
    h("h2", {id: "levels-title"}, "Levels"),
    h(
      "p",
      {class: "quiet"},
      `On ${view.device}, each against the file as loaded in the same campaign.${view.caveat ? ` ${view.caveat[0].toUpperCase()}${view.caveat.slice(1)}.` : ""}`,
    ),
    h(
      "div",
      {class: "scroll", tabindex: "0", role: "region", "aria-label": "Levels"},
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ...heads)),
        h("tbody", {}, ...levels.map((l, i) => row(l, view.levels[i]))),
      ),
    ),
    ...report.notes.map((n) => h("p", {class: "quiet"}, n)),
    ...report.errors.map((e) => h("p", {class: "ink-bad"}, [e.where, e.what].filter(Boolean).join(": "))),
  );
}
