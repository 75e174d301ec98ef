// Reports as pages: kadvise writes them, a panel shows them. The page's own policy lets no request out of it.
import {execFile} from "node:child_process";
import {mkdirSync, readFileSync} from "node:fs";
import {join} from "node:path";
import {env, type ExtensionContext, ProgressLocation, UIKind, Uri, ViewColumn, window} from "vscode";

const kMostOutput = 16 * 1024 * 1024;

function run(program: string, words: string[], cwd: string | undefined): Promise<void> {
  return new Promise((done, failed) =>
    execFile(program, words, {cwd, maxBuffer: kMostOutput}, (error, _, said) => {
      if (!error) return done();
      failed(new Error(said.trim().split("\n").pop() || error.message));
    }),
  );
}

// words: of the command line, but for the page.
export async function showPage(
  context: ExtensionContext,
  program: string,
  title: string,
  words: string[],
  cwd?: string,
): Promise<void> {
  const folder = context.globalStorageUri.fsPath;
  mkdirSync(folder, {recursive: true});
  const page = join(folder, `${title.replace(/[^\w.-]+/g, "_").slice(-80)}.html`);
  await window.withProgress({location: ProgressLocation.Notification, title: `kadvise: ${title}`}, () =>
    run(program, [...words, "--report", page, "--quiet"], cwd),
  );
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
