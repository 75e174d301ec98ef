// workbench.mjs: VS Code in a browser, driven by its keys as a person does. KADVISE_URL is its address with the folder, KADVISE_FOLDER that
// folder on disk.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join} from "node:path";

const parts = createRequire(new URL("../../reports/page/package.json", import.meta.url));
const {chromium} = parts("playwright-core");
const {KADVISE_URL: url, KADVISE_BROWSER: executablePath} = process.env;
export const folder = process.env.KADVISE_FOLDER;
const kPatienceMs = Number(process.env.KADVISE_PATIENCE_MS ?? 60_000);

let browser;
export let page;

export async function open() {
  browser = await chromium.launch({executablePath, args: ["--no-sandbox"]});
  page = await browser.newPage({viewport: {width: 1440, height: 1000}});
  page.setDefaultTimeout(kPatienceMs);
  await page.addInitScript(bringWaves);
  await page.goto(url);
  await page.locator(".monaco-workbench").waitFor();
}
export async function close() {
  await page?.screenshot({path: join(folder, "last.png")}).catch(() => {});
  await browser?.close();
}

export async function until(what, holds, ms = kPatienceMs) {
  const end = Date.now() + ms;
  let last;
  while (Date.now() < end) {
    last = await holds();
    if (last === true) return;
    await page.waitForTimeout(50);
  }
  await page.screenshot({path: join(folder, "failed.png")});
  assert.fail(`${what}: ${JSON.stringify(last)}`);
}

// From the tree: finding a file by its name takes a search program that is not installed with the rest.
export async function openFile(name) {
  const row = page.locator(".explorer-folders-view .monaco-list-row", {hasText: name}).first();
  if (!(await row.isVisible())) await page.keyboard.press("Control+Shift+E");
  await row.dblclick();
  await page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
  await page.locator(".editor-instance .view-line").first().waitFor();
}

export async function command(words) {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-box input").fill(`>${words}`);
  await page.locator(".quick-input-list .monaco-list-row", {hasText: words}).first().waitFor();
  await page.keyboard.press("Enter");
}

export async function goTo(line, column) {
  await page.keyboard.press("Control+G");
  await page.locator(".quick-input-box input").fill(`:${line}:${column}`);
  await page.keyboard.press("Enter");
  await page.locator(".quick-input-widget").waitFor({state: "hidden"});
}

// Brings the function underWaves() to the page: what each wave stands under, from where both are drawn, as letters are of one
// width. watchWaves(wanted) then looks at every frame, and keeps what it saw under a wave that should not be there.
function bringWaves() {
  window.underWaves = () => {
    const editor = document.querySelector(".editor-instance .monaco-editor");
    if (!editor) return ["(no editor)"];
    const lines = [...editor.querySelectorAll(".view-lines .view-line")].map((line) => ({
      box: line.getBoundingClientRect(),
      text: line.textContent.replace(/\u00a0/g, " "),
      width: line.firstElementChild?.getBoundingClientRect().width ?? 0,
    }));
    const under = (wave) => {
      const box = wave.getBoundingClientRect();
      const line = lines.find((l) => Math.abs(l.box.top - box.top) < 6);
      if (!line?.text) return "(no text)";
      const letter = line.width / line.text.length;
      const from = Math.round((box.left - line.box.left) / letter);
      return line.text.slice(from, from + Math.round(box.width / letter));
    };
    return [...editor.querySelectorAll(".view-overlays .cdr")].filter((c) => /squiggly/.test(c.className)).map(under);
  };
  window.watchWaves = (wanted) => {
    window.wrongWaves = [];
    const look = () => {
      window.wrongWaves.push(...window.underWaves().filter((text) => text !== wanted));
      window.watching = requestAnimationFrame(look);
    };
    look();
  };
}
export const underWaves = () => page.evaluate(() => window.underWaves());

export const onDisk = (name) => readFileSync(join(folder, name), "utf8");
export const waves = async (wanted) => {
  const found = (await underWaves()).sort();
  return JSON.stringify(found) === JSON.stringify(wanted) || found;
};
