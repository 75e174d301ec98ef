// Findings in sources: the list, and what each opens to.
import {h} from "./dom";
import {FindingList, kSeverities, type Look} from "./finding_list";
import {type LintData, type LintFix, type LintItem, type Place} from "./lint_data";
import {code, prose} from "./prose";

const kFewPlaces = 8;
const kRepeat = "and here"; // the note of a place where the same is found again
const byPlace = (a: LintItem, b: LintItem) => a.number - b.number;
const kOrders: Look<LintItem>["orders"] = {
  place: ["file and line", byPlace],
  severity: ["severity", (a, b) => kSeverities.indexOf(a.severity) - kSeverities.indexOf(b.severity) || byPlace(a, b)],
  rule: ["rule", (a, b) => a.rule.localeCompare(b.rule) || byPlace(a, b)],
  repeats: ["number of places", (a, b) => b.related.length - a.related.length || byPlace(a, b)],
};
const kFixWords: Record<string, string> = {
  safe: "fix",
  unsafe: "unsafe fix",
  "display-only": "advice",
};

const isUnsure = (i: LintItem) => Boolean(i.confidence) && i.confidence !== "certain";

export function fixOf(item: {fixes: LintFix[]}): string {
  const safeties = item.fixes.map((f) => f.safety);
  return Object.keys(kFixWords).find((s) => safeties.includes(s)) ?? "";
}

// Columns count bytes, strings count UTF-16 units.
function unitAt(line: string, column: number): number {
  let bytes = 1,
    at = 0;
  for (const c of line) {
    if (bytes >= column) break;
    const point = c.codePointAt(0)!;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    at += c.length;
  }
  return at;
}

// The line with its number, and what the finding is about marked.
export function sourceLine(where: Place): HTMLElement {
  const text = where.snippet.trimEnd();
  const from = where.column ? unitAt(text, where.column) : 0;
  const isOneLine = where.endLine <= where.line && where.endColumn > where.column;
  const to = where.column ? (isOneLine ? unitAt(text, where.endColumn) : text.length) : 0;
  const indent = /^\s*/.exec(text)![0].length;
  const start = Math.max(from, indent);
  return h(
    "pre",
    {class: "code source", tabindex: "0", "aria-label": `Line ${where.line} of ${where.file}`},
    h("span", {class: "line-number", "aria-hidden": "true"}, String(where.line || "")),
    h(
      "code",
      {},
      text.slice(indent, start),
      to > start && h("mark", {}, text.slice(start, to)),
      text.slice(Math.max(start, to)),
    ),
  );
}

function part(title: string, ...content: (Node | null | false)[]): HTMLElement | null {
  const shown = content.filter((c): c is Node => Boolean(c));
  return shown.length ? h("div", {class: "part"}, h("h4", {}, title), ...shown) : null;
}

function otherPlaces(item: LintItem): (HTMLElement | null)[] {
  const row = (p: Place) =>
    h(
      "li",
      {},
      h("code", {}, `${p.file}:${p.line}`),
      p.note && p.note !== kRepeat && ` ${p.note}`,
      p.snippet && sourceLine(p),
    );
  const list = (places: Place[]) => h("ul", {class: "places"}, ...places.map(row));
  const repeats = item.related.filter((p) => p.note === kRepeat),
    others = item.related.filter((p) => p.note !== kRepeat);
  return [
    others.length ? part("What it has to do with", list(others)) : null,
    repeats.length
      ? part(
          `Also here: ${repeats.length}`,
          list(repeats.slice(0, kFewPlaces)),
          repeats.length > kFewPlaces &&
            h("details", {}, h("summary", {}, `${repeats.length - kFewPlaces} more`), list(repeats.slice(kFewPlaces))),
        )
      : null,
  ];
}

const kHow: Record<string, string> = {
  safe: "kadvise lint --fix applies it",
  unsafe: "may change results; kadvise lint --fix --unsafe-fixes applies it",
  "display-only": "by hand",
};

function fixes(item: LintItem): HTMLElement | null {
  const kinds = new Map<string, {fix: LintFix; written: string; places: number}>(); // the same at several places
  for (const fix of item.fixes) {
    const written = [...new Set((fix.edits ?? []).map((e) => e.text).filter((t) => t.trim()))].join("\n"),
      key = [fix.title, fix.safety, written].join("\n"),
      kind = kinds.get(key) ?? {fix, written, places: 0};
    ++kind.places;
    kinds.set(key, kind);
  }
  const rows = [...kinds.values()].map(({fix, written, places}) =>
    h(
      "div",
      {class: "fix"},
      h(
        "p",
        {},
        h("strong", {}, fix.title),
        h("span", {class: "quiet"}, `${places > 1 ? ` at ${places} places` : ""} ${kHow[fix.safety] ?? fix.safety}`),
      ),
      written ? code(written, "What the fix writes") : null,
    ),
  );
  return rows.length ? part(rows.length === 1 ? "Fix" : "Fixes", ...rows) : null;
}

function lintDetail(data: LintData, item: LintItem): HTMLElement {
  const rule = data.lint.rules[item.rule];
  const instead = rule?.sections["In C++"] || rule?.sections["What to write instead"];
  const why = rule?.sections["Why it costs"];
  return h(
    "div",
    {class: "detail"},
    isUnsure(item) ? h("p", {class: "quiet"}, `This finding is ${item.confidence}, not certain.`) : null,
    part("Where", h("p", {class: "quiet"}, placeWords(item.where)), item.where.snippet ? sourceLine(item.where) : null),
    item.price ? part("What it costs", h("p", {}, item.price.words)) : null,
    ...otherPlaces(item),
    fixes(item),
    why ? part("Why it costs", prose(why)) : null,
    instead ? part("What to write instead", prose(instead)) : null,
    rule ? h("p", {}, "The rule: ", h("a", {href: `#${ruleAnchor(item.rule)}`}, item.rule)) : null,
    h(
      "p",
      {class: "quiet"},
      "To keep it out: ",
      h("code", {}, `// kadvise: ignore[${item.rule}] why`),
      " behind the line. Link: ",
      h("a", {href: `#${item.anchor}`}, `#${item.anchor}`),
    ),
  );
}

const placeWords = (p: Place) => `${p.file}, line ${p.line}${p.column ? `, column ${p.column}` : ""}`;
export const ruleAnchor = (id: string) => `rule-${id.replace(/[^\w-]/g, "-")}`;

const firstLine = (item: LintItem) =>
  h("span", {class: "gain"}, h("code", {class: "peek"}, item.where.snippet.trim().slice(0, 200)));

export function lintList(data: LintData, items: LintItem[]): FindingList<LintItem> {
  const distinct = (of: (i: LintItem) => string) => [...new Set(items.map(of))].sort((a, b) => a.localeCompare(b));
  return new FindingList("findings", "Findings", items, {
    placeholder: "Search: rule, words, file, source line",
    orders: kOrders,
    facets: [
      {name: "severity", values: kSeverities, of: (i) => i.severity, words: (x) => x},
      {
        name: "fix",
        values: Object.keys(kFixWords),
        of: fixOf,
        words: (x) => kFixWords[x],
        isMenu: true,
        all: "fixable or not",
      },
      {name: "rule", values: distinct((i) => i.rule), of: (i) => i.rule, words: (x) => x, isMenu: true},
      {name: "file", values: distinct((i) => i.where.file), of: (i) => i.where.file, words: (x) => x, isMenu: true},
    ],
    text: (i) => [i.message, i.rule, i.place, i.anchor, i.where.snippet].join("\n"),
    tags: (i) => [
      h("span", {class: `tag severity-${i.severity}`}, i.severity),
      h("span", {class: "tag"}, i.rule),
      fixOf(i) && fixOf(i) !== "display-only" ? h("span", {class: `tag fix-${fixOf(i)}`}, kFixWords[fixOf(i)]) : null,
      isUnsure(i) && h("span", {class: "tag"}, i.confidence),
      i.related.length > 0 && h("span", {class: "tag"}, `${i.related.length + 1} places`),
    ],
    side: firstLine,
    detail: (i) => lintDetail(data, i),
  });
}
