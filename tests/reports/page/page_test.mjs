// The page in a browser: what it shows, does and never does.
import assert from "node:assert/strict";
import {join} from "node:path";
import {after, afterEach, before, test} from "node:test";
import {
  closeBrowser,
  closePage,
  dataOf,
  firstPaint,
  folder,
  median,
  open,
  openBrowser,
  seriousProblems,
  wrong,
} from "./browser.mjs";

before(openBrowser);
after(closeBrowser);
afterEach(closePage);

const titles = (page) => page.locator("main > section > h2").allTextContents();
const shownNumbers = async (page, list) =>
  (await page.locator(`#${list} .finding-number`).allTextContents()).map(Number);

test("advice has every section, in its order", async () => {
  const page = await open("advice");
  assert.deepEqual(await titles(page), [
    "Verdict",
    "What to change, by time saved",
    "The model, by module",
    "Roofline",
    "Memory",
    "Graph breaks and readiness",
    "CUDA graphs",
    "Found, but not used",
    "What was tried together",
    "Refused, and why",
    "Where the time goes (estimate for H200)",
    "Not applicable",
    "How this was measured",
  ]);
  assert.equal(await page.locator(".hero-number").textContent(), "5.53x");
  assert.ok((await page.locator("#roofline circle").count()) > 3);
  assert.equal(await page.locator("#readiness .cut").count(), 2);
});

test("profile, levels, comparison and an empty run have theirs", async () => {
  let page = await open("profile");
  assert.deepEqual(await titles(page), [
    "Where the time goes",
    "The model, by module",
    "Roofline",
    "Memory",
    "The profile in words",
  ]);
  await page.waitForSelector("#memory canvas");
  await closePage();
  page = await open("levels");
  assert.equal(await page.locator("#levels tbody tr").count(), 6);
  await closePage();
  page = await open("compared");
  assert.deepEqual((await page.locator(".changes.bad .tag").allTextContents()).slice(0, 3), [
    "lost fusion",
    "slower",
    "slower kernel",
  ]);
  await closePage();
  page = await open("empty");
  assert.ok((await titles(page)).includes("Verdict"));
});

test("a benchmark has a row for each size, and says what was not measured", async () => {
  const page = await open("bench");
  assert.deepEqual(await titles(page), ["Benchmark of kadvise::rms_norm"]);
  const rows = await page.locator("#bench tbody tr").allTextContents();
  assert.equal(rows.length, 3);
  assert.match(rows[0], /float32\[4096,4096\]36\.1 µs35\.9 µs–36\.4 µs128 MiB3\.72 TB\/s93 %/);
  assert.match(rows[2], /not measured: out of memory/);
});

test("modules have their measured time and how much of it their roof explains", async () => {
  const page = await open("advice");
  const heads = await page.locator("#modules thead th").allTextContents();
  assert.deepEqual(heads, ["module", "measured", "share", "at best", "of its roof", "moved", "FLOP", "bound by"]);
  const cells = await page.locator("#modules tbody tr").first().locator("td").allTextContents();
  assert.match(cells[0], /ms$/);
  assert.match(cells[1], /^100 %$/);
  assert.match(cells[3], /^\d.* %$/);
});

test("what a larger change took in is folded away, and a link opens it", async () => {
  const {anchor} = dataOf("parts").view.items.find((i) => i.standing === "part-of-another"),
    page = await open("parts");
  assert.ok(!(await page.locator(`[id="${anchor}"]`).isVisible()));
  await page.evaluate((a) => (location.hash = a), anchor);
  await page.locator(`[id="${anchor}"] .detail`).waitFor();
});

test("a finding opens to all that is known of it", async () => {
  const page = await open("advice");
  await page.locator(".finding-head").first().click();
  const detail = page.locator(".detail").first();
  assert.deepEqual(await detail.locator("h4").allTextContents(), [
    "Where: 12 sites",
    "Operators",
    "Time",
    "Kernels",
    "Outputs against fp64",
    "Peak memory of the region",
    "What to write instead",
    "In C++",
    "The rule",
    "Again, this rule alone",
  ]);
  const sides = await detail.locator(".sides").textContent();
  assert.match(sides, /aten::add\(%3, %4, 1\)[^]*aten::layer_norm[^]*kadvise::add_layer_norm/);
  assert.doesNotMatch(sides, /prim::Constant/, "numbers stand where they are used");
  assert.match(await detail.locator(".command code").textContent(), /--select fusion\/attention-written-out$/);
  assert.match(await detail.textContent(), /torch\.matmul\(query/);
});

test("errors stand against their bounds, case by case, the worst first", async () => {
  const page = await open("advice");
  await page.locator(".finding-head").first().click();
  const detail = page.locator(".detail").first(),
    rows = detail.locator(".cases tbody tr");
  assert.deepEqual(await rows.locator("th").allTextContents(), ["largeworstlarge normal numbers", "cancelling", "inputsas they were given", "length 1"]);
  assert.deepEqual(await rows.first().locator("td").allTextContents(), [
    "41 %",
    "0.984 of 2.4",
    "1.7 of 4.6",
    "2.79 of 8.5",
  ]);
  assert.match(await detail.textContent(), /nearest to its bound with inputs “large”: rms error 0\.984 ulp of 2\.4 allowed \(41 %\)/);
  assert.match(await detail.textContent(), /Every bit equal in 3 cases: zeros, tiny, negative/);
  assert.match(await detail.textContent(), /Say nothing: infinite \(no finite output\)/);
  const whole = page.locator("#verdict .outputs");
  await whole.locator("summary").first().click();
  assert.match(await whole.textContent(), /large.*62 %/);
});

test("findings are searched, filtered and sorted", async () => {
  const page = await open("advice");
  assert.deepEqual(await shownNumbers(page, "findings"), [1, 2, 3, 4, 6, 7]);
  await page.keyboard.press("/");
  await page.keyboard.type("host-read");
  assert.deepEqual(await shownNumbers(page, "findings"), [6]);
  await page.locator("#findings input").fill("");
  await page.locator('#findings [data-value="by-hand"]').click();
  assert.deepEqual(await shownNumbers(page, "findings"), [6, 7]);
  await page.locator('#findings [data-value=""]').first().click();
  await page.locator("#findings select").selectOption("severity");
  assert.deepEqual((await shownNumbers(page, "findings"))[0], 6, "the warning first");
  await page.locator("#findings select").selectOption("saved");
  assert.deepEqual((await shownNumbers(page, "findings")).slice(0, 4), [1, 2, 3, 4]);
});

test("the timeline zooms by dragging, keys and buttons", async () => {
  const page = await open("advice");
  const canvas = page.locator("#verdict canvas"),
    span = async () => Number(await canvas.getAttribute("data-to")) - Number(await canvas.getAttribute("data-from"));
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + 200, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 400, box.y + 40, {steps: 4});
  await page.mouse.up();
  const dragged = await span();
  assert.ok(dragged > 0 && dragged < 1000, `${dragged} µs`);
  await canvas.press("ArrowUp");
  assert.ok((await span()) < dragged);
  await page.getByRole("button", {name: "Show the whole call"}).first().click();
  const whole = await span();
  assert.ok(whole > 3500 && whole < 4000, `${whole} µs: gaps are those of a timed call, not of a recorded one`);
});

test("a link to a finding opens it, and Enter closes it", async () => {
  const anchor = dataOf("advice").view.items[2].anchor,
    page = await open("advice", {hash: `#${anchor}`});
  const head = page.locator(`[id="${anchor}"] .finding-head`);
  assert.equal(await head.getAttribute("aria-expanded"), "true");
  assert.ok(await head.isVisible());
  await page.keyboard.press("Enter");
  assert.equal(await head.getAttribute("aria-expanded"), "false");
  await page.keyboard.press("j");
  assert.equal(await page.evaluate(() => document.activeElement.querySelector(".finding-number").textContent), "4");
});

test("a link into 5,000 findings finds its own", async () => {
  const {anchor} = dataOf("large").view.items.at(-1),
    page = await open("large", {hash: `#${anchor}`});
  assert.equal(await page.locator(`[id="${anchor}"] .finding-head`).getAttribute("aria-expanded"), "true");
});

test("modules open as a tree", async () => {
  const page = await open("advice");
  const rows = await page.locator("#modules tbody tr").count();
  const encoder = page.locator("#modules").getByRole("button", {name: "encoder", exact: true});
  await encoder.click();
  assert.equal(await page.locator("#modules tbody tr").count(), rows + 12);
  await encoder.click();
  assert.equal(await page.locator("#modules tbody tr").count(), rows);
});

test("dark and light: the system's, then the reader's", async () => {
  const page = await open("advice", {colorScheme: "dark"}),
    paper = () => page.evaluate(() => getComputedStyle(document.querySelector("main > section")).backgroundColor);
  const dark = await paper();
  await page.keyboard.press("t");
  const light = await paper();
  assert.notEqual(dark, light);
  await page.reload();
  assert.equal(await paper(), light, "it is kept");
});

test("in print every finding stands, and what is only for a screen does not", async () => {
  const page = await open("large");
  await page.emulateMedia({media: "print"});
  assert.ok(!(await page.locator(".contents").isVisible()));
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await page.locator(".finding").count(), dataOf("large").view.items.length);
});

test("5,000 findings are painted within a second", async () => {
  const times = await firstPaint("large", 5);
  console.log(`first contentful paint of 5,000 findings: ${times.map((t) => t.toFixed(0)).join(", ")} ms`);
  assert.ok(median(times) < 1000, `${times} ms`);
});

test("hostile text stays text", async () => {
  const page = await open("hostile");
  for (const head of await page.locator(".finding-head").all()) await head.click();
  while (await page.locator('.twist[aria-expanded="false"]').count())
    await page.locator('.twist[aria-expanded="false"]').first().click();
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(
    await page.locator("main img, main script, main [onload], main [onerror], main [onmouseover]").count(),
    0,
  );
  assert.ok((await page.locator("h1").textContent()).includes("</script><script>window.hacked = 1</script>"));
  assert.ok((await page.locator("main").textContent()).includes('<img src=x onerror="window.hacked = 1">'));
});

test("the policy of the page stops a script that is not its own, and any request", async () => {
  const page = await open("advice");
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
  assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:/);
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.hacked = 1";
    document.body.append(script);
    return fetch("https://example.com/").then(
      () => "fetched",
      () => String(window.hacked),
    );
  });
  assert.equal(ran, "undefined");
  assert.equal(wrong.splice(0).filter((w) => !/Content Security Policy/.test(w)).length, 0);
});

for (const [name, options] of [
  ["advice", {}],
  ["advice", {colorScheme: "dark"}],
  ["profile", {}],
  ["compared", {viewport: {width: 390, height: 844}}],
  ["levels", {colorScheme: "dark"}],
])
  test(`axe finds nothing serious in ${name} ${JSON.stringify(options)}`, async () => {
    const page = await open(name, {bypassCSP: true, ...options});
    await page
      .locator(".finding-head")
      .first()
      .click({timeout: 1000})
      .catch(() => {});
    assert.deepEqual(await seriousProblems(page), []);
  });

for (const name of ["advice", "profile", "levels", "compared", "hostile", "bench", "parts"])
  test(`${name} fits 390 px`, async () => {
    const page = await open(name, {viewport: {width: 390, height: 844}});
    await page
      .locator(".finding-head")
      .first()
      .click({timeout: 1000})
      .catch(() => {});
    await page.screenshot({path: join(folder, `${name}-390.png`), fullPage: true});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it scrolls sideways");
    await page.setViewportSize({width: 1440, height: 900});
    await page.screenshot({path: join(folder, `${name}-1440.png`), fullPage: true});
  });
