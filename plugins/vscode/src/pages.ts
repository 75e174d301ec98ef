// Reports as pages: kadvise writes them, a panel shows them. The page's own policy lets no request out of it.
import {execFile} from "node:child_process";
import {mkdirSync, readFileSync} from "node:fs";
import {basename, join} from "node:path";
import {
  CancellationError,
  type CancellationToken,
  env,
  type ExtensionContext,
  ProgressLocation,
  UIKind,
  Uri,
  ViewColumn,
  window,
} from "vscode";

const kMostOutput = 16 * 1024 * 1024;

function run(program: string, words: string[], token: CancellationToken): Promise<void> {
  const stop = new AbortController();
  token.onCancellationRequested(() => stop.abort());
  return new Promise((done, failed) =>
    execFile(program, words, {maxBuffer: kMostOutput, signal: stop.signal}, (error, _, said) => {
      if (!error) return done();
      failed(stop.signal.aborted ? new CancellationError() : new Error(said.trim().split("\n").pop() || error.message));
    }),
  );
}

// A file of ours for a page, called by what it shows: many reports are called last.json.
export function pageFile(context: ExtensionContext, of: string): string {
  const folder = context.globalStorageUri.fsPath;
  mkdirSync(folder, {recursive: true});
  return join(folder, `${of.replace(/[^\w.-]+/g, "_").slice(-120)}.html`);
}

export function showPage(title: string, page: string): void {
  const panel = window.createWebviewPanel("kadvise.page", title, ViewColumn.Active, {
    enableScripts: true,
    localResourceRoots: [], // all that it needs is inside
    enableFindWidget: true,
    retainContextWhenHidden: true,
  });
  panel.webview.html = readFileSync(page, "utf8");
  if (env.uiKind === UIKind.Desktop)
    void window
      .showInformationMessage("The page is a file, too.", "Open in a browser")
      .then((chosen) => chosen && env.openExternal(Uri.file(page)));
}

export async function showReport(context: ExtensionContext, program: string, report: string): Promise<void> {
  const page = pageFile(context, report),
    title = basename(report);
  await whileWorking(title, (token) => run(program, ["report", report, "--report", page, "--quiet"], token));
  showPage(title, page);
}

// With a notification that can stop it.
export function whileWorking<T>(title: string, act: (token: CancellationToken) => Thenable<T>): Thenable<T> {
  const options = {location: ProgressLocation.Notification, title: `kadvise: ${title}`, cancellable: true};
  return window.withProgress(options, (_, token) => act(token));
}
