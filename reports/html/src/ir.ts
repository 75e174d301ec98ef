// The intermediate language of LibTorch, for people.
import {h} from "./dom";

const kConstant = /^\s*(%[\w.]+) : (\S.*?) = prim::Constant(?:\[value=(.*)\])?\(\)/;
const kPlace = / # \S+:\d+:\d+$/; // of a line of the module, or of a rule's page
const kLongest = 32; // characters of a text

function valueOf(type: string, value: string | undefined): string {
  if (value === undefined) return "None";
  if (type === "bool") return value === "1" ? "True" : "False";
  return value.length > kLongest ? `${value.slice(0, kLongest)}…` : value;
}

// A line for each number says nothing: the numbers stand where they are used.
export function withoutConstants(text: string): string {
  const known = new Map<string, string>();
  const lines = text.split("\n").filter((line) => {
    const found = kConstant.exec(line);
    if (found) known.set(found[1], valueOf(found[2], found[3]));
    return !found;
  });
  return lines
    .map((line) => line.replace(kPlace, "").replace(/%[\w.]+/g, (name) => known.get(name) ?? name))
    .join("\n");
}

// Operators stand out, the rest recedes.
export function ir(text: string, label: string): HTMLElement {
  const box = h("code");
  for (const part of withoutConstants(text).trimEnd().split(/((?:aten|prim|kadvise|torchvision)::\w+|%[\w.]+)/))
    box.append(
      /::/.test(part) && !part.startsWith("__") && /^(aten|prim|kadvise|torchvision)::/.test(part)
        ? h(
            "span",
            {class: part.startsWith("prim::") ? "ir-dim" : part.startsWith("kadvise::") ? "ir-ours" : "ir-op"},
            part,
          )
        : /^%/.test(part)
          ? h("span", {class: "ir-value"}, part)
          : part,
    );
  return h("pre", {class: "code", tabindex: "0", "aria-label": label}, box);
}
