// A browser in which pages of reports are looked at: every complaint of a page and every request is an error.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {chromium} from "playwright-core";

export const folder = process.env.KADVISE_PAGES;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser, context;
export let wrong = []; // messages of the console, errors and requests

export const openBrowser = async () =>
  (browser = await chromium.launch({executablePath: process.env.KADVISE_BROWSER, args: ["--no-sandbox"]}));
export const closeBrowser = () => browser.close();

export async function closePage() {
  await context?.close();
  assert.deepEqual(wrong, [], "messages of the console, errors and requests");
}

export async function open(name, {hash = "", ...options} = {}) {
  wrong = [];
  context = await browser.newContext({viewport: {width: 1440, height: 900}, ...options});
  const page = await context.newPage();
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && wrong.push(m.text()));
  page.on("pageerror", (e) => wrong.push(String(e)));
  page.on("request", (r) => !/^(file|data):/.test(r.url()) && wrong.push(r.url()));
  await page.goto(pathToFileURL(join(folder, `${name}.html`)).href + hash);
  return page;
}

// What the page was made of.
export const dataOf = (name) =>
  JSON.parse(
    /<script type="application\/json" id="data">([^]*?)<\/script>/.exec(
      readFileSync(join(folder, `${name}.html`), "utf8"),
    )[1],
  );

// In milliseconds after the address was followed; the last page stays open.
export async function firstPaint(name, times) {
  const out = [];
  for (let i = 0; i < times; ++i) {
    if (i) await context.close();
    const page = await open(name);
    out.push(
      await page.evaluate(
        () =>
          new Promise((done) => {
            const seen = (list) =>
              list.getEntriesByName("first-contentful-paint").forEach((paint) => done(paint.startTime));
            new PerformanceObserver(seen).observe({type: "paint", buffered: true});
          }),
      ),
    );
  }
  return out;
}

export const median = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];

// Of axe-core, as words. The page needs bypassCSP.
export async function seriousProblems(page) {
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => window.axe.run());
  const words = (v) => {
    const places = v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160));
    return `${v.id}: ${places.join(" | ")}`;
  };
  return violations.filter((v) => ["serious", "critical"].includes(v.impact)).map(words);
}
