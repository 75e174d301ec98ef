// Where the time of one call goes, as it was measured.
import {type Data, type ProfileView} from "./data";
import {bar, h} from "./dom";
import {percent, us} from "./format";
import {timeline} from "./timeline";

const kModes: Record<string, string> = {"as-loaded": "as loaded", frozen: "frozen", "graph-replay": "graph replay"};
const kRows = 30;
const kUnknownPlace = "(not known)"; // as the profile names what belongs to no place

function table(
  title: string,
  rows: {name: string; note: string; n: number; us: number; share: number}[],
): HTMLElement | null {
  if (!rows.length || (rows.length === 1 && rows[0].name === kUnknownPlace)) return null;
  return h(
    "details",
    {open: title === "By kernel" || title === "By operator"},
    h("summary", {}, `${title} (${rows.length})`),
    h(
      "div",
      {class: "scroll", tabindex: "0", role: "region", "aria-label": title},
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...["", "share", "time", "calls"].map((t) =>
              h("th", {scope: "col", class: t === "time" || t === "calls" ? "num" : ""}, t),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          ...rows
            .slice(0, kRows)
            .map((r) =>
              h(
                "tr",
                {},
                h(
                  "th",
                  {scope: "row", class: "long"},
                  r.name || "the module itself",
                  r.note && h("span", {class: "quiet remark"}, r.note),
                ),
                h("td", {class: "share"}, bar(r.share), h("span", {class: "num"}, percent(r.share))),
                h("td", {class: "num"}, us(r.us)),
                h("td", {class: "num"}, String(r.n)),
              ),
            ),
        ),
      ),
    ),
  );
}

// Where a table that would say nothing was left out: why, and where to look.
function whyUnplaced(v: ProfileView, absent: {figure: string; reason: string; remedy: string}[]): HTMLElement | null {
  const why = absent.find((a) => a.figure === "time by operator, module and line");
  const isUnplaced = v.operators.length === 1 && v.operators[0].name === kUnknownPlace;
  if (!why || !isUnplaced) return null;
  return h("p", {class: "quiet"}, `Operators, modules and lines are not known: ${why.reason}. ${why.remedy}`);
}

function view(v: ProfileView, absent: {figure: string; reason: string; remedy: string}[]): HTMLElement {
  const times = (rows: ProfileView["operators"]) =>
    rows.map((r) => ({name: r.name, note: "", n: r.calls, us: r.us, share: r.share}));
  const {low, mid, high} = v.wallUs;
  return h(
    "div",
    {class: "profile-view"},
    h(
      "h3",
      {},
      `${kModes[v.mode] ?? v.mode}: ${mid ? `${us(mid)} a call (${us(low)}–${us(high)}, 95 %)` : "not timed"}`,
    ),
    timeline([{name: kModes[v.mode] ?? v.mode, kernels: v.launches, callUs: mid ?? 0}]),
    whyUnplaced(v, absent),
    table(
      "By kernel",
      v.kernels.map((k) => ({name: k.name, note: k.op, n: k.launches, us: k.us, share: k.share})),
    ),
    table("By operator", times(v.operators)),
    table("By module", times(v.modules)),
    table("By line", times(v.lines)),
  );
}

export function profileSection({report}: Data): HTMLElement | null {
  return report.profile?.views.length
    ? h(
        "section",
        {id: "time", "aria-labelledby": "time-title"},
        h("h2", {id: "time-title"}, "Where the time goes"),
        ...report.profile.views.map((v) => view(v, report.profile!.absent)),
      )
    : null;
}
