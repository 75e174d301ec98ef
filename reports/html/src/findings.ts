// Findings as a list that is searched, filtered, sorted and opened; only what is in view is built.
import {type Data, type Item} from "./data";
import {bar, h} from "./dom";
import {plural, us} from "./format";
import {findingDetail} from "./finding_detail";

const kChunk = 50; // rows built at once: the first paint does not wait for thousands

export const kStandings: Record<string, string> = {
  advised: "faster",
  "not-measured": "not measured",
  "by-hand": "by hand",
  "no-clear-gain": "no clear gain",
  "not-used": "not used",
  disproved: "refuted",
  "part-of-another": "part of another",
};
const kSeverities = ["error", "warning", "opportunity", "note"];

const gain = (i: Item) => i.savedUs || 0;
const kOrders: Record<string, [string, (a: Item, b: Item) => number]> = {
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

export class FindingList {
  readonly element: HTMLElement;
  private list = h("ol", {class: "findings"});
  private rest = h("div", {class: "rest"});
  private count = h("p", {class: "quiet", "aria-live": "polite"});
  private search = h("input", {
    type: "search",
    placeholder: "Search: rule, words, module path",
    "aria-label": "Search findings",
  });
  private order = h(
    "select",
    {"aria-label": "Sort by"},
    ...Object.entries(kOrders).map(([key, [words]]) => h("option", {value: key}, words)),
  );
  private standing = "";
  private severity = "";
  private shown: Item[] = [];
  private built = 0;
  private most: number;
  private text = new Map<Item, string>();

  constructor(
    private data: Data,
    readonly id: string,
    title: string,
    private items: Item[],
  ) {
    this.most = Math.max(0, ...items.map(gain));
    this.search.addEventListener("input", () => this.apply());
    this.order.addEventListener("change", () => this.apply());
    const heading = h("h2", {id: `${id}-title`}, title);
    this.element = h(
      "section",
      {id, "aria-labelledby": heading.id},
      heading,
      this.tools(),
      this.count,
      this.list,
      this.rest,
    );
    new IntersectionObserver((seen) => seen.some((s) => s.isIntersecting) && this.build(), {
      rootMargin: "600px",
    }).observe(this.rest);
    this.apply();
  }

  private tools(): HTMLElement | null {
    if (this.items.length < 2) return null;
    const chips = (all: string[], words: (x: string) => string, choose: (x: string) => void) => {
      const row = h("div", {class: "chips", role: "group"});
      for (const value of ["", ...all]) {
        const n = value
          ? this.items.filter((i) => i.standing === value || i.severity === value).length
          : this.items.length;
        row.append(
          h(
            "button",
            {
              type: "button",
              class: "chip",
              "data-value": value,
              "aria-pressed": value === "" ? "true" : "false",
              click: (e: Event) => {
                row
                  .querySelectorAll("button")
                  .forEach((b) => b.setAttribute("aria-pressed", String(b === e.currentTarget)));
                choose(value);
                this.apply();
              },
            },
            `${value ? words(value) : "all"} `,
            h("span", {class: "quiet"}, String(n)),
          ),
        );
      }
      return row;
    };
    const present = (key: "standing" | "severity", all: string[]) =>
      all.filter((x) => this.items.some((i) => i[key] === x));
    const standings = present("standing", Object.keys(kStandings)),
      severities = present("severity", kSeverities);
    return h(
      "div",
      {class: "tools"},
      this.search,
      h("label", {class: "order"}, "Sort by ", this.order),
      standings.length > 1 &&
        chips(
          standings,
          (x) => kStandings[x],
          (x) => (this.standing = x),
        ),
      severities.length > 1 &&
        chips(
          severities,
          (x) => x,
          (x) => (this.severity = x),
        ),
    );
  }

  private matches(item: Item, words: string[]): boolean {
    if ((this.standing && item.standing !== this.standing) || (this.severity && item.severity !== this.severity))
      return false;
    if (!words.length) return true;
    let text = this.text.get(item);
    if (text === undefined)
      this.text.set(
        item,
        (text = [item.message, item.rule, item.place, item.with, item.anchor, item.snippet].join("\n").toLowerCase()),
      );
    return words.every((w) => text!.includes(w));
  }

  apply(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.shown = this.items.filter((i) => this.matches(i, words)).sort(kOrders[this.order.value][1]);
    this.list.replaceChildren();
    this.built = 0;
    this.count.textContent =
      this.shown.length === this.items.length
        ? plural(this.items.length, "item")
        : `${this.shown.length} of ${plural(this.items.length, "item")}`;
    this.build();
  }

  // Rows up to this many, or a further chunk of them.
  build(upTo = this.built + kChunk): void {
    const end = Math.min(upTo, this.shown.length);
    if (end > this.built) this.list.append(...this.shown.slice(this.built, end).map((item) => this.row(item)));
    this.built = Math.max(this.built, end);
    const left = this.shown.length - this.built;
    this.rest.replaceChildren(
      ...(left > 0 ? [h("button", {type: "button", click: () => this.build()}, `Show more (${left} left)`)] : []),
    );
  }

  private row(item: Item): HTMLElement {
    const panel = h("div", {class: "panel", hidden: true, id: `${item.anchor}-panel`});
    const head = h(
      "button",
      {
        type: "button",
        class: "finding-head",
        "aria-expanded": "false",
        "aria-controls": panel.id,
        click: () => this.toggle(li),
      },
      h("span", {class: "finding-number num"}, String(item.number)),
      h(
        "span",
        {class: "finding-words"},
        h("span", {class: "finding-title"}, item.message),
        h("span", {class: "finding-place"}, item.place),
        h(
          "span",
          {class: "finding-tags"},
          this.standingOf(item),
          item.severity !== "opportunity" && h("span", {class: `tag severity-${item.severity}`}, item.severity),
          h("span", {class: "tag"}, item.rule),
          item.level ? h("span", {class: "tag"}, `level ${item.level}`) : null,
          item.known && h("span", {class: "tag"}, "known"),
        ),
      ),
      this.gainOf(item),
      h("span", {class: "chevron", "aria-hidden": "true"}),
    );
    const li = h("li", {class: "finding", id: item.anchor}, h("h3", {class: "finding-heading"}, head), panel);
    return li;
  }

  // With --keep equal what is slower is kept, too.
  private standingOf(item: Item): HTMLElement {
    const isSlower = item.standing === "advised" && item.savedUs <= 0;
    return h(
      "span",
      {class: isSlower ? "tag" : `tag standing-${item.standing}`},
      isSlower ? "kept" : (kStandings[item.standing] ?? item.standing),
    );
  }

  // The factor and its interval are those of the region.
  private gainOf(item: Item): HTMLElement {
    const factors = /([\d.]+x) \(([^)]*), 95%\)/.exec(item.figures);
    const isSaved = item.standing === "advised" && item.savedUs > 0;
    return h(
      "span",
      {class: "gain"},
      isSaved
        ? h("span", {class: "gain-us"}, us(item.savedUs))
        : item.estimatedUs > 0
          ? h("span", {class: "gain-us quiet"}, `about ${us(item.estimatedUs)}`)
          : null,
      isSaved ? bar(item.savedUs / this.most, "good") : null,
      factors
        ? h("span", {class: "gain-factor quiet"}, `${factors[1]} (${factors[2]})`)
        : item.estimatedUs > 0
          ? h("span", {class: "gain-factor quiet"}, "estimate")
          : null,
    );
  }

  private toggle(li: HTMLElement, open?: boolean): void {
    const head = li.querySelector(".finding-head")!,
      panel = li.querySelector<HTMLElement>(".panel")!;
    const isOpen = open ?? head.getAttribute("aria-expanded") !== "true";
    if (isOpen && !panel.childElementCount)
      panel.append(
        findingDetail(
          this.data,
          this.items.find((i) => i.anchor === li.id)!,
        ),
      );
    head.setAttribute("aria-expanded", String(isOpen));
    panel.hidden = !isOpen;
    li.classList.toggle("is-open", isOpen);
  }

  has(anchor: string): boolean {
    return this.items.some((i) => i.anchor === anchor);
  }

  // Whatever is filtered away: a link leads there.
  reveal(anchor: string): void {
    let at = this.shown.findIndex((i) => i.anchor === anchor);
    if (at < 0) {
      this.search.value = this.standing = this.severity = "";
      this.element
        .querySelectorAll(".chip")
        .forEach((c) => c.setAttribute("aria-pressed", String(c.getAttribute("data-value") === "")));
      this.apply();
      at = this.shown.findIndex((i) => i.anchor === anchor);
    }
    this.build(at + 1);
    const li = document.getElementById(anchor)!;
    this.toggle(li, true);
    li.scrollIntoView({block: "start"});
    li.querySelector<HTMLElement>(".finding-head")!.focus({preventScroll: true});
  }

  focusSearch(): void {
    this.search.focus();
    this.search.select();
  }
}
