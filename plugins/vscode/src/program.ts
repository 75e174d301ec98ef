// Where the program kadvise is: the setting, then PATH, then a build in the workspace. Nothing of a workspace that
// is not trusted is started.
import {accessSync, constants, readdirSync, statSync} from "node:fs";
import {delimiter, isAbsolute, join} from "node:path";

export interface Search {
  setting: string; // kadvise.path; of an untrusted workspace the user's own
  path: string; // the variable PATH
  folders: string[]; // of the workspace
  home: string;
  isTrusted: boolean;
}
export type Found = {program: string; from: "setting" | "PATH" | "workspace"} | {missing: string};

const kName = process.platform === "win32" ? "kadvise.exe" : "kadvise";

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function expanded(setting: string, {home, folders}: Search): string {
  const path = setting.replace(/^~(?=\/|$)/, home).replace(/\$\{workspaceFolder\}/g, folders[0] ?? "");
  return isAbsolute(path) || !folders[0] || !path.includes("/") ? path : join(folders[0], path);
}

function builtIn(folder: string): string[] {
  let presets: string[] = [];
  try {
    presets = readdirSync(join(folder, "build"));
  } catch {
    // Nothing was built there.
  }
  presets.sort((a, b) => Number(b === "release") - Number(a === "release") || a.localeCompare(b));
  return [...presets.map((p) => join(folder, "build", p, "bin", kName)), join(folder, "build", "bin", kName)];
}

const onPath = (name: string, path: string) =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder)) // "." would be the workspace
    .map((folder) => join(folder, name));

export function findProgram(search: Search): Found {
  const setting = search.setting.trim();
  if (setting) {
    const path = expanded(setting, search);
    const candidates = path.includes("/") || isAbsolute(path) ? [path] : onPath(path, search.path);
    const program = candidates.find(isProgram);
    return program ? {program, from: "setting"} : {missing: `kadvise.path names ${setting}, which is no program`};
  }
  const program = onPath(kName, search.path).find(isProgram);
  if (program) return {program, from: "PATH"};
  const built = search.isTrusted ? search.folders.flatMap(builtIn).find(isProgram) : undefined;
  if (built) return {program: built, from: "workspace"};
  const workspace = search.isTrusted
    ? "was not built in the workspace"
    : "a workspace that is not trusted is not searched";
  return {missing: `kadvise is not on PATH, and ${workspace}; the setting kadvise.path may name it`};
}
