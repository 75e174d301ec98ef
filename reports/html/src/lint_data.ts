// What the page of a lint run is made of: the report as `kadvise lint --output-format json` writes it, and what
// kadvise says of it as a whole. Only the fields that are shown are named here.

export interface Place {
  file: string;
  line: number;
  column: number; // 1-based, in bytes of UTF-8; 0: unknown
  endLine: number;
  endColumn: number;
  snippet: string; // the line of the source
  note?: string;
}
export interface LintFix {
  title: string;
  safety: string;
  edits?: {text: string; length: number}[];
}
export interface LintFinding {
  id: string;
  rule: string;
  message: string;
  severity: string;
  confidence?: string;
  price?: {words: string};
  where: Place;
  related: Place[];
  fixes: LintFix[];
}
export interface LintedFile {
  path: string;
  tier: string;
  failure: string;
  findings: LintFinding[];
  errors: {line: number; message: string}[];
  errorCount: number;
  missing: string[];
  kernels: number;
  brokenKernels: number;
  suppressed: number;
  known: number;
}
export interface LintRule {
  title: string;
  severity: string;
  confidence: string;
  tags: string[];
  sections: Record<string, string>;
}
export interface LintReport {
  tool: {name: string; version: string};
  command: string[];
  files: LintedFile[];
  rules: Record<string, LintRule>;
  fixed: {path: string; fixes: number; diff: string}[];
  dryRun: boolean;
  notes: string[];
  errors: {where: string; what: string}[];
}
export interface LintView {
  headline: string;
  limits: string[]; // what was seen less well than it could have been
  errors: {where: string; what: string}[]; // but for files that were not read, which say so themselves
}
export interface LintData {
  lint: LintReport;
  view: LintView;
}

// A finding as the list has it.
export interface LintItem extends LintFinding {
  number: number;
  anchor: string;
  place: string;
}

// In the order of the text report: file by file. A link names the finding's id, which holds while lines move;
// findings that are alike are told apart by their order.
export function itemsOf({lint}: LintData): LintItem[] {
  const seen = new Map<string, number>();
  const out: LintItem[] = [];
  for (const file of lint.files)
    for (const f of file.findings) {
      const n = (seen.get(f.id) ?? 0) + 1;
      seen.set(f.id, n);
      const anchor = `finding-${f.id}` + (n > 1 ? `-${n}` : "");
      out.push({...f, number: out.length + 1, anchor, place: `${f.where.file}:${f.where.line}`});
    }
  return out;
}
