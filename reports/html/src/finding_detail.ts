// What a finding opens to.
import {accuracyParts} from "./case_errors";
import {type Data, type Finding, type Item, medianUs, type Verdict, verdictOf} from "./data";
import {bar, breakable, command, h} from "./dom";
import {bytes, place, plural} from "./format";
import {ir} from "./ir";
import {code, prose} from "./prose";
import {sampleChart} from "./samples";
import {timeline} from "./timeline";

const kFewPlaces = 6;

function part(title: string, ...content: (Node | null | false)[]): HTMLElement | null {
  const shown = content.filter((c): c is Node => Boolean(c));
  return shown.length ? h("div", {class: "part"}, h("h4", {}, title), ...shown) : null;
}

function places(item: Item, findings: Finding[]): HTMLElement | null {
  const all = findings.flatMap((f) => [f.where, ...f.related]);
  const rows = [...new Set(all.map(place))];
  if (!rows.length) return null;
  const list = (some: string[]) => h("ul", {class: "places"}, ...some.map((row) => h("li", {}, h("code", {}, ...breakable(row)))));
  return part(
    rows.length === 1 ? "Where" : `Where: ${item.sites > 1 ? plural(item.sites, "site") : plural(rows.length, "place")}`,
    item.snippet ? code(item.snippet.trim(), "The line of the source") : null,
    list(rows.slice(0, kFewPlaces)),
    rows.length > kFewPlaces &&
      h("details", {}, h("summary", {}, `${rows.length - kFewPlaces} more`), list(rows.slice(kFewPlaces))),
  );
}

function operators(findings: Finding[], candidate: string): HTMLElement | null {
  const rewrite = findings
    .flatMap((f) => f.fixes)
    .map((f) => f.rewrite)
    .find((r) => r && (!candidate || r.candidate === candidate));
  if (!rewrite?.before && !rewrite?.after) return null;
  return part(
    "Operators",
    h(
      "div",
      {class: "sides"},
      h("div", {}, h("h5", {}, "before"), ir(rewrite.before, "Operators before")),
      h("div", {}, h("h5", {}, "after"), ir(rewrite.after, "Operators after")),
    ),
  );
}

function memory(v: Verdict): HTMLElement | null {
  const {peakBytes: before} = v.before,
    {peakBytes: after} = v.after,
    most = Math.max(before, after);
  if (!before || !after) return null;
  const row = (name: string, x: number, look: string) =>
    h(
      "div",
      {class: "pair-row"},
      h("span", {class: "quiet"}, name),
      bar(x / most, look),
      h("span", {class: "num"}, bytes(x)),
    );
  return part("Peak memory of the region", row("before", before, ""), row("after", after, after > before ? "" : "good"));
}

function measured(data: Data, v: Verdict, item: Item): (HTMLElement | null)[] {
  return [
    part("Time", sampleChart(v.before, v.after)),
    part(
      "Kernels",
      timeline([
        {name: "before", kernels: v.before.kernels, callUs: medianUs(v.before)},
        {name: "after", kernels: v.after.kernels, callUs: medianUs(v.after)},
      ]),
    ),
    part("Outputs against fp64", ...accuracyParts(v, data.report.caseErrors?.[v.candidate] ?? [], item.outputs)),
    memory(v),
  ];
}

function rule(data: Data, id: string): HTMLElement | null {
  const text = data.report.rules[id];
  if (!text) return null;
  const sections = ["What it finds", "Why it costs", "Limits"]
    .filter((name) => text.sections[name])
    .map((name) => [name, text.sections[name]]);
  const instead = text.sections["What to write instead"],
    inCpp = text.sections["In C++"];
  return h(
    "div",
    {class: "part"},
    instead ? h("div", {}, h("h4", {}, "What to write instead"), prose(instead)) : null,
    inCpp ? h("div", {}, h("h4", {}, "In C++"), prose(inCpp)) : null,
    h("h4", {}, "The rule"),
    h("p", {}, text.title, " ", h("code", {}, id)),
    ...sections.map(([name, words]) => h("div", {}, h("h5", {}, name), prose(words))),
  );
}

export function findingDetail(data: Data, item: Item): HTMLElement {
  const wanted = new Set(item.findings),
    findings = data.report.findings.filter((f) => wanted.has(f.id));
  const verdict = item.candidates.length ? verdictOf(data.report, item.candidates[0]) : undefined;
  return h(
    "div",
    {class: "detail"},
    h(
      "div",
      {class: "detail-words"},
      item.figures ? h("p", {}, item.figures) : null,
      item.with ? h("p", {}, h("span", {class: "quiet"}, "with "), item.with) : null,
      item.domain ? h("p", {class: "ink-fair"}, `declared difference: ${item.domain}`) : null,
      ...item.remarks.map((r) => h("p", {class: "quiet"}, r)),
    ),
    places(item, findings),
    operators(findings, item.candidates[0] ?? ""),
    ...(verdict ? measured(data, verdict, item) : []),
    rule(data, item.rule),
    item.command ? part("Again, this rule alone", command(item.command)) : null,
    h("p", {class: "quiet"}, "Link: ", h("a", {href: `#${item.anchor}`}, `#${item.anchor}`)),
  );
}
