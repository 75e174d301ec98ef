// What the status item and messages say.
import {type FileAnswer, type Status, type Told, type WorkspaceAnswer} from "./protocol";

export interface StatusWords {
  text: string;
  tooltip: string;
  isWarning: boolean;
}

export const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;

const kTiers: Record<string, string> = {
  toolkit: "headers of a CUDA toolkit",
  stub: "kadvise's own declarations of CUDA",
};

// failed: there is no server.
export type State = Omit<Status, "state"> & {state: Status["state"] | "failed"};

export function statusWords(status: State): StatusWords {
  const tier = kTiers[status.tier] ? `Headers: ${kTiers[status.tier]}.` : "";
  const waiting = status.files > 1 ? `${plural(status.files, "file")} to read.` : "";
  const icon = {parsing: "sync~spin", idle: "check", degraded: "warning", failed: "error"}[status.state] ?? "question";
  return {
    text: `$(${icon}) kadvise`,
    tooltip: [status.message, waiting, tier].filter(Boolean).join("\n") || "kadvise",
    isWarning: status.state === "failed",
  };
}

export const lintedWords = (answer: FileAnswer) =>
  answer.findings ? plural(answer.findings, "finding") : "No findings";

export function workspaceWords(answer: WorkspaceAnswer): string {
  const found = answer.findings ? plural(answer.findings, "finding") : "no findings";
  const errors = answer.errors.length ? `; ${answer.errors.length} could not be read: ${answer.errors[0]}` : "";
  return `${found} in ${plural(answer.files, "file")}${errors}`;
}

export function toldWords(told: Told): string {
  if (!told.started) return `To run it: ${told.line}`;
  if (told.exitCode === undefined || told.exitCode === 0)
    return told.headline || (told.report ? "The report is ready" : "Done");
  const last = (told.output ?? "").trim().split("\n").pop();
  return `kadvise ended with code ${told.exitCode}${last ? `: ${last}` : ""}`;
}
