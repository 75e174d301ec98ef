// The Markdown of rule pages, as far as they use it: paragraphs, lists, fences, inline code and emphasis.
import {h} from "./dom";

function inline(text: string): Node[] {
  return text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .filter(Boolean)
    .map((part) => {
      if (part.startsWith("`") && part.length > 1) return h("code", {}, part.slice(1, -1));
      if (part.startsWith("**") && part.length > 3) return h("strong", {}, part.slice(2, -2));
      return document.createTextNode(part);
    });
}

export function prose(text: string): HTMLElement {
  const out = h("div", {class: "prose"});
  for (const [index, part] of text.split(/^```.*$/m).entries()) {
    if (index % 2) {
      out.append(code(part.replace(/^\n/, "").trimEnd()));
      continue;
    }
    for (const paragraph of part
      .split(/\n\s*\n/)
      .map((p) => p.trim())
      .filter(Boolean)) {
      const isList = /^[-*] /.test(paragraph);
      if (!isList)
        out.append(
          paragraph.split("\n").every((l) => /^ {4}/.test(l))
            ? code(paragraph)
            : h("p", {}, ...inline(paragraph.replace(/\n/g, " "))),
        );
      else
        out.append(
          h(
            "ul",
            {},
            ...paragraph.split(/\n(?=[-*] )/).map((row) => h("li", {}, ...inline(row.slice(2).replace(/\n\s*/g, " ")))),
          ),
        );
    }
  }
  return out;
}

export const code = (text: string, label = "") =>
  h("pre", {class: "code", tabindex: "0", ...(label ? {"aria-label": label} : {})}, h("code", {}, text));
