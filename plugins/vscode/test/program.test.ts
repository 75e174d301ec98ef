// Where the program is looked for, and where not.
import assert from "node:assert/strict";
import {chmodSync, mkdirSync, mkdtempSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {test} from "node:test";
import {findProgram, type Search} from "../src/program";

const folder = mkdtempSync(join(tmpdir(), "kadvise-"));

function program(path: string, mode = 0o755): string {
  const full = join(folder, path);
  mkdirSync(dirname(full), {recursive: true});
  writeFileSync(full, "#!/bin/sh\n");
  chmodSync(full, mode);
  return full;
}

const search = (changes: Partial<Search> = {}): Search => ({
  setting: "",
  path: "",
  folders: [],
  home: folder,
  isTrusted: true,
  ...changes,
});

test("the setting comes first, and what it names must be a program", () => {
  const own = program("own/kadvise"),
    path = dirname(program("bin/kadvise"));
  assert.deepEqual(findProgram(search({setting: own, path})), {program: own, from: "setting"});
  assert.deepEqual(findProgram(search({setting: "~/own/kadvise"})), {program: own, from: "setting"});
  assert.deepEqual(findProgram(search({setting: "kadvise", path})), {program: join(path, "kadvise"), from: "setting"});
  const wrong = findProgram(search({setting: program("text", 0o644), path}));
  assert.ok("missing" in wrong && /kadvise\.path/.test(wrong.missing));
});

test("then PATH, of which relative folders are left out", () => {
  const path = dirname(program("bin/kadvise"));
  assert.deepEqual(findProgram(search({path: `/nowhere:${path}`})), {program: join(path, "kadvise"), from: "PATH"});
  process.chdir(path);
  assert.ok("missing" in findProgram(search({path: `.:${folder}/nowhere:`})));
});

test("then a build of the workspace, release before others", () => {
  const workspace = join(folder, "workspace");
  program("workspace/build/dev/bin/kadvise");
  const release = program("workspace/build/release/bin/kadvise");
  assert.deepEqual(findProgram(search({folders: [workspace]})), {program: release, from: "workspace"});
});

test("a workspace that is not trusted starts nothing of its own", () => {
  const workspace = join(folder, "workspace");
  const found = findProgram(search({folders: [workspace], isTrusted: false}));
  assert.ok("missing" in found && /not trusted/.test(found.missing));
});

test("a folder of that name is no program", () => {
  mkdirSync(join(folder, "odd/kadvise"), {recursive: true});
  assert.ok("missing" in findProgram(search({path: join(folder, "odd")})));
});
