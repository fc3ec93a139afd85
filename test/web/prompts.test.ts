/** The prompt box: how far a prompt has come, what a retry does, and what happens when the page or the daemon goes meanwhile. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { WebHome } from "./web-home.ts";
import { until } from "../support/until.ts";

const web = await WebHome.shared();
const { home } = web;

const shell = (name: string): Promise<string> =>
  home.ok("run", "-d", "--name", name, "--", "bash", "--norc", "--noprofile");

const box = (page: Page) => page.getByLabel("Write to");
const receipt = (page: Page, state: string) => page.locator(`.receipt[data-state="${state}"]`);

/** What the program printed, without what was typed. */
async function lines(session: string): Promise<string[]> {
  const { text } = await home.client.call("sessions.logs", { session });
  return text.split("\n").filter((line) => /^printed \d+$/.test(line));
}

test("a prompt goes through its steps, and another one can be recalled with the arrow keys", async () => {
  await shell("steps");
  const { page, problems } = await web.open("/s/steps/chat");
  await box(page).fill("echo printed $((40 + 2))");
  await box(page).press("Enter");
  await receipt(page, "done").waitFor();
  assert.equal(await receipt(page, "done").locator("i[data-reached=true]").count(), 6);
  assert.deepEqual(await lines("steps"), ["printed 42"]);
  await page.locator(".entry[data-role=shell]").filter({ hasText: "printed 42" }).waitFor();
  // Also after a load: the daemon knows what was sent.
  await page.reload();
  await box(page).waitFor();
  await until(async () => {
    await box(page).press("ArrowUp");
    return (await box(page).inputValue()) === "echo printed $((40 + 2))";
  }, "the prompt of before");
  await box(page).press("ArrowDown");
  assert.equal(await box(page).inputValue(), "");
  assert.deepEqual(problems, []);
});

test("Shift and Enter begin a new line, and what was begun is there after a reload", async () => {
  await shell("draft");
  const { page } = await web.open("/s/draft/chat");
  await box(page).fill("one");
  await box(page).press("Shift+Enter");
  await page.keyboard.type("two");
  await page.reload();
  assert.equal(await box(page).inputValue(), "one\ntwo");
  const { receipts } = await home.client.call("sessions.receipts", { session: "draft" });
  assert.deepEqual(receipts, []);
});

test("a prompt whose answer was lost is typed once, however often it is sent and the page is loaded", async () => {
  await shell("once");
  const { page } = await web.open("/s/once/chat");
  await box(page).waitFor();
  let posts = 0;
  // Nothing of the daemon's word comes through, by no way.
  await page.routeWebSocket(/updates/, (socket) => void socket.close());
  await page.reload();
  await box(page).waitFor();
  await page.route("**/v1/sessions/*/prompts", async (route) => {
    if (route.request().method() !== "POST") return await route.abort();
    posts += 1;
    // The daemon gets it, and the page gets no answer.
    await route.fetch();
    await route.abort();
  });
  await box(page).fill("echo printed $((3 + 4))");
  await box(page).press("Enter");
  await receipt(page, "unanswered").waitFor();
  await page.getByRole("button", { name: "Send again" }).click();
  await until(() => Promise.resolve(posts === 2), "a second one");
  await receipt(page, "unanswered").waitFor();
  const receipts = async () => (await home.client.call("sessions.receipts", { session: "once" })).receipts;
  // The page hears of no change.
  await until(async () => (await receipts())[0]?.state === "done", "the prompt");
  // Away from the page first: it asks again and again, and what it has heard of an end it does not keep over a reload.
  const address = page.url();
  await page.goto("about:blank");
  await page.unroute("**/v1/sessions/*/prompts");
  await page.goto(address);
  // What the daemon says of the key that the page kept.
  await receipt(page, "done").waitFor();
  assert.equal((await receipts()).length, 1);
  assert.deepEqual(await lines("once"), ["printed 7"]);
});

test("a prompt that never reached the daemon waits for a person, also over a reload, and is then typed once", async () => {
  await shell("away");
  const { page } = await web.open("/s/away/chat");
  await box(page).waitFor();
  await page.route("**/v1/sessions/*/prompts", (route) =>
    route.request().method() === "POST" ? route.abort() : route.fallback(),
  );
  await box(page).fill("echo printed $((5 + 5))");
  await box(page).press("Enter");
  await receipt(page, "unanswered").waitFor();
  await page.reload();
  await receipt(page, "unanswered").waitFor();
  await page.unroute("**/v1/sessions/*/prompts");
  await page.getByRole("button", { name: "Send again" }).click();
  await receipt(page, "done").waitFor();
  assert.deepEqual(await lines("away"), ["printed 10"]);
});
