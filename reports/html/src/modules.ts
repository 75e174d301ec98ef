// The model as a tree: time, traffic and work of each module with all below it.
import {type Data, type ModuleCost} from "./data";
import {bar, h} from "./dom";
import {bytes, count, percent, us} from "./format";

interface Node_ {
  cost: ModuleCost;
  name: string;
  children: Node_[];
  measuredUs: number;
}

function treeOf(data: Data): Node_ | null {
  const nodes = new Map<string, Node_>();
  for (const cost of data.report.modules)
    nodes.set(cost.path, {cost, name: cost.path.split(".").pop() || "the module", children: [], measuredUs: 0});
  const root = nodes.get("");
  if (!root) return null;
  const parentOf = (path: string): Node_ => {
    for (let at = path; at;) {
      at = at.includes(".") ? at.slice(0, at.lastIndexOf(".")) : "";
      const found = nodes.get(at);
      if (found) return found;
    }
    return root;
  };
  for (const [path, node] of nodes) if (path) parentOf(path).children.push(node);
  for (const row of data.report.profile?.views[0]?.modules ?? []) {
    root.measuredUs += row.us;
    for (const [path, node] of nodes)
      if (path && (row.name === path || row.name.startsWith(`${path}.`))) node.measuredUs += row.us;
  }
  return root;
}

function body(data: Data, root: Node_): HTMLElement {
  const roof = data.view.roofline,
    isMeasured = root.measuredUs > 0,
    tbody = h("tbody");
  // The lowest roof decides where traffic stops to be the limit.
  const ridge = roof ? (roof.flopPerSecond["16-bit tensor"] || 0) / roof.bytesPerSecond : 0;
  const row = (node: Node_, depth: number): HTMLElement => {
    const {cost} = node,
      moved = cost.bytesRead + cost.bytesWritten;
    const label = node.children.length
      ? h(
          "button",
          {
            type: "button",
            class: "twist",
            "aria-expanded": "false",
            click: (e: Event) => toggle(e.currentTarget as HTMLElement),
          },
          node.name,
        )
      : h("span", {class: "leaf"}, node.name);
    label.style.marginLeft = `${depth * 16}px`;
    const tr = h(
      "tr",
      {"data-depth": depth},
      h("th", {scope: "row"}, label, h("span", {class: "quiet class-name"}, cost.class)),
      isMeasured && h("td", {class: "num"}, us(node.measuredUs)),
      h("td", {class: "num"}, us(cost.estimatedUs)),
      h("td", {class: "share"}, bar(cost.share), h("span", {class: "num"}, percent(cost.share))),
      h("td", {class: "num"}, bytes(moved)),
      h("td", {class: "num"}, count(cost.flops)),
      h("td", {}, moved && ridge ? (cost.flops / moved < ridge ? "memory" : "compute") : ""),
    );
    const toggle = (button: HTMLElement) => {
      const isOpen = button.getAttribute("aria-expanded") !== "true";
      button.setAttribute("aria-expanded", String(isOpen));
      if (isOpen) return tr.after(...node.children.map((child) => row(child, depth + 1)));
      while (tr.nextElementSibling && Number((tr.nextElementSibling as HTMLElement).dataset.depth) > depth)
        tr.nextElementSibling.remove();
    };
    return tr;
  };
  tbody.append(row(root, 0));
  // Down to where it branches: a wrapper around the model says nothing.
  for (let i = 0, button; i < 4 && (button = tbody.querySelector<HTMLElement>("tr:last-child .twist")); ++i) {
    button.click();
    if (tbody.querySelectorAll("tr").length > i + 2) break;
  }
  return tbody;
}

export function modulesSection(data: Data): HTMLElement | null {
  const root = treeOf(data);
  if (!root || !data.report.estimate) return null;
  const names = [
    "module",
    ...(root.measuredUs > 0 ? ["measured"] : []),
    "at best",
    "share",
    "moved",
    "FLOP",
    "bound by",
  ];
  return h(
    "section",
    {id: "modules", "aria-labelledby": "modules-title"},
    h("h2", {id: "modules-title"}, "The model, by module"),
    h(
      "p",
      {class: "quiet"},
      `Times at best are estimates from shapes for ${data.report.estimate.gpu}${root.measuredUs > 0 ? "; measured times are of the profile" : ""}.`,
    ),
    h(
      "div",
      {class: "scroll", tabindex: "0", role: "region", "aria-label": "The model, by module"},
      h(
        "table",
        {class: "modules"},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...names.map((t) =>
              h("th", {scope: "col", class: ["module", "share", "bound by"].includes(t) ? "" : "num"}, t),
            ),
          ),
        ),
        body(data, root),
      ),
    ),
  );
}
