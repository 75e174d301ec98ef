// A report of a module as the tree shows it: what is faster first, equal places once.

export interface Place {
  file: string;
  line: number;
  scope: string;
}
export interface TreeFinding {
  rule: string;
  message: string;
  severity: string;
  gain: string; // "1.42x in its region", "" where nothing was measured
  factor: number;
  places: Place[];
}

interface Json {
  [key: string]: any;
}

const text = (x: unknown) => (typeof x === "string" ? x : "");
const list = (x: unknown): Json[] => (Array.isArray(x) ? x.filter((e) => e && typeof e === "object") : []);

// The candidate's factor by finding, where it was measured and faster.
function factors(report: Json): Map<string, number> {
  const out = new Map<string, number>();
  for (const v of list(report.verdicts)) {
    const mid = v.speedup?.mid;
    if (v.outcome !== "faster" || typeof mid !== "number") continue;
    for (const id of Array.isArray(v.findings) ? v.findings : []) out.set(String(id), mid);
  }
  return out;
}

const kSeverities = ["error", "warning", "opportunity", "note"];

export function findingsOf(report: Json): TreeFinding[] {
  const measured = factors(report);
  const rows = new Map<string, TreeFinding>();
  for (const f of list(report.findings)) {
    const where = f.where ?? {};
    const place = {file: text(where.file), line: Number(where.line) || 0, scope: text(where.scope)};
    const factor = measured.get(text(f.id)) ?? 0;
    const key = [f.rule, f.message, place.file, place.line].join("\n");
    const row = rows.get(key) ?? {
      rule: text(f.rule),
      message: text(f.message),
      severity: text(f.severity),
      gain: "",
      factor: 0,
      places: [],
    };
    rows.set(key, row);
    row.places.push(place);
    if (factor > row.factor) ((row.factor = factor), (row.gain = `${factor.toFixed(2)}x in its region`));
  }
  const rank = (f: TreeFinding) => kSeverities.indexOf(f.severity);
  return [...rows.values()].sort((a, b) => b.factor - a.factor || rank(a) - rank(b));
}

// "modeling_bert.py:133, 12 sites" beside the message.
export function describe(f: TreeFinding): string {
  const [first] = f.places;
  const name = first.file.split("/").pop() ?? "";
  const at = name ? name + (first.line ? `:${first.line}` : "") : first.scope;
  return [f.gain, at, f.places.length > 1 ? `${f.places.length} sites` : ""].filter(Boolean).join(", ");
}
