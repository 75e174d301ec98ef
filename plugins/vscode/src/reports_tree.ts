// The view of reports: each with its findings, which lead to their lines.
import {existsSync} from "node:fs";
import {dirname, isAbsolute, join} from "node:path";
import {
  EventEmitter,
  MarkdownString,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  type TreeDataProvider,
  Uri,
  workspace,
} from "vscode";
import {type ReportEntry} from "./protocol";
import {describe, findingsOf, type Place, type TreeFinding} from "./report_model";
import {plural} from "./words";

const kMostBytes = 256 * 1024 * 1024;
const kIcons: Record<string, string> = {error: "error", warning: "warning", opportunity: "lightbulb", note: "info"};

export type Node = {report: ReportEntry} | {report: ReportEntry; finding: TreeFinding} | {error: string};

// Files are named as the model was made: from its folder, or in full.
export function fileOf(place: Place, report: ReportEntry): Uri | undefined {
  if (!place.file) return undefined;
  const above = dirname(dirname(report.path)); // of .kadvise/last.json the folder
  const bases = [above, dirname(report.path), ...(workspace.workspaceFolders ?? []).map((f) => f.uri.fsPath)];
  const candidates = isAbsolute(place.file) ? [place.file] : bases.map((base) => join(base, place.file));
  const path = candidates.find((p) => existsSync(p));
  return path ? Uri.file(path) : undefined;
}

export class ReportsTree implements TreeDataProvider<Node> {
  private changed = new EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  reports: ReportEntry[] = [];

  show(reports: ReportEntry[]): void {
    this.reports = reports;
    this.changed.fire();
  }

  getTreeItem(node: Node): TreeItem {
    if ("error" in node) return new TreeItem(node.error);
    return "finding" in node ? this.findingItem(node.report, node.finding) : this.reportItem(node.report);
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (!node) return this.reports.map((report) => ({report}));
    if ("error" in node || "finding" in node) return [];
    try {
      const uri = Uri.file(node.report.path);
      if ((await workspace.fs.stat(uri)).size > kMostBytes) return [{error: "too large to show here"}];
      const json = JSON.parse(Buffer.from(await workspace.fs.readFile(uri)).toString("utf8"));
      return findingsOf(json).map((finding) => ({report: node.report, finding}));
    } catch (error) {
      return [{error: error instanceof Error ? error.message : String(error)}];
    }
  }

  private reportItem(report: ReportEntry): TreeItem {
    const item = new TreeItem(
      report.subject || report.path,
      report.findings ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.None,
    );
    item.id = report.path;
    item.contextValue = "report";
    item.description = [report.headline || plural(report.findings, "finding"), report.stale ? "stale" : ""]
      .filter(Boolean)
      .join(", ");
    item.tooltip = `${report.path}\n${report.headline}`;
    item.iconPath = new ThemeIcon(report.stale ? "history" : "file-text");
    return item;
  }

  private findingItem(report: ReportEntry, finding: TreeFinding): TreeItem {
    const item = new TreeItem(finding.message);
    item.contextValue = "finding";
    item.description = describe(finding);
    item.iconPath = new ThemeIcon(finding.gain ? "rocket" : (kIcons[finding.severity] ?? "circle"));
    const tip = new MarkdownString(); // without trust: a model's names are text
    tip.appendText(`${finding.message}\n${finding.rule}\n${finding.places.map((p) => p.scope).join("\n")}`);
    item.tooltip = tip;
    const [place] = finding.places,
      uri = fileOf(place, report);
    if (uri)
      item.command = {command: "kadvise.openPlace", title: "Open", arguments: [uri, Math.max(0, place.line - 1)]};
    return item;
  }
}
