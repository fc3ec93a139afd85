/** The conversation is told, not asked for: what grows is seen to grow, and no request is sent for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { writeRecordedAgent } from "../support/recorded-agent.ts";
import { WebHome } from "./web-home.ts";
import { until } from "../support/until.ts";

const web = await WebHome.shared();
const { home } = web;

const entry = (page: Page, text: string) => page.locator(".entry").filter({ hasText: text });
const shell = (name: string): Promise<string> =>
  home.ok("run", "-d", "--name", name, "--", "bash", "--norc", "--noprofile");

test("an answer is seen to grow, what stands before it is not drawn again, and nothing is asked for", async () => {
  const cast = "claude-inline-main-80x24.cast";
  // It stops before its answer and three times in it, so that each state is shown, however long a browser takes.
  const stopsS = [5.5, 6.6, 7.2, 7.9];
  const agent = writeRecordedAgent(home.directory, { agent: "claude", cast, waitsForKey: true, stopsS });
  await home.client.call("sessions.create", { command: [agent], name: "grows", columns: 80, rows: 24 });
  const { page, problems } = await web.open("/s/grows/chat");
  await page.locator('.entry[data-role="conversation-start"]').waitFor();
  const goOn = async () => await home.client.call("sessions.input", { session: "grows", text: "g" });
  await goOn();
  // Over the socket, so from here on there is one.
  await page.locator('.entry[data-role="welcome"]').waitFor();
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/v1/")) asked.push(pathname);
  });
  await page.evaluate(`{
    const list = document.querySelector(".chat-items");
    const first = list.firstElementChild;
    globalThis.lengths = new Set();
    globalThis.changed = 0;
    new MutationObserver((records) => {
      const answer = list.querySelector(".entry[data-role=assistant]");
      if (answer !== null) globalThis.lengths.add(answer.textContent.length);
      globalThis.changed += records.filter(({ target }) => first.contains(target)).length;
    }).observe(list, { subtree: true, childList: true, characterData: true });
  }`);
  for (const [before] of stopsS.entries()) {
    await goOn();
    const isSeen = async () => (await page.evaluate<number>("globalThis.lengths.size")) > before;
    await until(isSeen, `it is seen in state ${before + 1}`);
  }
  await entry(page, "RICH-END-7731").waitFor();
  assert.equal(await page.evaluate<number>("globalThis.changed"), 0);
  assert.deepEqual(asked, []);
  assert.deepEqual(problems, []);
});

test("where no WebSocket gets through, the conversation and its prompts still come", async () => {
  await shell("plain");
  const { page } = await web.open("/");
  await page.routeWebSocket(/.*/, (socket) => void socket.close());
  await page.goto(`${web.url}/s/plain/chat`);
  await page.getByLabel("Write to").fill("echo printed $((40 + 2))");
  await page.getByLabel("Write to").press("Enter");
  await page.locator('.receipt[data-state="done"]').waitFor();
  await entry(page, "printed 42").waitFor();
  await home.ok("exec", "plain", "echo and again");
  await entry(page, "and again").waitFor();
});

test("a daemon that goes and comes back costs the conversation nothing", async () => {
  await shell("comes-back");
  await home.ok("exec", "comes-back", "echo before");
  const { page } = await web.open("/s/comes-back/chat");
  await entry(page, "echo before").waitFor();
  await home.crashDaemon();
  await web.startDaemonAgain();
  await home.ok("exec", "comes-back", "echo behind");
  await entry(page, "echo behind").waitFor();
  assert.equal(await entry(page, "echo before").count(), 1);
  assert.equal(await entry(page, "echo behind").count(), 1);
});

test("a prompt that waits is cancelled with a button, and is never typed", async () => {
  await shell("waits");
  const { page } = await web.open("/s/waits/chat");
  const box = page.getByLabel("Write to");
  await box.fill("tail -f /dev/null");
  await box.press("Enter");
  await page.locator('.receipt[data-state="working"]').waitFor();
  await box.fill("echo never");
  await box.press("Enter");
  await page.locator('.receipt[data-state="accepted"]').getByRole("button", { name: "Cancel" }).click();
  await page.locator('.receipt[data-state="cancelled"]').getByText("nothing was typed").waitFor();
  await home.ok("prompt", "waits", "echo never later", "--at", "+2h");
  const scheduled = page.locator('.receipt[data-state="scheduled"]').filter({ hasText: /Scheduled for \d\d:\d\d/ });
  await scheduled.getByRole("button", { name: "Cancel" }).click();
  await scheduled.waitFor({ state: "detached" });
  await home.client.call("sessions.keys", { session: "waits", keys: ["C-c"] });
  await until(async () => {
    const { receipts } = await home.client.call("sessions.receipts", { session: "waits" });
    return receipts.every(({ state }) => state === "done" || state === "cancelled");
  }, "the first one ends");
  const { text } = await home.client.call("sessions.logs", { session: "waits" });
  assert.doesNotMatch(text, /never/);
});
