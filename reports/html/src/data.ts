// What the page is made of: the report as reports/schema.json has it, and the view of it that kadvise computed.
// Only the fields that are shown are named here.

export interface Location {
  file: string;
  line: number;
  scope: string;
  snippet: string;
}
export interface Interval {
  low: number | null;
  mid: number | null;
  high: number | null;
}
export interface Timing {
  regime: string;
  wallUs: number[];
  throttled: boolean;
}
export interface Kernel {
  name: string;
  op: string;
  scope: string;
  where: Location;
  startUs: number;
  durationUs: number;
  grid: number[];
  block: number[];
  bytes: number;
}
export interface Measurement {
  subject: string;
  device: string;
  timings: Timing[];
  kernels: Kernel[];
  counters: Record<string, number | null>;
  peakBytes: number;
  firstCallMs: number | null;
}
export interface Accuracy {
  rmsUlp: number | null;
  p999Ulp: number | null;
  maxUlp: number | null;
  bias: number | null;
  scale: number | null;
  grade: string;
  worstCase: string;
}
export interface Verdict {
  candidate: string;
  outcome: string;
  speedup: Interval;
  accuracy: Accuracy;
  reason: string;
  before: Measurement;
  after: Measurement;
}
export interface Rewrite {
  candidate: string;
  before: string;
  after: string;
}
export interface Fix {
  title: string;
  safety: string;
  rewrite?: Rewrite;
  edits?: unknown[];
}
export interface Finding {
  id: string;
  rule: string;
  message: string;
  severity: string;
  where: Location;
  related: Location[];
  fixes: Fix[];
}
export interface ModuleCost {
  path: string;
  class: string;
  nodes: number;
  bytesRead: number;
  bytesWritten: number;
  flops: number;
  estimatedUs: number;
  ownUs: number;
  share: number;
}
export interface Region {
  operators: number;
  share: number;
  first: Location;
  last: Location;
}
export interface Cut {
  rule: string;
  findings: string[];
  where: Location;
}
export interface Capability {
  kind: string;
  regions: Region[];
  cuts: Cut[];
  share: number;
}
export interface TimeRow {
  name: string;
  where: Location;
  calls: number;
  us: number;
  share: number;
}
export interface KernelRow {
  name: string;
  op: string;
  launches: number;
  us: number;
  share: number;
  occupancy: number;
}
export interface ProfileView {
  mode: string;
  basis: string;
  wallUs: Interval;
  kernels: KernelRow[];
  operators: TimeRow[];
  modules: TimeRow[];
  lines: TimeRow[];
  launches: Kernel[];
  timing: Timing;
}
export interface CountedKernel {
  name: string;
  op: string;
  us: number;
  dramReadBytes: number;
  dramWriteBytes: number;
  tensorFlop: number;
  fp32Flop: number;
  flopPerSecond: number;
  bound: string;
  why: string;
}
export interface MemoryTimeline {
  peakBytes: number;
  peakUs: number;
  points: {us: number; bytes: number}[];
  atPeak: {bytes: number; op: string; where: Location}[];
}
export interface Profile {
  views: ProfileView[];
  memory?: MemoryTimeline;
  counted: CountedKernel[];
}
export interface Level {
  level: number;
  name: string;
  verdict: Verdict;
  notes: string[];
}
export interface Change {
  kind: string;
  rule: string;
  what: string;
  before: string;
  after: string;
  finding: string;
  lostUs: number;
}
export interface Comparison {
  older: string;
  newer: string;
  differs: string[];
  timesComparable: boolean;
  whole: string;
  regressions: Change[];
  gains: Change[];
  found: Change[];
  fixed: Change[];
  unchanged: number;
}
export interface PeakMemory {
  peakBytes: number;
  op: string;
  where: Location;
  parameterBytes: number;
  inputBytes: number;
  largest: {bytes: number; type: string; op: string; where: Location}[];
}

export interface Report {
  tool: {name: string; version: string};
  command: string[];
  environment: Record<string, string>;
  device: {kind: string; name: string};
  subject: {path: string; format: string; nodes: number; parameters: number; parameterBytes: number};
  findings: Finding[];
  verdicts: Verdict[];
  whole: Verdict;
  composition: {applied: {candidate: string; sites: number}[]};
  readiness?: {basis: string; capabilities: Capability[]};
  estimate?: {gpu: string; estimatedUs: number};
  modules: ModuleCost[];
  memory?: PeakMemory;
  levels?: Level[];
  profile?: Profile;
  comparison?: Comparison;
  rules: Record<string, {title: string; sections: Record<string, string>}>;
}

export interface Item {
  number: number;
  anchor: string;
  standing: string;
  rule: string;
  message: string;
  severity: string;
  place: string;
  scope: string;
  snippet: string;
  sites: number;
  savedUs: number;
  estimatedUs: number;
  figures: string;
  with: string;
  level: number;
  domain: string;
  remarks: string[];
  known: boolean;
  candidates: string[];
  findings: string[];
  command: string;
}
export interface Block {
  kind: "heading" | "paragraph" | "verbatim";
  indent: number;
  ink: string;
  text: string;
}
export interface Section {
  id: string;
  blocks: Block[];
}
export interface Roofline {
  gpu: string;
  bytesPerSecond: number;
  flopPerSecond: Record<string, number>;
}
export interface LevelCells {
  time: string;
  factor: string;
  memory: string;
  firstCall: string;
  outputs: string;
  doubt: string;
}
export interface View {
  headline: string;
  ink: string;
  figures: string;
  device: string;
  caveat: string;
  apply: string;
  items: Item[];
  sections: Section[];
  levels: LevelCells[];
  roofline: Roofline | null;
}

export interface Data {
  report: Report;
  view: View;
}

export function readData(): Data {
  const element = document.getElementById("data");
  const data = JSON.parse(element?.textContent ?? "{}");
  if (!data.report || !data.view) throw new Error("this file is the empty page: kadvise --report FILE.html fills it");
  return data;
}

export const verdictOf = (report: Report, candidate: string) => report.verdicts.find((v) => v.candidate === candidate);

export function medianUs(m: Measurement | undefined): number {
  const timed =
    m?.timings.find((t) => t.regime === "warm" && t.wallUs.length) ?? m?.timings.find((t) => t.wallUs.length);
  return timed
    ? quantile(
        [...timed.wallUs].sort((a, b) => a - b),
        0.5,
      )
    : 0;
}

export function quantile(sorted: number[], q: number): number {
  if (!sorted.length) return 0;
  const at = (sorted.length - 1) * q,
    low = Math.floor(at),
    high = Math.ceil(at);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}
