// Parts of the report that are words: as the text report has them.
import {type Block, type Data, type Section} from "./data";
import {h} from "./dom";

const kMany = 60; // lines; a longer part opens on demand

function lineOf(b: Block): HTMLElement {
  const text = b.text.trim(),
    ink = b.ink === "plain" ? "" : ` ink-${b.ink}`;
  if (b.kind === "heading") return h("h3", {}, text);
  if (b.kind === "verbatim") return h("pre", {class: "code", tabindex: "0"}, h("code", {}, b.text));
  const isRow = text.startsWith("- ");
  return h(
    "p",
    {class: `${isRow ? "row-line" : b.indent > 2 ? "sub-line" : "line"}${ink}`},
    isRow ? text.slice(2) : text,
  );
}

// Lines that are kept as they are stand in one box.
function joined(list: Block[]): Block[] {
  const out: Block[] = [];
  for (const b of list) {
    const last = out[out.length - 1];
    if (b.kind === "verbatim" && last?.kind === "verbatim")
      last.text += "\n" + " ".repeat(Math.max(0, b.indent - last.indent)) + b.text;
    else out.push({...b});
  }
  return out;
}

export function blocks(list: Block[]): HTMLElement {
  return h("div", {class: "blocks"}, ...joined(list).map(lineOf));
}

const kTitles: Record<string, string> = {
  errors: "Errors",
  "cuda-graphs": "CUDA graphs",
  search: "What was tried together",
  suppressed: "Suppressed",
  refused: "Refused, and why",
  "not-applicable": "Not applicable",
  cost: "Where the time goes",
  method: "How this was measured",
  component: "Component",
  "why-not": "Why not",
  pair: "Comparison",
  profile: "The profile in words",
  health: "This machine",
};

export function textSection(section: Section): HTMLElement {
  const [first, ...rest] = section.blocks;
  const hasTitle = first.kind === "heading" && section.id !== "profile",
    title = hasTitle ? first.text : (kTitles[section.id] ?? section.id);
  const list = hasTitle ? rest : section.blocks;
  const heading = h("h2", {id: `${section.id}-title`}, title);
  if (list.length <= kMany) return h("section", {id: section.id, "aria-labelledby": heading.id}, heading, blocks(list));
  const details = h(
    "details",
    {toggle: () => details.open && details.childElementCount < 2 && details.append(blocks(list))},
    h("summary", {}, `${list.length} lines`),
  );
  return h("section", {id: section.id, "aria-labelledby": heading.id}, heading, details);
}

export const sectionNamed = (data: Data, id: string) => data.view.sections.find((s) => s.id === id);
