// build.mjs [--minify] [--tests]: the extension as one file, dist/extension.js, and its tests where they are asked for.
import {build} from "esbuild";
import {copyFileSync, readdirSync, rmSync} from "node:fs";

const asked = new Set(process.argv.slice(2));
const common = {bundle: true, platform: "node", target: "node18", format: "cjs", logLevel: "warning"};

rmSync("dist", {recursive: true, force: true});
await build({
  ...common,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  external: ["vscode"],
  minify: asked.has("--minify"),
});
copyFileSync("../../LICENSE", "LICENSE"); // the package holds its own
if (asked.has("--tests"))
  await build({
    ...common,
    entryPoints: readdirSync("test")
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => `test/${name}`),
    outdir: "dist/tests",
    external: ["vscode"],
  });
