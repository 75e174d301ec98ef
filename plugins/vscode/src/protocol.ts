// What the server says beside LSP (analyzer/lsp/PROTOCOL.md).

export interface Status {
  state: "parsing" | "idle" | "degraded";
  tier: string;
  message: string;
  files: number;
}
export interface ReportEntry {
  path: string;
  uri: string;
  subject: string;
  headline: string;
  findings: number;
  stale: boolean;
  time: string | number;
}
export interface RuleText {
  rule: string;
  title: string;
  uri: string;
  markdown: string;
}
export interface Told {
  command: string[];
  line: string;
  started: boolean;
  exitCode?: number;
  report?: string;
  headline?: string; // of the report
  output?: string;
}
export interface FileAnswer {
  uri: string;
  tier: string;
  findings: number;
}
export interface WorkspaceAnswer {
  files: number;
  findings: number;
  errors: string[];
  pages?: string[];
}

export const kStatus = "kadvise/status";
export const kReports = "kadvise/reports";

// The server's commands, each with its one argument and its answer.
export interface ServerCommands {
  lintFile: [{uri: string}, FileAnswer];
  lintWorkspace: [{folder?: string; page?: string}, WorkspaceAnswer];
  restartParser: [Record<string, never>, null];
  showRule: [{rule: string; open?: boolean}, RuleText];
  analyseModel: [{model: string; inputs?: string[]; arguments?: string[]; run?: boolean}, Told];
  measureFix: [{report: string; rule: string; run?: boolean}, Told];
  reports: [Record<string, never>, {reports: ReportEntry[]}];
}
export const kCancelled = -32800; // the code of an answer to a request that the user has stopped
export const serverCommand = (name: keyof ServerCommands) => `kadvise.server.${name}`;
