// Rules as documents of their own, which the editor's Markdown preview shows.
import {commands, EventEmitter, type TextDocumentContentProvider, Uri} from "vscode";
import {type RuleText} from "./protocol";

export const kRuleScheme = "kadvise-rule";

export class RulePages implements TextDocumentContentProvider {
  private changed = new EventEmitter<Uri>();
  readonly onDidChange = this.changed.event;
  private texts = new Map<string, string>();

  provideTextDocumentContent(uri: Uri): string {
    return this.texts.get(uri.path) ?? "";
  }

  async show(text: RuleText): Promise<void> {
    const uri = Uri.from({scheme: kRuleScheme, path: `/${text.rule}.md`});
    this.texts.set(uri.path, text.markdown);
    this.changed.fire(uri);
    await commands.executeCommand("markdown.showPreview", uri);
  }
}
