// How far the outputs were off with each case of inputs, next to how far they might have been.
import {type CaseErrors, type Verdict} from "./data";
import {bar, h} from "./dom";
import {percent, plural, ulp} from "./format";

const kFewRows = 8;

const kGrades: Record<string, string> = {
  bitwise: "Every bit is the original's.",
  "one-ulp": "No output is off by more than one unit.",
  "at-least-as-accurate": "The original is as far from fp64 or farther.",
  "within-bound":
    "The original is about as far from fp64, too: where it is far off with such inputs, these figures are large.",
};

// What the comparison draws; every other case has its sizes as its name.
const kCases: Record<string, string> = {
  inputs: "as they were given",
  touched: "as given but for the last number, in the same memory",
  normal: "normal numbers",
  "normal-2": "normal numbers, drawn again",
  offset: "normal numbers far from 0",
  small: "normal numbers times 0.001",
  large: "large normal numbers",
  uniform: "between 0 and 1",
  sparse: "all but 1 % are 0",
};

export const withInputs = (name: string) =>
  name === "inputs" ? "with the inputs that were given" : `with inputs “${name}”`;

const of = (error: number | null, bound: number | null) =>
  bound === null ? ulp(error) : `${ulp(error)} of ${ulp(bound)}`;

function row(c: CaseErrors, isWorst: boolean): HTMLElement {
  const share = c.ofBound ?? 0;
  return h(
    "tr",
    {},
    h(
      "th",
      {scope: "row", class: "long"},
      c.name,
      c.output && c.output !== "output 0" ? h("span", {class: "quiet"}, ` ${c.output}`) : null,
      isWorst && h("span", {class: "tag"}, "worst"),
      kCases[c.name] ? h("span", {class: "quiet remark"}, kCases[c.name]) : null,
    ),
    h("td", {class: "share"}, bar(Math.min(1, share), share > 1 ? "" : "good"), percent(share)),
    ...[of(c.rmsUlp, c.rmsBound), of(c.p999Ulp, c.p999Bound), of(c.maxUlp, c.maxBound)].map((t) =>
      h("td", {class: "num"}, t),
    ),
  );
}

function table(rows: CaseErrors[], from: number): HTMLElement {
  const heads = ["inputs", "of its bound", "RMS", "99.9 %", "max"];
  return h(
    "div",
    {class: "scroll inner", tabindex: "0", role: "region", "aria-label": "Errors by case of inputs"},
    h(
      "table",
      {class: "cases"},
      h("thead", {}, h("tr", {}, ...heads.map((t, i) => h("th", {scope: "col", class: i > 1 ? "num" : ""}, t)))),
      h("tbody", {}, ...rows.map((c, i) => row(c, from + i === 0))),
    ),
  );
}

const names = (list: CaseErrors[]) => list.map((c) => c.name).join(", ");

function byCase(cases: CaseErrors[]): (HTMLElement | null)[] {
  const off = cases
    .filter((c) => c.output && c.grade && c.grade !== "bitwise")
    .sort((a, b) => (b.ofBound ?? 0) - (a.ofBound ?? 0));
  const equal = cases.filter((c) => c.grade === "bitwise"),
    silent = cases.filter((c) => c.unjudged);
  const rest = off.slice(kFewRows);
  return [
    off.length ? table(off.slice(0, kFewRows), 0) : null,
    rest.length
      ? h("details", {}, h("summary", {}, `${plural(rest.length, "case")} with smaller errors`), table(rest, kFewRows))
      : null,
    equal.length ? h("p", {}, `Every bit equal in ${plural(equal.length, "case")}: `, h("span", {class: "quiet"}, names(equal))) : null,
    silent.length
      ? h(
          "p",
          {class: "quiet"},
          `Say nothing: ${silent.map((c) => `${c.name} (${c.unjudged})`).join(", ")}`,
        )
      : null,
  ];
}

// Reports of older versions have the worst case alone.
function worstAlone(v: Verdict): HTMLElement {
  const a = v.accuracy;
  return h(
    "table",
    {class: "small"},
    h("thead", {}, h("tr", {}, ...["RMS", "99.9 %", "max", "bias", "scale"].map((t) => h("th", {scope: "col"}, t)))),
    h(
      "tbody",
      {},
      h("tr", {}, ...[a.rmsUlp, a.p999Ulp, a.maxUlp, a.bias, a.scale].map((x) => h("td", {class: "num"}, ulp(x)))),
    ),
  );
}

// What stands under "Outputs against fp64"; words: of the report.
export function accuracyParts(v: Verdict, cases: CaseErrors[], words: string): HTMLElement[] {
  const a = v.accuracy;
  if (!a.grade) return [];
  const {casesJudged, casesLeftOut} = v.after.counters;
  const judged = casesJudged ? `; ${casesJudged} of ${casesJudged + (casesLeftOut ?? 0)} input cases judged` : "";
  const worst = a.worstCase && !words ? `; largest error ${withInputs(a.worstCase)}` : "";
  return [
    h("p", {}, h("strong", {}, a.grade.replace(/-/g, " ")), worst, judged, words ? `; ${words}` : ""),
    ...(cases.length ? byCase(cases) : [worstAlone(v)]),
    h("p", {class: "quiet"}, `In units in the last place of the output's scale. ${kGrades[a.grade] ?? ""}`),
  ].filter((e): e is HTMLElement => Boolean(e));
}
