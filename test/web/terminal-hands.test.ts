/** Hands on a terminal: an input method, a mouse, a selection. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { terminalRows, untilShown, WebHome } from "./web-home.ts";
import { until } from "../support/until.ts";

const web = await WebHome.shared();
const { home } = web;

const live = (page: Page): Promise<void> => page.locator(".terminal-status[data-phase=live]").waitFor();

/** The row of the terminal with a text. */
const row = (page: Page, text: string) => page.locator(".xterm-rows > div").filter({ hasText: text }).first();

test("what an input method composes is typed once, when it is done", async () => {
  await home.ok("run", "-d", "--name", "ime", "--", "bash", "-c", "stty raw -echo; printf 'ready\\r\\n'; cat");
  const { page, problems } = await web.open("/s/ime");
  await untilShown(page, "ready");
  await live(page);
  await page.getByTestId("terminal").click();
  const browser = await page.context().newCDPSession(page);
  for (const text of ["に", "にほ", "にほん"]) {
    await browser.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  }
  await page.locator(".composition-view.active").getByText("にほん").waitFor();
  assert.deepEqual(await terminalRows(page), ["ready"]);
  await browser.send("Input.insertText", { text: "日本" });
  await untilShown(page, "日本");
  await page.keyboard.type("!");
  await untilShown(page, "!");
  assert.deepEqual(await terminalRows(page), ["ready", "日本!"]);
  assert.deepEqual(problems, []);
});

test("a program that asks for the mouse gets its clicks and its wheel", async () => {
  const program = "stty raw -echo; printf '\\033[?1000h\\033[?1006hready\\r\\n'; cat -v";
  await home.ok("run", "-d", "--name", "mouse", "--", "bash", "-c", program);
  const { page } = await web.open("/s/mouse");
  await untilShown(page, "ready");
  await live(page);
  const box = await row(page, "ready").boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + 2, box.y + box.height / 2);
  await untilShown(page, "^[[<0;1;1M^[[<0;1;1m");
  await page.mouse.wheel(0, 200);
  await untilShown(page, "^[[<65;1;1M");
});

test("a word is selected by the mouse and copied by the keyboard", async () => {
  await home.ok("run", "-d", "--name", "copy", "--", "bash", "-c", "echo 'before needle after'; cat");
  const { page } = await web.open("/s/copy", { permissions: ["clipboard-read", "clipboard-write"] });
  await untilShown(page, "needle");
  await live(page);
  await until(async () => {
    const box = await row(page, "needle").locator("span").first().boundingBox();
    if (box === null) return false;
    // 19 letters; the tenth stands in the word.
    await page.mouse.dblclick(box.x + (box.width * 9.5) / 19, box.y + box.height / 2);
    await page.keyboard.press("Control+Shift+C");
    return (await page.evaluate<string>("navigator.clipboard.readText()")) === "needle";
  }, "it is copied");
  const { records } = await home.client.call("sessions.records", { session: "copy" });
  assert.ok(!records.some(({ type }) => type === "input"), "the keys that copy reached the program");
});
