// kadvise in VS Code: the language client, the view of reports, the commands.
import {type ExtensionContext, window, workspace} from "vscode";
import {Server} from "./client";
import {registerCommands} from "./commands";
import {ReportsTree} from "./reports_tree";
import {kRuleScheme, RulePages} from "./rule_pages";

let server: Server | undefined;

// These decide how the server is started; the rest it is told while it runs.
const kStarting = ["kadvise.path", "kadvise.rules"];

export async function activate(context: ExtensionContext): Promise<void> {
  const log = window.createOutputChannel("kadvise", {log: true});
  const tree = new ReportsTree(),
    rules = new RulePages();
  server = new Server(log, (reports) => tree.show(reports));
  const running = server;
  context.subscriptions.push(
    log,
    server,
    window.createTreeView("kadvise.reports", {treeDataProvider: tree}),
    workspace.registerTextDocumentContentProvider(kRuleScheme, rules),
    ...registerCommands({context, server, tree, rules, showLog: () => log.show()}),
    workspace.onDidGrantWorkspaceTrust(() => running.restart()),
    workspace.onDidChangeConfiguration((e) => kStarting.some((s) => e.affectsConfiguration(s)) && running.restart()),
  );
  await server.start();
  if (server.isRunning)
    await server.ask("reports", {}).then(
      ({reports}) => tree.show(reports),
      (error) => log.warn(`reports: ${error}`),
    );
}

export const deactivate = () => server?.stop();
