// shots.mjs FOLDER PAGE…: screenshots of pages at 1440 and 390 px, light and dark; OPEN=N opens the first N findings.
import {chromium} from "playwright-core";
import {basename, join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

const [folder, ...pages] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.KADVISE_BROWSER ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
for (const page of pages)
  for (const [width, scheme] of [1440, 390].flatMap((w) => ["light", "dark"].map((s) => [w, s]))) {
    const tab = await browser.newPage({viewport: {width, height: 900}, colorScheme: scheme});
    tab.on("console", (m) => console.log(basename(page), m.type(), m.text()));
    tab.on("pageerror", (e) => console.log(basename(page), "error", e.message));
    await tab.goto(pathToFileURL(resolve(page)).href);
    for (let i = 0; i < Number(process.env.OPEN ?? 0); ++i) await tab.locator(".finding-head").nth(i).click();
    await tab.evaluate(() => scrollTo(0, 0));
    await tab.waitForTimeout(400);
    await tab.screenshot({path: join(folder, `${basename(page, ".html")}-${width}-${scheme}.png`), fullPage: true});
    await tab.close();
  }
await browser.close();
