// untrusted.mjs: a repository that was just cloned and is not trusted: its sources are read with kadvise's own headers, and nothing that it names
// is started or followed; then the user trusts it.
import assert from "node:assert/strict";
import {existsSync} from "node:fs";
import {join} from "node:path";
import {after, before, test} from "node:test";
import {close, command, folder, open, openFile, page, until, waves} from "./workbench.mjs";

const kCall = "cudaThreadSynchronize()";

before(open);
after(close);

test("the user does not trust it", async () => {
  await page.locator(".monaco-dialog-box .monaco-button", {hasText: /^No/}).click();
  await page.locator(".monaco-dialog-box").waitFor({state: "hidden"});
});

test("findings appear all the same, as of our own headers and no build", async () => {
  await openFile("scale.cu");
  await until("waves", () => waves([kCall]));
});

test("nothing that it names is started, and measuring is not offered", async () => {
  assert.equal(existsSync(join(folder, "sprung")), false);
  await page.keyboard.press("F1");
  await page.locator(".quick-input-box input").fill(">kadvise: ");
  const rows = page.locator(".quick-input-list .monaco-list-row");
  await rows.filter({hasText: "Show a rule"}).first().waitFor();
  assert.equal(await rows.filter({hasText: "Analyse a model"}).count(), 0);
  await page.keyboard.press("Escape");
});

test("once it is trusted, its build is followed and its program started", async () => {
  await command("Workspaces: Manage Workspace Trust");
  await page.locator(".workspace-trust-editor .monaco-button", {hasText: /^Trust$/}).click();
  await until("the trap of the settings is sprung", async () => existsSync(join(folder, "sprung")));
});
