// What the page is made of: the report as reports/schema.json has it, and the view of it that kadvise computed.
// Only the fields that are shown are named here.
import {type LintData} from "./lint_data";
import {type CaseErrors, type Interval, type Profile, type Verdict} from "./measured";
import {type View} from "./view";
export * from "./measured";
export * from "./view";

export interface Location {
  file: string;
  line: number;
  scope: string;
  snippet: string;
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
  twoModules?: true;
  whole: string;
  regressions: Change[];
  gains: Change[];
  found: Change[];
  fixed: Change[];
  unchanged: number;
}
export interface BenchRow {
  inputs: string;
  us: Interval;
  bytes: number;
  bytesPerSecond: number;
  shareOfCopy: number;
  refused: string;
}
export interface Bench {
  op: string;
  copyBytes: number;
  copyBytesPerSecond: number;
  rows: BenchRow[];
  notes: string[];
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
  notes: string[];
  errors: {where: string; what: string}[];
  findings: Finding[];
  verdicts: Verdict[];
  whole: Verdict;
  caseErrors?: Record<string, CaseErrors[]>;
  composition: {applied: {candidate: string; sites: number}[]};
  readiness?: {basis: string; capabilities: Capability[]};
  estimate?: {gpu: string; estimatedUs: number};
  modules: ModuleCost[];
  memory?: PeakMemory;
  levels?: Level[];
  bench?: Bench;
  profile?: Profile;
  comparison?: Comparison;
  rules: Record<string, {title: string; sections: Record<string, string>}>;
}

export interface Data {
  report: Report;
  view: View;
}

export function readData(): Data | LintData {
  const element = document.getElementById("data");
  const data = JSON.parse(element?.textContent ?? "{}");
  if ((!data.report && !data.lint) || !data.view)
    throw new Error("this file is the empty page: kadvise --report FILE.html fills it");
  return data;
}

export const verdictOf = (report: Report, candidate: string) => report.verdicts.find((v) => v.candidate === candidate);
