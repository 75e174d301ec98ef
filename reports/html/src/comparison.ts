// Two runs: what the newer one lost comes first.
import {type Change, type Data} from "./data";
import {h} from "./dom";
import {plural, us} from "./format";

const kKinds: Record<string, string> = {
  "outputs-differ": "outputs differ",
  "lost-fusion": "lost fusion",
  "new-fusion": "new fusion",
  "slower-whole": "slower",
  "faster-whole": "faster",
  "slower-kernel": "slower kernel",
  "faster-kernel": "faster kernel",
  "slower-region": "gains less",
  "faster-region": "gains more",
  "more-memory": "more memory",
  "less-memory": "less memory",
};

function row(data: Data, c: Change): HTMLElement {
  const anchor = data.view.items.find((item) => item.findings.includes(c.finding))?.anchor;
  return h(
    "li",
    {class: "change"},
    h(
      "p",
      {class: "change-what"},
      h("span", {class: `tag change-${c.kind}`}, kKinds[c.kind] ?? c.kind),
      " ",
      anchor ? h("a", {href: `#${anchor}`}, c.what) : c.what,
      c.rule && h("span", {class: "quiet change-rule"}, ` ${c.rule}`),
    ),
    (c.before || c.after) &&
      h(
        "p",
        {class: "change-figures"},
        h("span", {}, c.before),
        h("span", {class: "arrow"}, " → "),
        h("strong", {}, c.after),
        c.kind === "lost-fusion" && c.lostUs > 0 && h("span", {class: "quiet"}, `; it saved ${us(c.lostUs)} a call`),
      ),
  );
}

export function comparisonSection(data: Data): HTMLElement | null {
  const c = data.report.comparison;
  if (!c) return null;
  const list = (title: string, changes: Change[], look = "") =>
    changes.length > 0 &&
    h(
      "div",
      {class: `changes ${look}`},
      h("h3", {}, `${title} (${changes.length})`),
      h("ul", {}, ...changes.map((x) => row(data, x))),
    );
  return h(
    "section",
    {id: "comparison", "aria-labelledby": "comparison-title"},
    h(
      "h2",
      {id: "comparison-title"},
      c.twoModules
        ? "Two modules"
        : c.regressions.length
          ? plural(c.regressions.length, "regression")
          : "No regression",
    ),
    h("p", {class: "quiet"}, `${c.newer} against ${c.older}: ${data.view.changes}`),
    c.whole && h("p", {}, `The whole: ${c.whole}`),
    !c.timesComparable && !c.twoModules && h("p", {class: "ink-fair"}, "Circumstances differ, so times are not compared."),
    c.differs.length > 0 && h("ul", {class: "places"}, ...c.differs.map((d) => h("li", {}, d))),
    list("Regressions", c.regressions, "bad"),
    list("New findings", c.found),
    list("Gained", c.gains, "good"),
    list("Fixed findings", c.fixed),
  );
}
