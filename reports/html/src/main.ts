// The page: its parts in the order in which they are read, and what is about all of them.
import {comparisonSection} from "./comparison";
import {type Data, readData} from "./data";
import {h} from "./dom";
import {FindingList} from "./findings";
import {installKeys} from "./keys";
import {levelsSection} from "./levels";
import {memorySection} from "./memory";
import {modulesSection} from "./modules";
import {profileSection} from "./profile";
import {readinessSection} from "./readiness";
import {rooflineSection} from "./roofline";
import {sectionNamed, textSection} from "./sections";
import "./style.css";
import {restoreTheme, toggleTheme} from "./theme";
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

function findingLists(data: Data): FindingList[] {
  const first = data.view.items.filter((i) => kFirst.includes(i.standing)),
    rest = data.view.items.filter((i) => !kFirst.includes(i.standing));
  const lists: FindingList[] = [];
  if (first.length) lists.push(new FindingList(data, "findings", "What to change, by time saved", first));
  if (rest.length) lists.push(new FindingList(data, "not-faster", "Found, but not faster", rest));
  return lists;
}

function parts(data: Data, lists: FindingList[]): HTMLElement[] {
  const words = (ids: string[]) =>
    ids
      .map((id) => sectionNamed(data, id))
      .filter((s) => s !== undefined)
      .map((s) => textSection(s!));
  const [first, ...rest] = lists.map((l) => l.element);
  return [
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
}

function contents(sections: HTMLElement[]): HTMLElement {
  const nav = h(
    "nav",
    {class: "contents", "aria-label": "Contents"},
    h("ul", {}, ...sections.map((s) => h("li", {}, h("a", {href: `#${s.id}`}, s.querySelector("h2")!.textContent)))),
  );
  const seen = new IntersectionObserver(
    (entries) => {
      for (const e of entries.filter((x) => x.isIntersecting))
        nav
          .querySelectorAll("a")
          .forEach((a) =>
            a.getAttribute("href") === `#${e.target.id}`
              ? a.setAttribute("aria-current", "true")
              : a.removeAttribute("aria-current"),
          );
    },
    {rootMargin: "-10% 0px -80% 0px"},
  );
  sections.forEach((s) => seen.observe(s));
  return nav;
}

function header({report}: Data): HTMLElement {
  const s = report.subject;
  const facts = [s.format, s.nodes ? `${s.nodes} nodes` : "", s.parameters ? `${s.parameters} parameters` : ""]
    .filter(Boolean)
    .join(", ");
  return h(
    "header",
    {class: "top"},
    h("div", {class: "brand"}, h("span", {class: "mark", "aria-hidden": "true"}), `kadvise ${report.tool.version}`),
    h("h1", {}, s.path || "report", facts && h("span", {class: "quiet"}, ` ${facts}`)),
    h(
      "div",
      {class: "top-tools"},
      h("button", {type: "button", id: "theme", title: "Dark or light (t)", click: toggleTheme}, "Dark / light"),
      h(
        "button",
        {
          type: "button",
          id: "keys",
          title: "Keys (?)",
          "aria-label": "Keys",
          click: () => document.querySelector<HTMLDialogElement>("#help")?.showModal(),
        },
        "?",
      ),
    ),
  );
}

function follow(lists: FindingList[]): void {
  const anchor = decodeURIComponent(location.hash.slice(1));
  const list = lists.find((l) => l.has(anchor));
  if (list) list.reveal(anchor);
  else if (anchor) document.getElementById(anchor)?.scrollIntoView();
}

function draw(page: HTMLElement, data: Data): void {
  document.title = `${data.report.subject.path || data.report.tool.name} - kadvise`;
  const lists = findingLists(data),
    sections = parts(data, lists);
  page.replaceChildren(
    h("a", {class: "skip", href: "#main"}, "To the report"),
    header(data),
    h("div", {class: "columns"}, contents(sections), h("main", {id: "main", tabindex: "-1"}, ...sections)),
  );
  document.body.append(installKeys(lists));
  addEventListener("hashchange", () => follow(lists));
  addEventListener("beforeprint", () => lists.forEach((l) => l.build(Infinity)));
  follow(lists);
  // The browser follows the address itself once the page is complete, and takes the focus away.
  if (location.hash) addEventListener("load", () => setTimeout(() => follow(lists)), {once: true});
}

restoreTheme();
const page = document.getElementById("page")!;
try {
  draw(page, readData());
} catch (error) {
  page.replaceChildren(h("main", {}, h("h1", {}, "This report cannot be shown"), h("p", {}, String(error))));
}
