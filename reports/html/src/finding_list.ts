// Findings as a list that is searched, filtered, sorted and opened; only what is in view is built.
import {breakable, h} from "./dom";
import {plural} from "./format";

const kChunk = 50; // rows built at once: the first paint does not wait for thousands

export interface Listed {
  number: number;
  anchor: string;
  message: string;
  place: string;
}
// A property to filter by: a few values are chips, many a menu.
export interface Facet<T> {
  name: string;
  values: string[]; // in the order in which they are offered
  of: (item: T) => string;
  words: (value: string) => string;
  isMenu?: boolean;
  all?: string; // the words of a menu for no filter
}
// What a kind of findings looks like.
export interface Look<T> {
  placeholder: string;
  orders: Record<string, [string, (a: T, b: T) => number]>;
  facets: Facet<T>[];
  text: (item: T) => string; // what a search looks at
  tags: (item: T) => (HTMLElement | null | false)[];
  side: (item: T) => HTMLElement | null;
  detail: (item: T) => HTMLElement;
  folded?: string; // why the list is closed at first
}

export const kSeverities = ["error", "warning", "opportunity", "note"];

// What a page needs of its lists, whatever they hold.
export interface AnyList {
  element: HTMLElement;
  has(anchor: string): boolean;
  reveal(anchor: string): void;
  build(upTo?: number): void;
  focusSearch(): void;
}

export class FindingList<T extends Listed> implements AnyList {
  readonly element: HTMLElement;
  private list = h("ol", {class: "findings"});
  private rest = h("div", {class: "rest"});
  private count = h("p", {class: "quiet", "aria-live": "polite"});
  private search: HTMLInputElement;
  private order: HTMLSelectElement;
  private facets: Facet<T>[]; // those that tell items apart
  private chosen: Record<string, string> = {};
  private choosers: Record<string, (value: string) => void> = {}; // shows what is chosen
  private fold: HTMLDetailsElement | null = null;
  private shown: T[] = [];
  private built = 0;
  private text = new Map<T, string>();

  constructor(
    readonly id: string,
    title: string,
    private items: T[],
    private look: Look<T>,
  ) {
    this.search = h("input", {type: "search", placeholder: look.placeholder, "aria-label": "Search findings"});
    this.order = h(
      "select",
      {"aria-label": "Sort by"},
      ...Object.entries(look.orders).map(([key, [words]]) => h("option", {value: key}, words)),
    );
    this.facets = look.facets
      .map((f) => ({...f, values: f.values.filter((v) => items.some((i) => f.of(i) === v))}))
      .filter((f) => f.values.length > 1);
    this.search.addEventListener("input", () => this.apply());
    this.order.addEventListener("change", () => this.apply());
    const heading = h("h2", {id: `${id}-title`}, title);
    const parts = [this.tools(), this.count, this.list, this.rest];
    if (look.folded) {
      this.fold = h("details", {}, h("summary", {}, `${plural(items.length, "item")}, ${look.folded}`), ...parts);
      this.element = h("section", {id, "aria-labelledby": heading.id}, heading, this.fold);
    } else this.element = h("section", {id, "aria-labelledby": heading.id}, heading, ...parts);
    new IntersectionObserver((seen) => seen.some((s) => s.isIntersecting) && this.build(), {
      rootMargin: "600px",
    }).observe(this.rest);
    this.apply();
  }

  private tools(): HTMLElement | null {
    if (this.items.length < 2) return null;
    return h(
      "div",
      {class: "tools"},
      this.search,
      h("label", {class: "order"}, "Sort by ", this.order),
      ...this.facets.map((f) => (f.isMenu ? this.menu(f) : this.chips(f))),
    );
  }

  private counted(facet: Facet<T>): Map<string, number> {
    const n = new Map<string, number>();
    for (const i of this.items) n.set(facet.of(i), (n.get(facet.of(i)) ?? 0) + 1);
    return n;
  }

  private menu(facet: Facet<T>): HTMLElement {
    const n = this.counted(facet);
    const select = h(
      "select",
      {"aria-label": `Only this ${facet.name}`, change: () => this.choose(facet.name, select.value)},
      h("option", {value: ""}, facet.all ?? `every ${facet.name}`),
      ...facet.values.map((v) => h("option", {value: v}, `${facet.words(v)} (${n.get(v)})`)),
    );
    this.choosers[facet.name] = (value) => (select.value = value);
    return select;
  }

  private chips(facet: Facet<T>): HTMLElement {
    const n = this.counted(facet);
    const chip = (value: string) =>
      h(
        "button",
        {
          type: "button",
          class: "chip",
          "data-value": value,
          "aria-pressed": String(value === ""),
          click: () => this.choose(facet.name, value),
        },
        `${value ? facet.words(value) : "all"} `,
        h("span", {class: "quiet"}, String(value ? n.get(value) : this.items.length)),
      );
    const row = h(
      "div",
      {class: "chips", role: "group", "aria-label": `Filter by ${facet.name}`},
      ...["", ...facet.values].map(chip),
    );
    this.choosers[facet.name] = (value) =>
      row
        .querySelectorAll("button")
        .forEach((b) => b.setAttribute("aria-pressed", String(b.getAttribute("data-value") === value)));
    return row;
  }

  // Also for what stands outside of the list: a table of rules, say. "" is no filter.
  choose(facet: string, value: string): void {
    this.chosen[facet] = value;
    this.choosers[facet]?.(value);
    this.apply();
  }

  showAll(): void {
    this.search.value = "";
    for (const f of this.facets) ((this.chosen[f.name] = ""), this.choosers[f.name]?.(""));
    this.apply();
  }

  private matches(item: T, words: string[]): boolean {
    if (this.look.facets.some((f) => this.chosen[f.name] && f.of(item) !== this.chosen[f.name])) return false;
    if (!words.length) return true;
    let text = this.text.get(item);
    if (text === undefined) this.text.set(item, (text = this.look.text(item).toLowerCase()));
    return words.every((w) => text!.includes(w));
  }

  apply(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.shown = this.items.filter((i) => this.matches(i, words)).sort(this.look.orders[this.order.value][1]);
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
    if (this.fold && upTo === Infinity) this.fold.open = true; // for print
    if (end > this.built) this.list.append(...this.shown.slice(this.built, end).map((item) => this.row(item)));
    this.built = Math.max(this.built, end);
    const left = this.shown.length - this.built;
    this.rest.replaceChildren(
      ...(left > 0 ? [h("button", {type: "button", click: () => this.build()}, `Show more (${left} left)`)] : []),
    );
  }

  private row(item: T): HTMLElement {
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
        h("span", {class: "finding-place"}, ...breakable(item.place)),
        h("span", {class: "finding-tags"}, ...this.look.tags(item)),
      ),
      this.look.side(item),
      h("span", {class: "chevron", "aria-hidden": "true"}),
    );
    const li = h("li", {class: "finding", id: item.anchor}, h("h3", {class: "finding-heading"}, head), panel);
    return li;
  }

  private toggle(li: HTMLElement, open?: boolean): void {
    const head = li.querySelector(".finding-head")!,
      panel = li.querySelector<HTMLElement>(".panel")!;
    const isOpen = open ?? head.getAttribute("aria-expanded") !== "true";
    if (isOpen && !panel.childElementCount) panel.append(this.look.detail(this.items.find((i) => i.anchor === li.id)!));
    head.setAttribute("aria-expanded", String(isOpen));
    panel.hidden = !isOpen;
    li.classList.toggle("is-open", isOpen);
  }

  has(anchor: string): boolean {
    return this.items.some((i) => i.anchor === anchor);
  }

  // Whatever is filtered away: a link leads there.
  reveal(anchor: string): void {
    if (this.fold) this.fold.open = true;
    let at = this.shown.findIndex((i) => i.anchor === anchor);
    if (at < 0) {
      this.showAll();
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
