/** Two pages at one terminal: who types, and who takes over. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { terminalRows, typeInto, untilShown, WebHome } from "./web-home.ts";
import { until } from "../support/until.ts";

const web = await WebHome.shared();
const { home } = web;

const status = (page: Page) => page.locator(".terminal-status");
const takeOver = (page: Page) => page.getByRole("button", { name: "Take over" });
const live = (page: Page): Promise<void> => page.locator(".terminal-status[data-phase=live]").waitFor();

/** Presses a key again and again, as somebody who types does, until the rest is done. */
async function whileTyping(page: Page, key: string, run: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  await page.getByTestId("terminal").click();
  const typing = (async () => {
    while (!over.signal.aborted) await page.keyboard.press(key, { delay: 100 });
  })();
  try {
    await run();
  } finally {
    over.abort();
    await typing;
  }
}

test("a page says who types, holds its keys back, and takes over; the other one sees that", async () => {
  await home.ok("run", "-d", "--name", "pair", "--", "bash", "-c", "stty -echo; echo ready; cat");
  const { page: first } = await web.open("/s/pair");
  const { page: second } = await web.open("/s/pair");
  await untilShown(first, "ready");
  await Promise.all([live(first), live(second)]);

  await whileTyping(first, "o", async () => {
    await second.getByText("A page on Linux types").waitFor();
    const writer = async () => (await home.client.call("sessions.get", { session: "pair" })).writer;
    await until(async () => (await writer()) === "a page on Linux", "the daemon knows who types");
    assert.equal(await takeOver(first).count(), 0);
    // Whoever has not typed for a while types no more, which may be before the other page has pressed a key: then once more.
    await until(async () => {
      if ((await takeOver(second).count()) > 0)
        await takeOver(second)
          .click({ timeout: 1000 })
          .catch(() => undefined);
      const isHeldBack = await first.getByText("A page on Linux types; your keys were not sent").isVisible();
      return isHeldBack && (await takeOver(second).count()) === 0;
    }, "the keys of the first page are held back");
  });

  // Whoever has not typed for a while types no more, and anybody may.
  await until(async () => (await status(first).getByText("types").count()) === 0, "nobody types");
  await typeInto(first, "\ntwo\n");
  await untilShown(first, "two");
  const rows = (await terminalRows(first)).filter((row) => row !== "");
  assert.match(rows.join("|"), /^ready\|o+\|two$/);
});

test("a read-only page says who types and offers nothing", async () => {
  await home.ok("run", "-d", "--name", "look", "--", "cat");
  const { page: looking } = await web.open("/s/look");
  await looking.getByRole("button", { name: "Actions for look" }).last().click();
  await looking.getByRole("menuitem", { name: "Read only" }).click();
  await looking.getByText("Read only").waitFor();
  const { page: typing } = await web.open("/s/look");
  await live(typing);
  await whileTyping(typing, "a", () => looking.getByText("Read only: A page on Linux types").waitFor());
  assert.equal(await takeOver(looking).count(), 0);
});
