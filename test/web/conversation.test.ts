/** The conversation on the page: what it shows of a real session, where its links lead, and what it says of what is missing. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { terminalRows, untilSame, untilShown, WebHome } from "./web-home.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { until } from "../support/until.ts";
import { writeWireAgent } from "./wire-agent.ts";

const web = await WebHome.shared();
const { home } = web;

const entry = (page: Page, text: string) => page.locator(".entry").filter({ hasText: text });

test("commands have their exit codes, events their data, and each leads to its place in the recording", async () => {
  await home.ok("run", "-d", "--name", "shell", "--", "bash", "--norc", "--noprofile");
  await home.ok("exec", "shell", "echo first; echo $((6 * 7))");
  await home.run(["exec", "shell", "echo second; exit_code() { return 3; }; exit_code"]);
  await home.ok("exec", "shell", `echo '<FORGE_EVENT name="TASK_COMPLETE">{"tests": 12}</FORGE_EVENT>'`);
  await home.ok("exec", "shell", "clear; echo third");
  const { page, problems } = await web.open("/s/shell/chat");
  await entry(page, "echo first").filter({ hasText: "42" }).waitFor();
  await entry(page, "echo first").getByText("ok", { exact: true }).waitFor();
  await entry(page, "echo second").getByText("code 3", { exact: true }).waitFor();
  // What the shell echoed of the command is kept too, and trusted with nothing.
  const events = page.locator(".entry[data-kind=event]");
  await events
    .last()
    .filter({ hasText: /TASK_COMPLETE.*"tests": 12/s })
    .waitFor();
  await events.first().filter({ hasText: "unverified" }).waitFor();

  await entry(page, "echo first")
    .getByRole("link", { name: /^Show in the recording/ })
    .click();
  await page.waitForURL(/\/s\/shell\/replay\?at=\d+$/);
  // And so it does in another browser.
  const { page: other } = await web.open(page.url().slice(web.url.length));
  await untilSame(page, other, "echo first");
  const rows = await terminalRows(page);
  assert.ok(!rows.some((row) => row.includes("second")), rows.join("\n"));
  assert.deepEqual(problems, []);
});

test("code that was read from a screen keeps its columns, and the page says where it is from", async () => {
  const code = "def total(cart):\n    if not cart:\n        return 0\n\n    return sum(cart)";
  await using model = await ScriptedModel.start({
    turns: [{ say: `Here it is:\n\n${code}\n\nIt handles an empty cart:\n\n- one\n  - nested` }],
  });
  const agent = writeWireAgent(home.directory);
  // Past the gateway, so that the page has the screen only.
  await home.client.call("sessions.create", {
    command: ["env", `ANTHROPIC_BASE_URL=${model.url}`, agent],
    name: "coder",
  });
  await home.client.call("sessions.prompt", { session: "coder", text: "write it" });
  const { page } = await web.open("/s/coder/chat", { permissions: ["clipboard-read", "clipboard-write"] });
  const answer = entry(page, "It handles an empty cart");
  await answer.getByText("read from the screen").waitFor();
  await until(async () => (await answer.locator("pre").allTextContents()).includes(code), "the code as it was shown");
  await answer.locator("ul ul").getByText("nested").waitFor();
  await answer.getByRole("button", { name: "Copy" }).click();
  await until(async () => (await page.evaluate("navigator.clipboard.readText()")) === code, "the code is copied");
});

test("a link to a message, and one to an offset, show it after a load too", async () => {
  const recording = join(import.meta.dirname, "../fixtures/recordings/claude-inline-main-80x24.cast.gz");
  writeFileSync(join(home.directory, "claude.cast"), gunzipSync(readFileSync(recording)));
  await home.ok("import", join(home.directory, "claude.cast"), "--name", "claude");
  const { messages } = await home.client.call("sessions.messages", { session: "claude" });
  const wanted = messages.filter(({ role }) => role === "assistant").at(1);
  assert.ok(wanted, "the recording has a second answer");
  const { page } = await web.open(`/s/claude/chat#message-${wanted.id}`);
  const linked = page.locator(".entry.linked");
  // As text: here are no types of a browser.
  const top = "document.querySelector('.entry.linked').getBoundingClientRect().top";
  const isInView = (): Promise<boolean> => page.evaluate<boolean>(`${top} >= 0 && ${top} < innerHeight`);
  assert.equal(await linked.getAttribute("id"), `message-${wanted.id}`);
  await until(isInView, "it is in view");
  await page.reload();
  assert.equal(await linked.getAttribute("id"), `message-${wanted.id}`);
  await until(isInView, "it is in view after a load");
  await page.goto(`${web.url}/s/claude/chat?at=${wanted.offset}`);
  assert.equal(await linked.getAttribute("id"), `message-${wanted.id}`);
  await page.reload();
  assert.equal(await linked.getAttribute("id"), `message-${wanted.id}`);
  // Its own address stands beside it.
  await linked.getByRole("link", { name: /^Link to this/ }).click();
  await page.waitForURL(`**#message-${wanted.id}`);
  await page.goto(`${web.url}/s/claude/chat#message-m99999`);
  await page.getByText("no longer in this conversation").waitFor();
});

test("an imported recording is called one, has no prompt box, and nothing of it can be ended", async () => {
  const events = ['{"version": 2, "width": 80, "height": 24, "title": "of a talk"}', '[0.5, "o", "shown\\r\\n"]'];
  writeFileSync(join(home.directory, "talk.cast"), `${events.join("\n")}\n`);
  await home.ok("import", join(home.directory, "talk.cast"), "--name", "talk");
  const { page } = await web.open("/");
  const row = page.locator('.row[data-standing="recording"]').filter({ hasText: "talk" });
  await row.getByText("Recording", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Actions for talk" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).waitFor();
  assert.equal(await page.getByRole("menuitem", { name: "End session" }).count(), 0);
  await page.goto(`${web.url}/s/talk/chat`);
  await page.getByRole("heading", { name: "talk", exact: true }).waitFor();
  await page.locator(".chat-items > li").first().waitFor();
  assert.equal(await page.getByLabel("Write to").count(), 0);
  await page.goto(`${web.url}/s/talk`);
  await untilShown(page, "shown");
  await page.getByText("End of an imported recording").waitFor();
});

test("a session whose host is gone says that nobody saw its end, and how much may be missing", async () => {
  await home.ok("run", "-d", "--name", "lost", "--", "bash", "--norc", "--noprofile");
  await home.ok("exec", "lost", "echo before");
  const { page } = await web.open("/s/lost/chat");
  await entry(page, "echo before").waitFor();
  const info = await home.info();
  for (const { pid } of info?.hosts ?? []) process.kill(pid, "SIGKILL");
  const gap = page.locator(".entry-gap");
  await gap.waitFor();
  assert.match((await gap.textContent()) ?? "", /Its end was not observed.*at most 6\d KB/);
  assert.equal(await page.locator(".chat-items > li").last().getAttribute("class"), "entry-gap");
  assert.equal(await page.getByText("ended", { exact: true }).count(), 0);
});
