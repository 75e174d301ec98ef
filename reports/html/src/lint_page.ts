// The page of a lint run: the verdict, findings by rule and by file, each of them, the rules' texts, what was not seen.
import {command, h} from "./dom";
import {type FindingList, kSeverities} from "./finding_list";
import {plural} from "./format";
import {type LintData, type LintedFile, type LintItem, itemsOf} from "./lint_data";
import {fixOf, lintList, ruleAnchor} from "./lint_findings";
import {code, prose} from "./prose";
import {quoted} from "./verdict";

const kFewRows = 12;

function section(id: string, title: string, ...content: (Node | null | false)[]): HTMLElement {
  const heading = h("h2", {id: `${id}-title`}, title);
  return h("section", {id, "aria-labelledby": heading.id}, heading, ...content);
}

const tile = (label: string, value: string | number, note = "", look = "") =>
  h(
    "div",
    {class: "tile"},
    h("h3", {}, label),
    h("p", {class: `tile-value ${look}`}, String(value)),
    note && h("p", {class: "quiet"}, note),
  );

function verdict({lint, view}: LintData, items: LintItem[]): HTMLElement {
  const sum = (of: (f: LintedFile) => number) => lint.files.reduce((n, f) => n + of(f), 0);
  const of = (severity: string) => items.filter((i) => i.severity === severity).length;
  const fixable = (safety: string) => items.filter((i) => fixOf(i) === safety).length;
  const looks: Record<string, string> = {error: "ink-bad", warning: "ink-fair"};
  const names: Record<string, string> = {
    error: "Errors",
    warning: "Warnings",
    opportunity: "Opportunities",
    note: "Notes",
  };
  const withFindings = lint.files.filter((f) => f.findings.length).length;
  const suppressed = sum((f) => f.suppressed),
    known = sum((f) => f.known);
  const keptOut = [suppressed ? `${suppressed} by comments` : "", known ? `${known} in the baseline` : ""];
  const box = section(
    "verdict",
    "Verdict",
    h("div", {class: "hero"}, h("p", {class: "headline"}, view.headline)),
    h(
      "div",
      {class: "tiles"},
      ...kSeverities.filter((s) => of(s)).map((s) => tile(names[s], of(s), "", looks[s] ?? "")),
      items.length > 0 &&
        tile("Fixable", fixable("safe"), fixable("unsafe") ? `${fixable("unsafe")} more unsafely` : ""),
      tile("Files", lint.files.length, `${withFindings} with findings`),
      sum((f) => f.kernels) > 0 &&
        tile(
          "Kernels",
          sum((f) => f.kernels),
        ),
      suppressed + known > 0 && tile("Kept out", suppressed + known, keptOut.filter(Boolean).join(", ")),
    ),
    ...view.limits.map((text) => h("p", {class: "quiet"}, text)),
    ...view.errors.map((e) => h("p", {class: "ink-bad"}, `${e.where}: ${e.what}`)),
    ...lint.notes.map((text) => h("p", {}, `note: ${text}`)),
    lint.command.length > 0 &&
      h("div", {class: "again"}, h("span", {class: "quiet"}, "This run again"), command(quoted(lint.command))),
  );
  box.querySelector("h2")!.classList.add("unseen");
  return box;
}

interface Counted {
  name: string;
  all: number;
  by: Record<string, number>;
  fixable: number;
}

function countedBy(items: LintItem[], of: (i: LintItem) => string): Counted[] {
  const rows = new Map<string, Counted>();
  for (const i of items) {
    const name = of(i);
    const row = rows.get(name) ?? {name, all: 0, by: {}, fixable: 0};
    rows.set(name, row);
    ++row.all;
    row.by[i.severity] = (row.by[i.severity] ?? 0) + 1;
    if (fixOf(i) === "safe") ++row.fixable;
  }
  return [...rows.values()].sort((a, b) => b.all - a.all || a.name.localeCompare(b.name));
}

// A row leads to the findings that it counts.
function countTable(rows: Counted[], facet: string, list: FindingList<LintItem>, title: (name: string) => string) {
  const severities = kSeverities.filter((s) => rows.some((r) => r.by[s]));
  const hasFixes = rows.some((r) => r.fixable);
  const cell = (n: number) => h("td", {class: "num"}, n ? String(n) : "");
  const show = (name: string) => {
    list.showAll();
    list.choose(facet, name);
    list.element.scrollIntoView({block: "start"});
  };
  const row = (r: Counted) =>
    h(
      "tr",
      {},
      h(
        "th",
        {scope: "row", class: "long"},
        h("button", {type: "button", class: "linked", click: () => show(r.name)}, r.name),
        title(r.name) && h("span", {class: "remark quiet"}, title(r.name)),
      ),
      cell(r.all),
      ...severities.map((s) => cell(r.by[s] ?? 0)),
      hasFixes && cell(r.fixable),
    );
  const body = h("tbody", {}, ...rows.slice(0, kFewRows).map(row));
  const rest = rows.slice(kFewRows);
  const more = h(
    "button",
    {type: "button", click: () => (body.append(...rest.map(row)), more.remove())},
    `Show all ${rows.length}`,
  );
  return h(
    "div",
    {},
    h(
      "div",
      {class: "scroll"},
      h(
        "table",
        {class: "counts"},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...[facet, "all", ...severities, ...(hasFixes ? ["fixable"] : [])].map((t, at) =>
              h("th", {scope: "col", class: at ? "num" : ""}, t),
            ),
          ),
        ),
        body,
      ),
    ),
    rest.length ? h("div", {class: "rest"}, more) : null,
  );
}

function rules({lint}: LintData): HTMLElement | null {
  const ids = Object.keys(lint.rules);
  if (!ids.length) return null;
  const page = (id: string) => {
    const rule = lint.rules[id];
    const details = h(
      "details",
      {class: "rule", id: ruleAnchor(id)},
      h("summary", {}, h("code", {}, id), ` ${rule.title}`),
      h("p", {class: "quiet"}, [rule.severity, rule.confidence, ...rule.tags].filter(Boolean).join(", ")),
      ...Object.entries(rule.sections).map(([name, text]) => h("div", {}, h("h4", {}, name), prose(text))),
    );
    return details;
  };
  return section("rules", "The rules", ...ids.map(page));
}

function unseen({lint}: LintData): HTMLElement | null {
  const failed = lint.files.filter((f) => f.failure),
    broken = lint.files.filter((f) => !f.failure && (f.errorCount || f.missing.length));
  if (!failed.length && !broken.length) return null;
  const lines = (f: LintedFile) => [
    ...f.missing.map((m) => `no ${m}`),
    ...f.errors.map((e) => `line ${e.line}: ${e.message}`),
    ...(f.errorCount > f.errors.length ? [`and ${f.errorCount - f.errors.length} more`] : []),
  ];
  return section(
    "unseen",
    "What was not seen",
    ...failed.map((f) => h("p", {class: "ink-bad"}, `${f.path}: ${f.failure}`)),
    ...broken.map((f) => {
      const words = [
        f.errorCount ? plural(f.errorCount, "error") : "",
        f.missing.length ? `${plural(f.missing.length, "header")} not found` : "",
        f.brokenKernels ? `${f.brokenKernels} of ${plural(f.kernels, "kernel")} with errors inside` : "",
      ].filter(Boolean);
      const details: HTMLDetailsElement = h(
        "details",
        {toggle: () => details.open && details.childElementCount < 2 && details.append(code(lines(f).join("\n")))},
        h("summary", {}, `${f.path}: ${words.join(", ")}`),
      );
      return details;
    }),
  );
}

function fixed({lint}: LintData): HTMLElement | null {
  if (!lint.fixed.length) return null;
  return section(
    "fixed",
    lint.dryRun ? "What --fix would change" : "What --fix changed",
    ...lint.fixed.map((f) =>
      h(
        "details",
        {},
        h("summary", {}, `${f.path}: ${plural(f.fixes, "fix").replace(/fixs$/, "fixes")}`),
        code(f.diff),
      ),
    ),
  );
}

// A link to a rule opens it.
export function revealRule(anchor: string): boolean {
  const details = document.getElementById(anchor);
  if (!(details instanceof HTMLDetailsElement)) return false;
  details.open = true;
  details.scrollIntoView({block: "start"});
  return true;
}

export function lintParts(data: LintData): {sections: HTMLElement[]; lists: FindingList<LintItem>[]} {
  const items = itemsOf(data);
  const lists = items.length ? [lintList(data, items)] : [];
  const ruleTitle = (id: string) => data.lint.rules[id]?.title ?? "";
  const sections = [
    verdict(data, items),
    lists.length > 0 &&
      section(
        "by-rule",
        "By rule",
        countTable(
          countedBy(items, (i) => i.rule),
          "rule",
          lists[0],
          ruleTitle,
        ),
      ),
    lists.length > 0 &&
      section(
        "by-file",
        "By file",
        countTable(
          countedBy(items, (i) => i.where.file),
          "file",
          lists[0],
          () => "",
        ),
      ),
    ...lists.map((l) => l.element),
    fixed(data),
    rules(data),
    unseen(data),
  ];
  return {sections: sections.filter((s): s is HTMLElement => Boolean(s)), lists};
}
