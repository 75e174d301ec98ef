// What is about a page as a whole: its head, its table of contents, links into it.
import {h} from "./dom";
import {type AnyList} from "./finding_list";
import {installKeys} from "./keys";
import {toggleTheme} from "./theme";

export interface Page {
  title: string;
  facts: string;
  version: string;
  sections: HTMLElement[];
  lists: AnyList[];
  reveal?: (anchor: string) => boolean; // what opens before a link leads there
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

function header({title, facts, version}: Page): HTMLElement {
  return h(
    "header",
    {class: "top"},
    h("div", {class: "brand"}, h("span", {class: "mark", "aria-hidden": "true"}), `kadvise ${version}`),
    h("h1", {}, title, facts && h("span", {class: "quiet"}, ` ${facts}`)),
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

function follow({lists, reveal}: Page): void {
  let anchor = "";
  try {
    anchor = decodeURIComponent(location.hash.slice(1));
  } catch {
    return; // no address of ours
  }
  const list = lists.find((l) => l.has(anchor));
  if (list) list.reveal(anchor);
  else if (anchor && !reveal?.(anchor)) document.getElementById(anchor)?.scrollIntoView();
}

export function draw(into: HTMLElement, page: Page): void {
  document.title = `${page.title} - kadvise`;
  into.replaceChildren(
    h("a", {class: "skip", href: "#main"}, "To the report"),
    header(page),
    h("div", {class: "columns"}, contents(page.sections), h("main", {id: "main", tabindex: "-1"}, ...page.sections)),
  );
  document.body.append(installKeys(page.lists));
  addEventListener("hashchange", () => follow(page));
  addEventListener("beforeprint", () => page.lists.forEach((l) => l.build(Infinity)));
  follow(page);
  // The browser follows the address itself once the page is complete, and takes the focus away.
  if (location.hash) addEventListener("load", () => setTimeout(() => follow(page)), {once: true});
}
