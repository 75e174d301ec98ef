// What was measured, as reports/schema.json has it.
import {type Location} from "./data";

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
export interface CaseErrors {
  name: string;
  output: string;
  grade: string;
  unjudged: string;
  rmsUlp: number | null;
  p999Ulp: number | null;
  maxUlp: number | null;
  rmsBound: number | null;
  p999Bound: number | null;
  maxBound: number | null;
  ofBound: number | null;
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
  absent: {figure: string; reason: string; remedy: string}[];
  views: ProfileView[];
  memory?: MemoryTimeline;
  counted: CountedKernel[];
}
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
