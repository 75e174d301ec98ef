// What the palette and the menus do. Each answers in words; what goes wrong is said, never thrown away.
import {basename} from "node:path";
import {
  CancellationError,
  commands,
  type Disposable,
  env,
  type ExtensionContext,
  languages,
  Position,
  Range,
  Uri,
  window,
  workspace,
} from "vscode";
import {type Server} from "./client";
import {pageFile, showPage, showReport, whileWorking} from "./pages";
import {kCancelled, type Told} from "./protocol";
import {type Node, type ReportsTree} from "./reports_tree";
import {type RulePages} from "./rule_pages";
import {lintedWords, toldWords, workspaceWords} from "./words";

export interface Parts {
  context: ExtensionContext;
  server: Server;
  tree: ReportsTree;
  rules: RulePages;
  showLog: () => void;
}

function requireTrust(): void {
  if (!workspace.isTrusted) throw new Error("this workspace is not trusted: nothing is run in it");
}

async function lintFile({server}: Parts): Promise<void> {
  const document = window.activeTextEditor?.document;
  if (!document) throw new Error("no file is open");
  const answer = await server.ask("lintFile", {uri: document.uri.toString()});
  window.setStatusBarMessage(`kadvise: ${lintedWords(answer)}`, 5000);
}

async function lintWorkspace({server}: Parts): Promise<void> {
  const answer = await whileWorking("linting the workspace", (token) => server.ask("lintWorkspace", {}, token));
  void window.showInformationMessage(`kadvise: ${workspaceWords(answer)}`);
  if (answer.findings) await commands.executeCommand("workbench.actions.view.problems");
}

// The server runs it, with the settings of each folder; folders with settings of their own have their own page.
async function lintReport({context, server}: Parts): Promise<void> {
  requireTrust();
  const folders = (workspace.workspaceFolders ?? []).map((f) => f.uri.fsPath);
  const page = pageFile(context, `lint ${folders.join(" ")}`);
  const answer = await whileWorking("linting the workspace", (token) => server.ask("lintWorkspace", {page}, token));
  const pages = answer.pages ?? [];
  if (!pages.length) throw new Error(`no page was written: ${answer.errors[0] ?? "the log says more"}`);
  const name = folders.map((f) => basename(f)).join(", ");
  pages.forEach((p, i) => showPage(`lint of ${name}${pages.length > 1 ? ` (${i + 1})` : ""}`, p));
}

async function fixAll(): Promise<void> {
  await commands.executeCommand("editor.action.sourceAction", {kind: "source.fixAll.kadvise", apply: "first"});
}

// Where the server may not run it, the command line is of use all the same.
export async function tell(told: Told, parts: Parts): Promise<void> {
  if (told.started && told.exitCode === 0 && told.report) {
    const chosen = await window.showInformationMessage(`kadvise: ${toldWords(told)}`, "Open the report");
    if (chosen) await openReport(parts, {report: told.report});
    return;
  }
  const chosen = await window.showWarningMessage(`kadvise: ${toldWords(told)}`, "Copy the command");
  if (chosen) await env.clipboard.writeText(told.line);
}

async function pickModel(): Promise<Uri | undefined> {
  const found = await workspace.findFiles("**/*.{pt,pt2,pth}", "**/{node_modules,.git,.venv,.deps}/**", 200);
  const other = {label: "Another file…", uri: undefined as Uri | undefined};
  const picks = found.map((uri) => ({label: workspace.asRelativePath(uri), uri: uri as Uri | undefined}));
  const chosen = await window.showQuickPick([...picks.sort((a, b) => a.label.localeCompare(b.label)), other], {
    placeHolder: "A TorchScript module or an exported program",
  });
  if (!chosen || chosen.uri) return chosen?.uri;
  const files = await window.showOpenDialog({filters: {Models: ["pt", "pt2", "pth"]}, title: "A model"});
  return files?.[0];
}

async function analyseModel(parts: Parts, given?: unknown): Promise<void> {
  requireTrust();
  const uri = given instanceof Uri ? given : await pickModel();
  if (!uri) return;
  const inputs = await window.showInputBox({
    title: `Inputs of ${basename(uri.fsPath)}`,
    prompt:
      "As --input of kadvise, one word each: float32[2,3,224,224] or a saved batch. Empty: those of the model, or a guess",
  });
  if (inputs === undefined) return;
  const words = inputs.split(/\s+/).filter(Boolean);
  const argument = {model: uri.fsPath, ...(words.length ? {inputs: words} : {}), run: true};
  const title = `analysing ${basename(uri.fsPath)}`;
  await tell(await whileWorking(title, (token) => parts.server.ask("analyseModel", argument, token)), parts);
}

type Given = Node | {report: string} | Uri | undefined;

async function reportPath({tree}: Parts, given: Given): Promise<string | undefined> {
  if (given instanceof Uri) return given.fsPath;
  if (given && "report" in given) {
    if (typeof given.report !== "string") return given.report.path;
    return given.report.startsWith("file:") ? Uri.parse(given.report).fsPath : given.report;
  }
  const picks = tree.reports.map((r) => ({label: r.subject || r.path, description: r.headline, path: r.path}));
  if (!picks.length) throw new Error("there is no report yet: analyse a model first");
  if (picks.length === 1) return picks[0].path;
  return (await window.showQuickPick(picks, {placeHolder: "A report"}))?.path;
}

async function openReport(parts: Parts, given?: Given): Promise<void> {
  requireTrust();
  const path = await reportPath(parts, given);
  if (path) await showReport(parts.context, parts.server.program, path);
}

async function measureFix(parts: Parts, node?: Node): Promise<void> {
  requireTrust();
  if (!node || !("finding" in node)) throw new Error("choose a finding in the view of reports");
  const argument = {report: node.report.path, rule: node.finding.rule, run: true};
  const title = `measuring ${node.finding.rule}`;
  await tell(await whileWorking(title, (token) => parts.server.ask("measureFix", argument, token)), parts);
}

// A finding of the tree, a rule's id, or the one under the cursor.
async function showRule({server, rules}: Parts, given?: Node | string): Promise<void> {
  const of = typeof given === "string" ? given : given && "finding" in given ? given.finding.rule : undefined;
  const editor = window.activeTextEditor;
  const here = editor
    ? languages
        .getDiagnostics(editor.document.uri)
        .find((d) => d.source === "kadvise" && d.range.contains(editor.selection.active))
    : undefined;
  const code = here && (typeof here.code === "object" ? here.code.value : here.code);
  const rule = of ?? (code ? String(code) : await window.showInputBox({prompt: "A rule, such as cuda/bank-conflict"}));
  if (rule) await rules.show(await server.ask("showRule", {rule}));
}

async function openPlace(uri: Uri, line: number): Promise<void> {
  const at = new Position(line, 0);
  await window.showTextDocument(uri, {selection: new Range(at, at)});
}

async function refreshReports({server, tree}: Parts): Promise<void> {
  tree.show((await server.ask("reports", {})).reports);
}

const kCommands: Record<string, (parts: Parts, ...given: any[]) => unknown> = {
  lintFile,
  lintWorkspace,
  lintReport,
  fixAll,
  analyseModel,
  openReport,
  measureFix,
  showRule,
  refreshReports,
  restart: ({server}) => server.restart(),
  restartParser: ({server}) => server.ask("restartParser", {}),
  showLog: ({showLog}) => showLog(),
  openPlace: (_, uri, line) => openPlace(uri, line),
};
export const kCommandNames = Object.keys(kCommands);

// By the user, who knows.
const isCancelled = (error: unknown) =>
  error instanceof CancellationError || (error as {code?: unknown} | undefined)?.code === kCancelled;

export function registerCommands(parts: Parts): Disposable[] {
  return Object.entries(kCommands).map(([name, act]) =>
    commands.registerCommand(`kadvise.${name}`, async (...given: unknown[]) => {
      try {
        await act(parts, ...given);
      } catch (error) {
        if (isCancelled(error)) return;
        void window.showErrorMessage(`kadvise: ${error instanceof Error ? error.message : error}`);
      }
    }),
  );
}
