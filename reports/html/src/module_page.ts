// The page of a run over a module: its parts in the order in which they are read.
import {comparisonSection} from "./comparison";
import {type Data, type Item} from "./data";
import {type FindingList} from "./finding_list";
import {itemList} from "./findings";
import {levelsSection} from "./levels";
import {memorySection} from "./memory";
import {modulesSection} from "./modules";
import {profileSection} from "./profile";
import {readinessSection} from "./readiness";
import {rooflineSection} from "./roofline";
import {sectionNamed, textSection} from "./sections";
import {verdictSection} from "./verdict";

const kFirst = ["advised", "not-measured", "by-hand"];
const kFirstWords = ["errors", "component", "why-not", "pair", "health", "bench"]; // the last ones are of other commands
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
];

function findingLists(data: Data): FindingList<Item>[] {
  const first = data.view.items.filter((i) => kFirst.includes(i.standing)),
    rest = data.view.items.filter((i) => !kFirst.includes(i.standing));
  const lists: FindingList<Item>[] = [];
  if (first.length) lists.push(itemList(data, "findings", "What to change, by time saved", first));
  if (rest.length) lists.push(itemList(data, "not-faster", "Found, but not faster", rest));
  return lists;
}

export function moduleParts(data: Data): {sections: HTMLElement[]; lists: FindingList<Item>[]} {
  const lists = findingLists(data);
  const words = (ids: string[]) =>
    ids
      .map((id) => sectionNamed(data, id))
      .filter((s) => s !== undefined)
      .map((s) => textSection(s!));
  const [first, ...rest] = lists.map((l) => l.element);
  const sections = [
    comparisonSection(data),
    verdictSection(data),
    ...words(kFirstWords),
    first,
    profileSection(data),
    modulesSection(data),
    rooflineSection(data),
    memorySection(data),
    readinessSection(data),
    levelsSection(data),
    ...words(["cuda-graphs"]),
    ...rest,
    ...words(data.view.sections.map((s) => s.id).filter((id) => !kDrawn.includes(id) && !kFirstWords.includes(id))),
  ].filter((s): s is HTMLElement => Boolean(s));
  return {sections, lists};
}
