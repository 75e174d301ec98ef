import {createHash} from "node:crypto";
import {readFileSync, rmSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {defineConfig, type Plugin} from "vite";

const folder = process.env.KADVISE_PAGE_FOLDER ?? "dist";
const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

// One file: the script and the style go inside, and the policy of the page allows these two and nothing else.
function oneFile(): Plugin {
  return {
    name: "one-file",
    closeBundle() {
      const read = (name: string) => readFileSync(join(folder, name), "utf8");
      const script = read("page.js").replaceAll("</script", "<\\/script").trim();
      const style = read("page.css").trim();
      const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; img-src data:; base-uri 'none'; form-action 'none'`;
      const page = readFileSync("index.html", "utf8")
        .replace("<!--policy-->", () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
        .replace("<!--style-->", () => `<style>${style}</style>`)
        .replace("<!--script-->", () => `<script type="module">${script}</script>`);
      writeFileSync(join(folder, "index.html"), page);
      for (const name of ["page.js", "page.css"]) rmSync(join(folder, name));
    },
  };
}

export default defineConfig({
  build: {
    outDir: folder,
    emptyOutDir: false,
    target: "es2020",
    modulePreload: false,
    rollupOptions: {
      input: "src/main.ts",
      output: {entryFileNames: "page.js", assetFileNames: "page[extname]", inlineDynamicImports: true},
    },
  },
  plugins: [oneFile()],
});
