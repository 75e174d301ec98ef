// The first thing on the page: what became of the module as a whole.
import {accuracyParts, withInputs} from "./case_errors";
import {type Data, medianUs} from "./data";
import {bar, command, h} from "./dom";
import {bytes, factor, plural, us} from "./format";
import {sampleChart} from "./samples";
import {blocks} from "./sections";
import {timeline} from "./timeline";

function pair(
  label: string,
  before: number,
  after: number,
  words: (x: number) => string,
  note = "",
): HTMLElement | null {
  if (!(before > 0) || !(after > 0)) return null;
  const most = Math.max(before, after);
  const line = (name: string, value: number, look: string) =>
    h(
      "div",
      {class: "pair-row"},
      h("span", {class: "quiet"}, name),
      bar(value / most, look),
      h("span", {class: "num"}, words(value)),
    );
  return h(
    "div",
    {class: "tile"},
    h("h3", {}, label),
    line("before", before, ""),
    line("after", after, after > before ? "" : "good"),
    note && h("p", {class: "quiet"}, note),
  );
}

function fact(label: string, value: string, note = ""): HTMLElement | null {
  return value
    ? h(
        "div",
        {class: "tile"},
        h("h3", {}, label),
        h("p", {class: "tile-value"}, value),
        note && h("p", {class: "quiet"}, note),
      )
    : null;
}

function tiles({report, view}: Data): HTMLElement {
  const {before, after, accuracy, outcome} = report.whole;
  const applied = report.composition.applied,
    sites = applied.reduce((n, a) => n + a.sites, 0);
  const within = view.counts.appliedWithin;
  const isClear = outcome !== "ambiguous";
  return h(
    "div",
    {class: "tiles"},
    isClear ? pair("Median call", medianUs(before), medianUs(after), us, view.timesNote) : null,
    pair("Kernels a call", before.kernels.length, after.kernels.length, String),
    pair("Peak memory", before.peakBytes, after.peakBytes, bytes, view.memoryNote),
    fact(
      "Outputs",
      accuracy.grade ? accuracy.grade.replace(/-/g, " ") : "",
      accuracy.worstCase ? `largest error ${withInputs(accuracy.worstCase)}` : "",
    ),
    fact(
      "Replacements",
      applied.length ? String(applied.length) : "",
      (sites ? `at ${plural(sites, "site")}` : "") + (within ? `; ${within} within a larger one` : ""),
    ),
    fact("Device", view.device, view.caveat),
  );
}

// The factor stands large only where the verdict is that it is faster.
function hero({report, view}: Data): HTMLElement {
  const {mid, low, high} = report.whole.speedup;
  const isFaster = view.ink === "good" && report.whole.outcome === "faster" && mid !== null && mid > 0;
  return h(
    "div",
    {class: `hero ink-${view.ink}`},
    isFaster &&
      h(
        "div",
        {class: "hero-factor"},
        h("span", {class: "hero-number"}, factor(mid!)),
        h("span", {class: "hero-word"}, "faster"),
        low !== null && high !== null && h("span", {class: "quiet"}, `${low.toFixed(2)}–${high.toFixed(2)}, 95 %`),
      ),
    h("p", {class: "headline"}, view.headline),
    view.figures && h("p", {class: "quiet"}, view.figures),
  );
}

// Behind the tile, for who wants to know.
function outputs({report, view}: Data): HTMLElement | null {
  const cases = report.caseErrors?.whole ?? [];
  if (!cases.length) return null;
  return h(
    "details",
    {class: "outputs"},
    h("summary", {}, `Outputs against fp64, in ${plural(cases.length, "case")} of inputs`),
    ...accuracyParts(report.whole, cases, view.outputs),
  );
}

export function verdictSection(data: Data): HTMLElement | null {
  const section = data.view.sections.find((s) => s.id === "verdict");
  if (!section) return null;
  // The first lines are said larger above.
  const said = new Set([data.view.headline, data.view.figures]);
  const rest = section.blocks.filter((b) => b.ink !== "dim" && !said.has(b.text));
  const {before, after} = data.report.whole;
  return h(
    "section",
    {id: "verdict", "aria-labelledby": "verdict-title"},
    h("h2", {id: "verdict-title", class: "unseen"}, "Verdict"),
    hero(data),
    tiles(data),
    blocks(rest),
    outputs(data),
    data.report.whole.outcome !== "ambiguous" && sampleChart(before, after),
    timeline([
      {name: "before", kernels: before.kernels, callUs: medianUs(before)},
      {name: "after", kernels: after.kernels, callUs: medianUs(after)},
    ]),
    data.report.command.length > 0 &&
      h("div", {class: "again"}, h("span", {class: "quiet"}, "This run again"), command(quoted(data.report.command))),
  );
}

// As a shell reads it back.
export function quoted(words: string[]): string {
  return words.map((w) => (/^[\w\-./:=,+@%]+$/.test(w) ? w : `'${w.replace(/'/g, "'\\''")}'`)).join(" ");
}
