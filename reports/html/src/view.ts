// What kadvise computed for the page beside the figures of the report: order, words, what belongs together.

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
  outputs: string; // what the cases of inputs showed of them
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
  counts: {appliedWithin: number; notApplicable: number};
  timesNote: string; // why the medians do not divide to the factor; "" where they do
  memoryNote: string; // what is allocated besides
  outputs: string; // the same of the whole
  changes: string; // of two runs: how many of each kind
}
