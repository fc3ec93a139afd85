/** Parts of the page whose code comes late, or not at all. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page, Route } from "playwright-core";
import { until } from "../support/until.ts";
import { untilShown, WebHome } from "./web-home.ts";

const web = await WebHome.shared();
await web.home.ok("run", "-d", "--name", "shell", "--", "bash", "--norc", "-c", "echo first line; cat");

/** The code of the terminal is answered with 408 until that is over, as a server does whose time for a request is over. */
async function refuseTerminal(page: Page): Promise<{ refused: number; isOver: boolean }> {
  const state = { refused: 0, isOver: false };
  await page.route(/\/terminal-view-.*\.js/, (route: Route) => {
    if (state.isOver) return route.continue();
    state.refused += 1;
    return route.fulfill({ status: 408 });
  });
  return state;
}

test("a part of the page whose code did not come is fetched again by itself", async () => {
  const { page } = await web.open("/audit");
  const refusal = await refuseTerminal(page);
  await page.goto(`${web.url}/s/shell`);
  // The document may ask for it as well, once.
  await until(async () => refusal.refused >= 3, "a third request");
  refusal.isOver = true;
  await untilShown(page, "first line");
});

test("after several failures the page says so, and a click fetches it again", async () => {
  const { page } = await web.open("/audit");
  const refusal = await refuseTerminal(page);
  await page.goto(`${web.url}/s/shell`);
  await page.getByRole("alert").getByText("could not be loaded").waitFor();
  await page.getByRole("button", { name: "Reload the page" }).waitFor();
  refusal.isOver = true;
  await page.getByRole("button", { name: "Try again" }).click();
  await untilShown(page, "first line");
});

/** Aborts the first request for a style that is not one of the document's own. Returns the paths of all such requests, as they come. */
async function failFirstStyle(page: Page): Promise<readonly string[]> {
  const linked = await page.locator("head link[rel=stylesheet]").first().getAttribute("href");
  const asked: string[] = [];
  await page.route(/\/assets\/[^/]*\.css/, (route: Route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === linked) return route.continue();
    asked.push(pathname);
    return asked.length === 1 ? route.abort() : route.continue();
  });
  return asked;
}

test("a style that did not come is fetched again with its part of the page", async () => {
  const { page } = await web.open("/audit");
  const asked = await failFirstStyle(page);
  await page.goto(`${web.url}/s/shell`);
  await untilShown(page, "first line");
  assert.equal(asked.filter((path) => path === asked[0]).length, 2, asked.join(" "));
});

test("a page without its code says so, and loads it again", async () => {
  const { page } = await web.open("/audit");
  const entry = await page.locator("script[type=module]").getAttribute("src");
  let requests = 0;
  await page.route(`**${entry}`, (route: Route) => ((requests += 1) === 1 ? route.abort() : route.continue()));
  await page.goto(`${web.url}/s/shell`);
  await page.getByRole("link", { name: "Load it again" }).click();
  await untilShown(page, "first line");
});

test("a page whose main part fails once fetches it again by itself", async () => {
  const { page } = await web.open("/audit");
  const asked = await failFirstStyle(page);
  await page.goto(web.url);
  await page.getByRole("link", { name: "shell" }).first().waitFor();
  const [missed, ...others] = asked;
  assert.ok(missed !== undefined && others.includes(missed), asked.join(" "));
});
