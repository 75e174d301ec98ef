// Parts of the report that are words: as the text report has them.
import {type Block, type Data, type Section} from "./data";
import {h} from "./dom";
import {plural} from "./format";

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

const folded = (words: string, list: Block[]): HTMLElement => {
  const details = h(
    "details",
    {toggle: () => details.open && details.childElementCount < 2 && details.append(blocks(list))},
    h("summary", {}, words),
  );
  return details;
};

// What is no fault of the model and no advice opens on demand.
const kFolded = "Looks like a place of a rule, and is none";

function mainAndFolded(list: Block[]): [Block[], Block[]] {
  const at = list.findIndex((b) => b.kind === "heading" && b.text === kFolded);
  return at < 0 ? [list, []] : [list.slice(0, at), list.slice(at + 1)];
}

// counted: how many things the lines speak of, several of which may share one.
export function textSection(section: Section, counted = ""): HTMLElement {
  const [open, closed] = mainAndFolded(section.blocks),
    [first, ...rest] = open.length ? open : [section.blocks[0]];
  const hasTitle = first.kind === "heading" && section.id !== "profile",
    title = hasTitle ? first.text : (kTitles[section.id] ?? section.id);
  const list = hasTitle ? rest : open;
  const heading = h("h2", {id: `${section.id}-title`}, title);
  const isLong = list.length > kMany,
    words = counted || plural(list.length, "line");
  return h(
    "section",
    {id: section.id, "aria-labelledby": heading.id},
    heading,
    list.length > 0 && (isLong ? folded(words, list) : blocks(list)),
    closed.length > 0 && folded(open.length ? `${kFolded}: ${closed.length}` : plural(closed.length, "line"), closed),
  );
}

export const sectionNamed = (data: Data, id: string) => data.view.sections.find((s) => s.id === id);
