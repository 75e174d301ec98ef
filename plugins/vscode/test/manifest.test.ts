// package.json against the protocol and the code: what is offered exists, and what the server reads is offered.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const {contributes} = manifest;
const properties: Record<string, any> = contributes.configuration.properties;
const protocol = readFileSync("../../analyzer/lsp/PROTOCOL.md", "utf8");
const code = readFileSync("src/commands.ts", "utf8");

// The first cell of each row of the table below "## Settings".
function settingsOfProtocol(): string[] {
  const section = protocol.split(/^## /m).find((s) => s.startsWith("Settings"))!;
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  return rows.flatMap((row) => [...row.split("|")[1].matchAll(/`([^`]+)`/g)].map((m) => m[1]));
}

test("every setting of the server can be set, with a default", () => {
  const names = settingsOfProtocol();
  assert.ok(names.length > 15);
  for (const name of names) assert.ok("default" in (properties[`kadvise.${name}`] ?? {}), name);
});

test("nothing can be set that nobody reads", () => {
  const own = ["path", "rules", "trace.server"]; // of the extension itself
  const known = new Set([...settingsOfProtocol(), ...own].map((name) => `kadvise.${name}`));
  assert.deepEqual(
    Object.keys(properties).filter((name) => !known.has(name)),
    [],
  );
});

test("what a workspace may not decide while it is not trusted", () => {
  const restricted: string[] = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  for (const name of ["path", "rules", "toolkit", "torch", "compileCommands"])
    assert.ok(restricted.includes(`kadvise.${name}`), name);
  for (const name of restricted) assert.ok(name in properties, name);
});

test("every command is made, and every menu names one", () => {
  const names: string[] = contributes.commands.map((c: any) => c.command);
  for (const name of names) assert.match(code, new RegExp(`^  ${name.slice("kadvise.".length)}[,:]`, "m"), name);
  const used = Object.values<any[]>(contributes.menus).flatMap((menu) => menu.map((m) => m.command));
  for (const name of used) assert.ok(names.includes(name), name);
});
