// shots.mjs FOLDER PAGE…: screenshots of pages at 1440 and 390 px, light and dark.
import {chromium} from "playwright-core";
import {basename, join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

const [folder, ...pages] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.KADVISE_BROWSER ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
for (const page of pages)
  for (const [width, scheme] of [
    [1440, "light"],
    [390, "dark"],
  ]) {
    const tab = await browser.newPage({viewport: {width, height: 900}, colorScheme: scheme});
    tab.on("console", (m) => console.log(basename(page), m.type(), m.text()));
    tab.on("pageerror", (e) => console.log(basename(page), "error", e.message));
    await tab.goto(pathToFileURL(resolve(page)).href);
    if (process.env.OPEN)
      await tab
        .locator(".finding-head")
        .first()
        .click()
        .catch(() => {});
    await tab.waitForTimeout(400);
    await tab.screenshot({path: join(folder, `${basename(page, ".html")}-${width}.png`), fullPage: true});
    await tab.close();
  }
await browser.close();
