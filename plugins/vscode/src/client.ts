// The language client: one server for all folders of the window.
import {homedir} from "node:os";
import {
  type CancellationToken,
  commands,
  type LogOutputChannel,
  type StatusBarItem,
  Uri,
  StatusBarAlignment,
  ThemeColor,
  window,
  workspace,
  type Disposable,
} from "vscode";
import {CloseAction, ErrorAction, LanguageClient, type LanguageClientOptions, Trace} from "vscode-languageclient/node";
import {findProgram, type Found} from "./program";
import {kReports, kStatus, type ReportEntry, serverCommand, type ServerCommands, type Status, type Told} from "./protocol";
import {isStale} from "./stale";
import {type State, statusWords} from "./words";

export const kLanguages = ["cuda-cpp", "cuda", "cpp", "c", "python"];
const kMostRestarts = 4; // within kRestartWindowMs; a server that always dies is left alone
const kRestartWindowMs = 180_000;

export function searched(): Found {
  return findProgram({
    setting: workspace.getConfiguration("kadvise").get("path", ""),
    path: process.env.PATH ?? "",
    folders: (workspace.workspaceFolders ?? []).filter((f) => f.uri.scheme === "file").map((f) => f.uri.fsPath),
    home: homedir(),
    isTrusted: workspace.isTrusted,
  });
}

function versionOf(uri: string): number | undefined {
  const wanted = Uri.parse(uri).toString();
  return workspace.textDocuments.find((d) => d.uri.toString() === wanted)?.version;
}

export class Server implements Disposable {
  private client?: LanguageClient;
  private status: StatusBarItem = window.createStatusBarItem("kadvise", StatusBarAlignment.Right, 10);
  private crashes: number[] = [];
  private turn: Promise<void> = Promise.resolve();
  program = "";

  constructor(
    private log: LogOutputChannel,
    private onReports: (reports: ReportEntry[]) => void,
    private onMeasured: (told: Told) => void, // from the light bulb; what is asked here is answered to who asks
  ) {
    this.status.name = "kadvise";
    this.status.command = "kadvise.showLog";
  }

  get isRunning(): boolean {
    return this.client?.isRunning() ?? false;
  }

  // Starts and stops wait for each other: trust and settings may change at the same time, and two servers would run.
  private inTurn(act: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(act, act);
    return this.turn;
  }

  start(): Promise<void> {
    return this.inTurn(() => this.begin());
  }

  private async begin(): Promise<void> {
    const found = searched();
    if ("missing" in found) return this.say(found.missing);
    this.program = found.program;
    this.log.info(`${found.program} (from ${found.from}), workspace ${workspace.isTrusted ? "" : "not "}trusted`);
    const args = [
      "lsp",
      ...workspace
        .getConfiguration("kadvise")
        .get<string[]>("rules", [])
        .flatMap((r) => ["--rules", r]),
    ];
    this.client = new LanguageClient("kadvise", "kadvise", {command: found.program, args}, this.options());
    this.client.onNotification(kStatus, (s: Status) => this.show(s));
    this.client.onNotification(kReports, (r: {reports: ReportEntry[]}) => this.onReports(r.reports));
    this.show({state: "parsing", tier: "", message: "starting", files: 0});
    try {
      await this.client.start();
      this.show({state: "idle", tier: "", message: found.program, files: 0});
      await this.client.setTrace(Trace.fromString(workspace.getConfiguration("kadvise").get("trace.server", "off")));
    } catch (error) {
      this.say(`${found.program} lsp did not start: ${error instanceof Error ? error.message : error}`);
    }
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: kLanguages.flatMap((language) => [
        {scheme: "file", language},
        {scheme: "untitled", language},
      ]),
      outputChannel: this.log,
      initializationOptions: {
        trusted: workspace.isTrusted,
        settings: JSON.parse(JSON.stringify(workspace.getConfiguration("kadvise"))),
      },
      synchronize: {configurationSection: "kadvise"},
      middleware: {
        executeCommand: async (command, given, next) => {
          const answer = await next(command, given);
          if (command === serverCommand("measureFix") && answer) this.onMeasured(answer);
          return answer;
        },
      },
      connectionOptions: {
        messageStrategy: {
          handleMessage: (message, next) => {
            if (!isStale(message, versionOf)) next(message);
          },
        },
      },
      errorHandler: {
        error: () => ({action: ErrorAction.Continue}),
        closed: () => {
          const now = Date.now();
          this.crashes = [...this.crashes.filter((at) => now - at < kRestartWindowMs), now];
          if (this.crashes.length <= kMostRestarts) return {action: CloseAction.Restart};
          this.say("kadvise lsp ended several times; the command “kadvise: Restart the server” starts it again");
          return {action: CloseAction.DoNotRestart, handled: true};
        },
      },
    };
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose(2000).catch((error) => this.log.warn(String(error)));
  }

  restart(): Promise<void> {
    return this.inTurn(async () => {
      this.crashes = [];
      await this.end();
      await this.begin();
    });
  }

  // Throws where there is no server, or where it answers with an error.
  async ask<Name extends keyof ServerCommands>(
    name: Name,
    argument: ServerCommands[Name][0],
    token?: CancellationToken,
  ): Promise<ServerCommands[Name][1]> {
    if (!this.client?.isRunning()) throw new Error("the server is not running");
    const params = {command: serverCommand(name), arguments: [argument]};
    // One that is undefined would be taken for a second parameter.
    return this.client.sendRequest("workspace/executeCommand", params, ...(token ? [token] : []));
  }

  private show(status: State): void {
    const words = statusWords(status);
    this.status.text = words.text;
    this.status.tooltip = words.tooltip;
    this.status.backgroundColor = words.isWarning ? new ThemeColor("statusBarItem.warningBackground") : undefined;
    this.status.show();
  }

  private say(what: string): void {
    this.log.error(what);
    this.show({state: "failed", tier: "", message: what, files: 0});
    void window.showErrorMessage(`kadvise: ${what}`, "Settings", "Log").then((chosen) => {
      if (chosen === "Settings") void commands.executeCommand("workbench.action.openSettings", "kadvise.path");
      if (chosen === "Log") this.log.show();
    });
  }

  dispose(): void {
    this.status.dispose();
    void this.stop();
  }
}
