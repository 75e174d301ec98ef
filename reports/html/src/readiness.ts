// Into what pieces the module falls, as regions with cuts between them.
import {type Capability, type Data} from "./data";
import {h} from "./dom";
import {percent, place, plural} from "./format";
import {sectionNamed, blocks} from "./sections";

const kNames: Record<string, string> = {
  "cuda-graph": "CUDA graph",
  fusion: "Fusion",
  compile: "torch.compile",
  export: "torch.export",
};

function strip(c: Capability): HTMLElement {
  const row = h("div", {
    class: "strip",
    role: "img",
    "aria-label": `${plural(c.regions.length, "region")}, ${plural(c.cuts.length, "cut")}`,
  });
  c.regions.forEach((r, i) => {
    if (i) row.append(h("span", {class: "cut"}));
    const piece = h(
      "span",
      {
        class: "region",
        title: `${plural(r.operators, "operator")}, ${percent(r.share)}: ${place(r.first)} to ${place(r.last)}`,
      },
      r.share > 0.08 ? percent(r.share) : "",
    );
    piece.style.flexGrow = String(Math.max(0.004, r.share));
    row.append(piece);
  });
  return row;
}

function cuts(data: Data, c: Capability): HTMLElement | null {
  if (!c.cuts.length) return null;
  const link = (id: string) => data.view.items.find((item) => item.findings.includes(id))?.anchor;
  return h(
    "details",
    {open: c.cuts.length <= 5},
    h("summary", {}, `${plural(c.cuts.length, "cut")}`),
    h(
      "ul",
      {class: "places"},
      ...c.cuts.slice(0, 200).map((cut) => {
        const anchor = cut.findings.map(link).find(Boolean);
        return h(
          "li",
          {},
          h("code", {}, place(cut.where)),
          " ",
          anchor ? h("a", {href: `#${anchor}`}, cut.rule) : cut.rule,
        );
      }),
    ),
  );
}

export function readinessSection(data: Data): HTMLElement | null {
  const readiness = data.report.readiness,
    words = sectionNamed(data, "readiness");
  if (!readiness || !words) return null;
  const cut = readiness.capabilities.filter((c) => c.cuts.length > 0 || c.regions.length > 1 || c.share < 0.995);
  return h(
    "section",
    {id: "readiness", "aria-labelledby": "readiness-title"},
    h("h2", {id: "readiness-title"}, "Graph breaks and readiness"),
    blocks(words.blocks.slice(1)),
    cut.length > 0 && h("p", {class: "quiet"}, `Shares are of ${readiness.basis}.`),
    ...cut.map((c) =>
      h("div", {class: "capability"}, h("h3", {}, kNames[c.kind] ?? c.kind), strip(c), cuts(data, c)),
    ),
  );
}
