// kadvise in VS Code: the language client, the view of reports, the commands.
import {type ExtensionContext, window, workspace} from "vscode";
import {Server} from "./client";
import {type Parts, registerCommands, tell} from "./commands";
import {ReportsTree} from "./reports_tree";
import {kRuleScheme, RulePages} from "./rule_pages";

let server: Server | undefined;

// These decide how the server is started; the rest it is told while it runs.
const kStarting = ["kadvise.path", "kadvise.rules"];

export async function activate(context: ExtensionContext): Promise<void> {
  const log = window.createOutputChannel("kadvise", {log: true});
  const tree = new ReportsTree(),
    rules = new RulePages();
  const running = new Server(
    log,
    (reports) => tree.show(reports),
    (told) => void tell(told, parts),
  );
  const parts: Parts = {context, server: running, tree, rules, showLog: () => log.show()};
  server = running;
  context.subscriptions.push(
    log,
    running,
    window.createTreeView("kadvise.reports", {treeDataProvider: tree}),
    workspace.registerTextDocumentContentProvider(kRuleScheme, rules),
    ...registerCommands(parts),
    workspace.onDidGrantWorkspaceTrust(() => running.restart()),
    workspace.onDidChangeConfiguration((e) => kStarting.some((s) => e.affectsConfiguration(s)) && running.restart()),
  );
  await running.start();
  if (running.isRunning)
    await running.ask("reports", {}).then(
      ({reports}) => tree.show(reports),
      (error) => log.warn(`reports: ${error}`),
    );
}

export const deactivate = () => server?.stop();
