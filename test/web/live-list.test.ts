/** How the list stays fresh: it is told, over a connection of its own in each tab, and asks where it cannot be told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { WebHome } from "./web-home.ts";

const web = await WebHome.shared();
const { home } = web;

test("the list follows what happens without asking again", async () => {
  const { page, problems } = await web.open();
  await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/v1/")) asked.push(request.url());
  });
  await home.ok("run", "-d", "--name", "told", "--label", "team=web", "--", "bash", "-c", "echo printed; cat");
  await page.getByRole("link", { name: "told" }).waitFor();
  await page.getByRole("img", { name: /^Output of the last/ }).waitFor();
  await home.client.call("sessions.update", { session: "told", name: "renamed" });
  await page.getByRole("link", { name: "renamed" }).waitFor();
  await home.ok("kill", "renamed");
  await page.getByRole("region", { name: "Ended" }).getByRole("link", { name: "renamed" }).waitFor();
  await home.ok("rm", "renamed");
  await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
  assert.deepEqual(asked, []);
  assert.deepEqual(problems, []);
});

test("eight tabs of one browser are all told: a browser has six connections for requests", async () => {
  await home.ok("run", "-d", "--name", "shared", "--", "cat");
  const { page } = await web.open();
  const tabs = [page, ...(await Promise.all(Array.from({ length: 7 }, () => page.context().newPage())))];
  for (const tab of tabs) {
    await tab.goto(web.url);
    await tab.getByRole("link", { name: "shared" }).waitFor();
  }
  await home.client.call("sessions.update", { session: "shared", name: "for-all" });
  for (const tab of tabs) await tab.getByRole("link", { name: "for-all" }).waitFor();
  assert.equal(await page.evaluate(`fetch("/v1/daemon").then(({ status }) => status)`), 200);
});

test("where no WebSocket gets through, the page asks", async () => {
  await home.ok("run", "-d", "--name", "polled", "--", "cat");
  const { page } = await web.stranger();
  await page.routeWebSocket(/\/v1\/updates/, (socket) => socket.close({ code: 1011, reason: "a proxy" }));
  await web.letIn(page);
  await page.getByRole("link", { name: "polled" }).waitFor();
  await home.ok("kill", "polled");
  await page.getByRole("region", { name: "Ended" }).getByRole("link", { name: "polled" }).waitFor();
});
