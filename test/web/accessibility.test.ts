/** What axe-core finds on each view, in light and in dark: nothing serious, nothing critical. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { allFaults, wide } from "./page-faults.ts";
import { askingPolicy, writeWireAgent } from "./wire-agent.ts";
import { untilShown, WebHome } from "./web-home.ts";
import { until } from "../support/until.ts";

const model = await ScriptedModel.start({
  turns: [
    {
      say: "Look:\n\n```ts\nconst answer = 42; // as asked\n```\n\n- [ ] a list\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
      calls: [{ name: "Bash", arguments: { command: "npm test" } }],
    },
  ],
});
const web = await WebHome.shared();
after(async () => {
  await model[Symbol.asyncDispose]();
});
const { home } = web;

const event = '<FORGE_EVENT name="TASK_COMPLETE">{"tests": 12}</FORGE_EVENT>';
await home.ok(
  "run",
  "-d",
  "--name",
  "live",
  "--label",
  "team=web",
  "--",
  "bash",
  "-c",
  `ls --color=always /; echo '${event}'; cat`,
);
await home.ok("run", "-d", "--name", "ended", "--", "bash", "-c", "echo over; exit 3");
await home.ok("wait", "ended", "--for", "exit");
/** As a task of a long prompt has it, with a command that fills several lines. */
const longName = "fix-the-total-of-the-cart-if-it-is-empty-and-has-a-coupon-2";
const longCommand = `rm -rf ${Array.from({ length: 12 }, (_, index) => `./packages/part-${index}/build/output`).join(" ")}`;
await home.ok("run", "-d", "--name", longName, "--", "bash", "-c", `read -p "Run ${longCommand}? [y/N] "`);
await home.ok("wait", longName, "--for", "status:blocked");
await home.client.call("sessions.create", {
  command: [writeWireAgent(home.directory)],
  name: "agent",
  wire: { policy: askingPolicy, upstreams: { anthropic: model.url } },
});
await home.client.call("sessions.prompt", { session: "agent", text: "run the tests" });
await until(async () => (await home.client.call("approvals.list", {})).approvals.length > 0, "a question");

const views: readonly (readonly [name: string, path: string, open: (page: Page) => Promise<void>])[] = [
  ["the list", "/", (page) => page.getByRole("link", { name: "ended" }).waitFor()],
  ["a terminal", "/s/live", (page) => untilShown(page, "etc")],
  ["a blocked session", "/s/agent", (page) => page.locator(".blocked-strip").waitFor()],
  ["a session with a long name and question", `/s/${longName}`, (page) => page.locator(".blocked-strip").waitFor()],
  ["an ended session", "/s/ended", (page) => page.getByText("Program ended with code 3").waitFor()],
  ["a recording", "/s/ended/replay", (page) => untilShown(page, "over")],
  ["a session that is not there", "/s/nobody", (page) => page.getByRole("heading", { name: "No such" }).waitFor()],
  [
    "the new session dialog",
    "/",
    (page) => page.getByRole("banner").getByRole("button", { name: "New session" }).click(),
  ],
  ["the dialog that ends a session", "/s/live", endDialog],
  ["the notices of a browser that blocks them", "/", noticesDialog],
  ["the palette", "/", (page) => page.keyboard.press("Control+k")],
  ["a conversation of a program", "/s/live/chat", (page) => page.getByText("TASK_COMPLETE", { exact: true }).waitFor()],
  ["a conversation with an agent that asks", "/s/agent/chat", refusedPrompt],
  ["the questions", "/approvals", (page) => page.getByRole("article").first().waitFor()],
  ["a search without a hit", "/search?q=zebrafish", (page) => page.getByText("in any session").waitFor()],
  ["a search with hits", "/search?q=tests", (page) => page.getByRole("list", { name: "Found" }).waitFor()],
  ["the audit log", "/audit", (page) => page.getByRole("button", { name: "Verify the chain" }).click()],
  ["a call of the audit log", "/audit", auditCall],
  ["a policy on trial", "/policy?session=agent", (page) => page.getByRole("cell", { name: /npm test/ }).waitFor()],
  ["a policy with a problem", "/policy?session=ended", brokenPolicy],
  ["the live screens", "/", (page) => page.getByRole("button", { name: "Live screens" }).click()],
];

async function endDialog(page: Page): Promise<void> {
  await page.getByRole("main").getByRole("button", { name: "Actions for live" }).click();
  await page.getByRole("menuitem", { name: "End session" }).click();
  await page.getByRole("dialog").waitFor();
}

async function auditCall(page: Page): Promise<void> {
  await page.getByRole("row").filter({ hasText: "Bash" }).first().getByRole("button").click();
  await page.getByRole("dialog").waitFor();
}

async function noticesDialog(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Notifications on this device" }).click();
  await page.getByRole("dialog").getByText("This browser blocks notifications").waitFor();
}

async function refusedPrompt(page: Page): Promise<void> {
  await page.getByRole("article").waitFor();
  await page.getByLabel("Write to agent").fill("be quick");
  await page.keyboard.press("Enter");
  await page.locator('.receipt[data-state="refused"]').waitFor();
}

async function brokenPolicy(page: Page): Promise<void> {
  await page.getByLabel("Policy", { exact: true }).fill("version: 1\nrulse: []\n");
  await page.getByText("did you mean").waitFor();
}

const { page } = await web.stranger({ colorScheme: "light", viewport: wide });

test("axe-core finds nothing serious on the page of a browser that is not let in", async () => {
  await page.goto(web.url);
  await page.getByRole("heading", { name: "This browser is not logged in" }).waitFor();
  assert.deepEqual(await allFaults(page), []);
  await web.letIn(page);
});

for (const [name, path, open] of views) {
  test(`axe-core finds nothing serious on ${name}, in light and dark colours and 360 pixels wide`, async () => {
    await page.goto(web.url + path);
    await page.getByRole("main").waitFor();
    await open(page);
    assert.deepEqual(await allFaults(page), []);
  });
}
