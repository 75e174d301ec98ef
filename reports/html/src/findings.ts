// Findings about a module: what each stands for, and what it saves.
import {type Data, type Item} from "./data";
import {bar, h} from "./dom";
import {findingDetail} from "./finding_detail";
import {FindingList, kSeverities, type Look} from "./finding_list";
import {us} from "./format";

export const kStandings: Record<string, string> = {
  advised: "faster",
  "not-measured": "not measured",
  "by-hand": "by hand",
  "no-clear-gain": "no clear gain",
  "not-used": "not used",
  disproved: "refuted",
  "part-of-another": "part of another",
};

const gain = (i: Item) => i.savedUs || 0;
const kOrders: Look<Item>["orders"] = {
  rank: ["rank", (a, b) => a.number - b.number],
  saved: ["measured time saved", (a, b) => gain(b) - gain(a) || a.number - b.number],
  estimate: ["estimate", (a, b) => b.estimatedUs - a.estimatedUs || a.number - b.number],
  severity: [
    "severity",
    (a, b) => kSeverities.indexOf(a.severity) - kSeverities.indexOf(b.severity) || a.number - b.number,
  ],
  rule: ["rule", (a, b) => a.rule.localeCompare(b.rule) || a.number - b.number],
  place: ["place", (a, b) => a.place.localeCompare(b.place, undefined, {numeric: true}) || a.number - b.number],
};

// With --keep equal what is slower is kept, too.
function standingOf(item: Item): HTMLElement {
  const isSlower = item.standing === "advised" && item.savedUs <= 0;
  return h(
    "span",
    {class: isSlower ? "tag" : `tag standing-${item.standing}`},
    isSlower ? "kept" : (kStandings[item.standing] ?? item.standing),
  );
}

const tagsOf = (item: Item) => [
  standingOf(item),
  item.severity !== "opportunity" && h("span", {class: `tag severity-${item.severity}`}, item.severity),
  h("span", {class: "tag"}, item.rule),
  item.level ? h("span", {class: "tag"}, `level ${item.level}`) : null,
  item.known && h("span", {class: "tag"}, "known"),
];

// The factor and its interval are those of the region.
function gainOf(item: Item, most: number): HTMLElement {
  const factors = /([\d.]+x) \(([^)]*), 95%\)/.exec(item.figures);
  const isSaved = item.savedUs > 0,
    isUsed = item.standing === "advised";
  return h(
    "span",
    {class: "gain"},
    isSaved
      ? h("span", {class: isUsed ? "gain-us" : "gain-us quiet"}, us(item.savedUs))
      : item.estimatedUs > 0 && !factors
        ? h("span", {class: "gain-us quiet"}, `about ${us(item.estimatedUs)}`)
        : null,
    isSaved && isUsed ? bar(item.savedUs / most, "good") : null,
    factors
      ? h("span", {class: "gain-factor quiet"}, `${factors[1]} (${factors[2]})`)
      : item.estimatedUs > 0
        ? h("span", {class: "gain-factor quiet"}, "estimate")
        : null,
  );
}

export function itemList(data: Data, id: string, title: string, items: Item[], folded = ""): FindingList<Item> {
  const most = Math.max(0, ...items.map(gain));
  return new FindingList(id, title, items, {
    placeholder: "Search: rule, words, module path",
    orders: kOrders,
    facets: [
      {name: "standing", values: Object.keys(kStandings), of: (i) => i.standing, words: (x) => kStandings[x]},
      {name: "severity", values: kSeverities, of: (i) => i.severity, words: (x) => x},
    ],
    text: (i) => [i.message, i.rule, i.place, i.with, i.anchor, i.snippet].join("\n"),
    tags: tagsOf,
    side: (i) => gainOf(i, most),
    detail: (i) => findingDetail(data, i),
    folded,
  });
}
