// What the keyboard does beside the browser's own.
import {h} from "./dom";
import {type AnyList} from "./finding_list";
import {toggleTheme} from "./theme";

const kKeys: [string, string][] = [
  ["/", "search"],
  ["j, k", "next and previous finding"],
  ["Enter", "open and close it"],
  ["t", "dark or light"],
  ["?", "this list"],
];

function step(by: number): void {
  const heads = [...document.querySelectorAll<HTMLElement>(".finding-head")];
  const at = heads.indexOf(document.activeElement as HTMLElement);
  const next = heads[Math.min(heads.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
  next?.focus();
  next?.scrollIntoView({block: "nearest"});
}

export function installKeys(lists: AnyList[]): HTMLElement {
  const help = h(
    "dialog",
    {id: "help", "aria-label": "Keys"},
    h("h2", {}, "Keys"),
    h("dl", {}, ...kKeys.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("form", {method: "dialog"}, h("button", {}, "Close")),
  );
  addEventListener("keydown", (e) => {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) {
      if (e.key === "Escape") target.blur();
      return;
    }
    const act: Record<string, () => void> = {
      "/": () => lists[0]?.focusSearch(),
      j: () => step(1),
      k: () => step(-1),
      t: toggleTheme,
      "?": () => (help as HTMLDialogElement).showModal(),
    };
    if (!act[e.key]) return;
    act[e.key]();
    e.preventDefault();
  });
  return help;
}
