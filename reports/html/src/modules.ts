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

// Of the profile, else of the kernels of a call as loaded: what each module took by itself.
function measuredRows({report}: Data): {name: string; us: number}[] {
  const profiled = report.profile?.views[0]?.modules ?? [];
  if (profiled.length) return profiled;
  const own = new Map<string, number>();
  for (const k of report.whole.before.kernels) own.set(k.scope, (own.get(k.scope) ?? 0) + k.durationUs);
  return [...own].map(([name, us]) => ({name, us}));
}

// A time on a CPU says nothing of the roof of a GPU.
const isOnGpu = ({report}: Data) => report.device.kind === "cuda";

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
  for (const {children} of nodes.values()) children.sort((a, b) => a.name.localeCompare(b.name, "en", {numeric: true}));
  for (const row of measuredRows(data)) {
    root.measuredUs += row.us;
    for (const [path, node] of nodes)
      if (path && (row.name === path || row.name.startsWith(`${path}.`))) node.measuredUs += row.us;
  }
  return root;
}

// The roof that products of the module's dtype are under: the highest that its settings allow.
function flopPerSecond({report, view}: Data): number {
  const roofs = view.roofline?.flopPerSecond ?? {},
    {float32Matmul, cudnnConvolutionTf32} = report.environment;
  if (!report.memory?.largest[0]?.type.startsWith("float32")) return roofs["16-bit tensor"] || 0;
  const hasConvolutions = report.modules.some((m) => m.class.startsWith("Conv"));
  const isTf32 = hasConvolutions ? cudnnConvolutionTf32 === "on" : !/no TF32/.test(float32Matmul ?? "no TF32");
  return (isTf32 ? roofs["tf32 tensor"] : roofs.fp32) || 0;
}

// What traffic and arithmetic alone take; null without a GPU's figures.
function roofOf(cost: ModuleCost, data: Data): {memoryUs: number; computeUs: number} | null {
  const bandwidth = data.view.roofline?.bytesPerSecond ?? 0,
    flops = flopPerSecond(data);
  if (!bandwidth || !flops) return null;
  return {
    memoryUs: ((cost.bytesRead + cost.bytesWritten) / bandwidth) * 1e6,
    computeUs: (cost.flops / flops) * 1e6,
  };
}

// Of the estimate the largest part: of traffic, of arithmetic, or of what is left, which kernels take to start.
// Where kernels were measured, starting them is no part of their time.
function boundOf(cost: ModuleCost, data: Data, isMeasured: boolean): string {
  const roof = roofOf(cost, data);
  if (!roof || !(cost.estimatedUs > 0)) return "";
  const {memoryUs, computeUs} = roof,
    launchUs = cost.estimatedUs - Math.max(memoryUs, computeUs);
  if (!isMeasured && launchUs > memoryUs && launchUs > computeUs) return "launches";
  return memoryUs > computeUs ? "memory" : "compute";
}

const roofUs = (cost: ModuleCost, data: Data) => {
  const roof = roofOf(cost, data);
  return roof ? Math.max(roof.memoryUs, roof.computeUs) : 0;
};

// Above all of it the L2 cache holds what is read again.
function ofRoof(node: Node_, data: Data): string {
  const atBest = roofUs(node.cost, data);
  if (!(atBest > 0) || !(node.measuredUs > 0)) return "";
  const share = atBest / node.measuredUs;
  return share > 1 ? "> 100 %" : percent(share);
}

// Estimates with what kernels take to start are no bound for kernels alone: beside their times stands the roof.
function hasMeasuredKernels(data: Data, root: Node_): boolean {
  return root.measuredUs > 0 && isOnGpu(data) && roofOf(root.cost, data) !== null;
}

const shareCell = (share: number) => h("td", {class: "share"}, bar(share), h("span", {class: "num"}, percent(share)));

function body(data: Data, root: Node_): HTMLElement {
  const isMeasured = root.measuredUs > 0,
    hasRoof = hasMeasuredKernels(data, root),
    shareOf = (node: Node_) => (isMeasured ? node.measuredUs / root.measuredUs : node.cost.share),
    tbody = h("tbody");
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
      isMeasured && shareCell(shareOf(node)),
      h("td", {class: "num"}, us(hasRoof ? roofUs(cost, data) : cost.estimatedUs)),
      hasRoof && h("td", {class: "num"}, ofRoof(node, data)),
      !isMeasured && shareCell(shareOf(node)),
      h("td", {class: "num"}, bytes(moved)),
      h("td", {class: "num"}, count(cost.flops)),
      h("td", {}, boundOf(cost, data, hasRoof)),
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
  const hasRoof = hasMeasuredKernels(data, root),
    gpu = data.report.estimate.gpu,
    measured = data.report.profile ? "the times of the profile" : "the times of kernels in a call as loaded, without the gaps between them";
  const names = [
    "module",
    ...(root.measuredUs > 0 ? ["measured", "share"] : []),
    hasRoof ? "at best" : "estimate",
    ...(hasRoof ? ["of its roof"] : []),
    ...(root.measuredUs > 0 ? [] : ["share"]),
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
      root.measuredUs > 0 && `Measured are ${measured}. `,
      hasRoof
        ? `At best is what traffic and arithmetic alone would take on ${gpu}, from shapes. Of its roof: that, of the measured time; above 100 % the L2 cache holds what is read.`
        : `Estimates are from shapes for ${gpu}, with what kernels take to start.`,
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
