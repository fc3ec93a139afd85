/**
 * The web page in Chromium against a real daemon: what a cold load costs, whether a flood leaves the page its frames and its
 * memory, whether a hundred sessions that print make the list stutter.
 *
 *   npm run build:ui && node bench/web.ts [cold] [flood] [many]     only these
 *
 * There is no peer here; the goals stand beside the figures. Everything else that runs on the machine counts against them.
 */
import type { Page } from "playwright-core";
import { untilShown, WebHome } from "../test/web/web-home.ts";
import { median } from "./support/statistics.ts";

const FLOOD_MS = 10_000;
const SESSIONS = 100;
const LOADS = 5;

await using web = await WebHome.start();
const { home } = web;

/** Frames in a second, and the longest time between two of them, while nothing else is asked of the page. */
async function frames(
  page: Page,
  durationMs: number,
): Promise<{ readonly perSecond: number; readonly longestMs: number }> {
  return page.evaluate(`new Promise((resolve) => {
    const start = performance.now();
    let count = 0;
    let longestMs = 0;
    let last = start;
    requestAnimationFrame(function step(now) {
      count += 1;
      longestMs = Math.max(longestMs, now - last);
      last = now;
      if (now - start < ${durationMs}) requestAnimationFrame(step);
      else resolve({ perSecond: (count * 1000) / (now - start), longestMs });
    });
  })`);
}

async function heapMegabytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 2 ** 20;
}

/** A promise of the page: milliseconds since its navigation when the terminal shows a text. */
const untilText = (text: string): string => `new Promise((resolve) => {
  requestAnimationFrame(function look() {
    if (document.querySelector(".xterm-rows")?.textContent.includes("${text}")) resolve(performance.now());
    else requestAnimationFrame(look);
  });
})`;

async function coldLoad(): Promise<void> {
  await home.ok("run", "-d", "--name", "cold", "--", "bash", "-c", "seq 200; echo the end; cat");
  const paints: number[] = [];
  const shown: number[] = [];
  let scriptBytes = 0;
  for (let load = 0; load < LOADS; load += 1) {
    const { page } = await web.stranger({ serviceWorkers: "block" });
    await web.letIn(page);
    // The login has loaded the list: what follows must come from the network again.
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.clearBrowserCache");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    let bytes = 0;
    page.on("response", (response) => {
      if (response.url().endsWith(".js")) bytes += Number(response.headers()["content-length"] ?? 0);
    });
    await page.goto(`${web.url}/s/cold`);
    shown.push(await page.evaluate<number>(untilText("the end")));
    const paint = `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN`;
    paints.push(await page.evaluate<number>(paint));
    scriptBytes = bytes;
    await page.context().close();
  }
  console.log(
    `script of a cold load of a session, gzipped  ${(scriptBytes / 1024).toFixed(0)} KB   (goal: at most 300)`,
  );
  console.log(`first contentful paint, median of ${LOADS}          ${median(paints).toFixed(0)} ms`);
  console.log(
    `terminal with its output, median of ${LOADS}        ${median(shown).toFixed(0)} ms   (goal: at most 1000)`,
  );
}

async function flood(): Promise<void> {
  await home.ok("run", "-d", "--name", "flood", "--", "yes", "a line of a flood that does not end");
  const { page } = await web.open("/s/flood");
  await untilShown(page, "a line of a flood");
  const before = await heapMegabytes(page);
  const { perSecond, longestMs } = await frames(page, FLOOD_MS);
  const after = await heapMegabytes(page);
  await home.ok("kill", "flood");
  await page.context().close();
  console.log(
    `frames per second under a flood              ${perSecond.toFixed(0)}   (goal: at least 30), longest gap ${longestMs.toFixed(0)} ms`,
  );
  console.log(
    `heap before and after ${FLOOD_MS / 1000} s of flood           ${before.toFixed(0)} MB, ${after.toFixed(0)} MB`,
  );
}

async function manySessions(): Promise<void> {
  const program = ["bash", "-c", "while :; do date; sleep 1; done"] as const;
  for (let index = 0; index < SESSIONS; index += 1) {
    await home.client.call("sessions.create", { command: [...program], name: `many-${index}` });
  }
  const { page } = await web.open("/");
  await page.getByRole("link", { name: "many-99", exact: true }).waitFor();
  const { perSecond, longestMs } = await frames(page, FLOOD_MS);
  const start = performance.now();
  await home.client.call("sessions.update", { session: "many-50", name: "renamed" });
  await page.getByRole("link", { name: "renamed", exact: true }).waitFor();
  const seenMs = performance.now() - start;
  console.log(
    `frames per second with ${SESSIONS} printing sessions   ${perSecond.toFixed(0)}, longest gap ${longestMs.toFixed(0)} ms`,
  );
  console.log(`a change of one of them is seen after        ${seenMs.toFixed(0)} ms`);
}

const measures = { cold: coldLoad, flood, many: manySessions };
const wanted = process.argv.slice(2);
for (const [name, measure] of Object.entries(measures)) {
  if (wanted.length === 0 || wanted.includes(name)) await measure();
}
