// The page of a run over a module: its parts in the order in which they are read.
import {benchSection} from "./bench";
import {comparisonSection} from "./comparison";
import {type Data, type Item} from "./data";
import {type FindingList} from "./finding_list";
import {itemList} from "./findings";
import {plural} from "./format";
import {levelsSection} from "./levels";
import {memorySection} from "./memory";
import {modulesSection} from "./modules";
import {profileSection} from "./profile";
import {readinessSection} from "./readiness";
import {rooflineSection} from "./roofline";
import {sectionNamed, textSection} from "./sections";
import {verdictSection} from "./verdict";

const kFirst = ["advised", "not-measured", "by-hand"];
const kPart = "part-of-another";
const kFirstWords = ["errors", "component", "why-not", "pair", "health"]; // the last ones are of other commands
// What is drawn, and not said in words; whatever else the text report has stands at the end, in its order.
const kDrawn = [
  "comparison",
  "verdict",
  "advice",
  "proposals",
  "by-hand",
  "no-clear-gain",
  "not-used",
  "readiness",
  "cuda-graphs",
  "levels",
  "bench",
];

function findingLists(data: Data): FindingList<Item>[] {
  const of = (standings: string[], isAmong = true) =>
    data.view.items.filter((i) => standings.includes(i.standing) === isAmong);
  const lists: FindingList<Item>[] = [];
  const add = (id: string, title: string, items: Item[], folded = "") =>
    items.length && lists.push(itemList(data, id, title, items, folded));
  add("findings", "What to change, by time saved", of(kFirst));
  add("not-used", "Found, but not used", of([...kFirst, kPart], false));
  const parts = of([kPart]),
    proposals = parts.reduce((n, i) => n + i.candidates.length, 0);
  add("parts", "Done within a larger change", parts, `of ${plural(proposals, "proposal")}, not measured by themselves`);
  return lists;
}

export function moduleParts(data: Data): {sections: HTMLElement[]; lists: FindingList<Item>[]} {
  const lists = findingLists(data);
  const words = (ids: string[]) =>
    ids
      .map((id) => sectionNamed(data, id))
      .filter((s) => s !== undefined)
      .map((s) => textSection(s!, s!.id === "not-applicable" ? plural(data.view.counts.notApplicable, "rule") : ""));
  const first = lists.filter((l) => l.id === "findings").map((l) => l.element),
    rest = lists.filter((l) => l.id !== "findings").map((l) => l.element);
  const sections = [
    comparisonSection(data),
    verdictSection(data),
    ...words(kFirstWords),
    ...first,
    profileSection(data),
    modulesSection(data),
    rooflineSection(data),
    memorySection(data),
    readinessSection(data),
    levelsSection(data),
    benchSection(data),
    ...words(["cuda-graphs"]),
    ...rest,
    ...words(data.view.sections.map((s) => s.id).filter((id) => !kDrawn.includes(id) && !kFirstWords.includes(id))),
  ].filter((s): s is HTMLElement => Boolean(s));
  return {sections, lists};
}
