// The page of a lint run in a browser: what it shows, does and never does.
import assert from "node:assert/strict";
import {join} from "node:path";
import {after, afterEach, before, test} from "node:test";
import {closeBrowser, closePage, dataOf, firstPaint, folder, median, openBrowser, open, seriousProblems} from "./browser.mjs";

before(openBrowser);
after(closeBrowser);
afterEach(closePage);

const titles = (page) => page.locator("main > section > h2").allTextContents();
const shown = async (page) => (await page.locator("#findings .finding-number").allTextContents()).map(Number);

test("a run has every section, in its order", async () => {
  const page = await open("lint");
  assert.deepEqual(await titles(page), [
    "Verdict",
    "By rule",
    "By file",
    "Findings",
    "What --fix changed",
    "The rules",
    "What was not seen",
  ]);
  assert.match(await page.locator(".headline").textContent(), /^4 findings in 6 files, 2 fixable with --fix/);
  const tiles = await page.locator(".tile").allTextContents();
  for (const tile of ["Errors1", "Warnings1", "Fixable21 more unsafely", "Files63 with findings"])
    assert.ok(tiles.includes(tile), `${tile} among ${tiles}`);
});

test("a run without findings says so", async () => {
  const page = await open("lint-clean");
  assert.deepEqual(await titles(page), ["Verdict"]);
  assert.match(await page.locator(".headline").textContent(), /^no findings in 1 file/);
});

test("a finding opens to its line, related places, fix and rule", async () => {
  const page = await open("lint");
  await page.locator(".finding-head", {hasText: "lanes 0 and 1"}).click();
  const detail = page.locator(".detail").first();
  assert.deepEqual(await detail.locator("h4").allTextContents(), [
    "Where",
    "What it has to do with",
    "Also here: 1",
    "Why it costs",
    "What to write instead",
  ]);
  assert.match(await detail.textContent(), /likely, not certain/);
  const fixed = page.locator(".finding", {hasText: "cudaThreadSynchronize was removed"});
  await fixed.locator(".finding-head").click();
  assert.match(await fixed.locator(".detail").textContent(), /call cudaDeviceSynchronize kadvise lint --fix applies/);
});

test("what a finding is about is marked, in letters and not in bytes", async () => {
  const page = await open("lint");
  await page.locator(".finding-head", {hasText: "size() is kept"}).click();
  assert.equal(await page.locator(".source mark").first().textContent(), "größe = x.size(0)");
  await page.locator(".finding-head", {hasText: "0.5 is a double"}).click();
  assert.ok((await page.locator(".source mark").allTextContents()).includes("0.5"));
});

test("findings are searched, filtered and sorted", async () => {
  const page = await open("lint");
  assert.deepEqual(await shown(page), [1, 2, 3, 4]);
  await page.keyboard.press("/");
  await page.keyboard.type("transpose");
  assert.deepEqual(await shown(page), [4]);
  await page.locator("#findings input").fill("");
  await page.locator('#findings [data-value="error"]').click();
  assert.deepEqual(await shown(page), [3]);
  await page.locator('#findings [data-value=""]').click();
  await page.getByLabel("Only this fix").selectOption("unsafe");
  assert.deepEqual(await shown(page), [1]);
  await page.getByLabel("Only this fix").selectOption("");
  await page.getByLabel("Sort by").selectOption("severity");
  assert.equal((await shown(page))[0], 3, "the error first");
});

test("a row of a table leads to its findings", async () => {
  const page = await open("lint-large");
  await page.locator("#by-rule").getByRole("button", {name: "cuda/removed-api"}).click();
  assert.match(await page.locator("#findings > p").textContent(), /^1250 of 5000 items/);
  assert.equal(await page.getByLabel("Only this rule").inputValue(), "cuda/removed-api");
  await page.locator("#by-file").getByRole("button", {name: "Show all"}).click();
  assert.equal(await page.locator("#by-file tbody tr").count(), 125);
  await page.locator("#by-file").getByRole("button", {name: "part_7.cu"}).click();
  assert.match(await page.locator("#findings > p").textContent(), /^40 of 5000 items/, "the filter before is gone");
});

test("links lead to a finding among 5,000, and to a rule", async () => {
  const {lint} = dataOf("lint-large");
  const {id} = lint.files.at(-1).findings.at(-1);
  let page = await open("lint-large", {hash: `#finding-${id}`});
  assert.equal(await page.locator(`#finding-${id} .finding-head`).getAttribute("aria-expanded"), "true");
  await closePage();
  page = await open("lint", {hash: "#rule-cuda-double-literal"});
  assert.ok(await page.locator("#rule-cuda-double-literal p").first().isVisible());
});

test("5,000 findings are painted within a second", async () => {
  const times = await firstPaint("lint-large", 5);
  console.log(`first contentful paint of 5,000 findings: ${times.map((t) => t.toFixed(0)).join(", ")} ms`);
  assert.ok(median(times) < 1000, `${times} ms`);
});

test("in print every finding stands", async () => {
  const page = await open("lint-large");
  await page.emulateMedia({media: "print"});
  assert.ok(!(await page.locator(".contents").isVisible()));
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await page.locator(".finding").count(), 5000);
});

test("hostile text stays text", async () => {
  const page = await open("lint-hostile");
  for (const head of await page.locator(".finding-head").all()) await head.click();
  for (const summary of await page.locator("summary").all()) await summary.click();
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(
    await page.locator("main img, main script, main [onload], main [onerror], main [onmouseover]").count(),
    0,
  );
  assert.ok((await page.locator("main").textContent()).includes('<img src=x onerror="window.hacked = 1">'));
});

for (const [name, options] of [
  ["lint", {}],
  ["lint", {colorScheme: "dark"}],
  ["lint", {viewport: {width: 390, height: 844}}],
  ["lint-large", {}],
])
  test(`axe finds nothing serious in ${name} ${JSON.stringify(options)}`, async () => {
    const page = await open(name, {bypassCSP: true, ...options});
    await page.locator(".finding-head").first().click();
    await page.locator("summary").first().click();
    assert.deepEqual(await seriousProblems(page), []);
  });

for (const name of ["lint", "lint-hostile", "lint-large", "lint-clean"])
  test(`${name} fits 390 px`, async () => {
    const page = await open(name, {viewport: {width: 390, height: 844}});
    if (name !== "lint-clean") await page.locator(".finding-head").first().click();
    await page.screenshot({path: join(folder, `${name}-390.png`), fullPage: true});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it scrolls sideways");
    await page.setViewportSize({width: 1440, height: 900});
    await page.screenshot({path: join(folder, `${name}-1440.png`), fullPage: true});
  });
