/** The list as people use it: what needs them, answers in the row, several sessions at once, and who ended what. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { until } from "../support/until.ts";
import { allFaults } from "./page-faults.ts";
import { WebHome } from "./web-home.ts";
import { askingPolicy, writeWireAgent } from "./wire-agent.ts";

const turn = { say: "I will run it.", calls: [{ name: "Bash", arguments: { command: "npm test" } }] };
const model = await ScriptedModel.start({ turns: [turn, turn] });
const web = await WebHome.shared();
after(async () => {
  await model[Symbol.asyncDispose]();
});
const { home } = web;

const rowIn = (page: Page, group: string, name: string) =>
  page.getByRole("region", { name: group }).getByRole("listitem").filter({ hasText: name });

async function startAgent(name: string): Promise<void> {
  await home.client.call("sessions.create", {
    command: [writeWireAgent(home.directory)],
    name,
    wire: { policy: askingPolicy, upstreams: { anthropic: model.url } },
  });
}

test("what needs a person is an agent that asks or has finished; a shell at its prompt stands apart", async () => {
  await home.ok("run", "-d", "--name", "shell", "--", "bash", "--norc");
  await startAgent("agent");
  const { page, problems } = await web.open();
  await rowIn(page, "Needs you", "agent").getByText("Waiting").waitFor();
  await rowIn(page, "At a prompt", "shell").waitFor();
  await until(async () => (await page.title()).startsWith("(1) "), "the title counts one");
  const icon = (): Promise<string | null> => page.locator('link[rel="icon"]').getAttribute("href");
  assert.match(decodeURIComponent((await icon()) ?? ""), /data:image\/svg\+xml.*>1<\/text>/);
  assert.deepEqual(problems, []);
});

test("a question is answered in its row, and one that changed meanwhile is refused", async () => {
  const { page } = await web.open();
  await home.client.call("sessions.prompt", { session: "agent", text: "run the tests" });
  const row = rowIn(page, "Needs you", "agent");
  await row.getByText("npm test ·").waitFor();
  const askedId = async () => (await home.client.call("approvals.list", { session: "agent" })).approvals[0]?.id;
  const first = await askedId();
  assert.deepEqual(await allFaults(page), []);
  await row.getByRole("button", { name: /^Allow/ }).click();
  await page.getByText("Answered: Allow").waitFor();
  // The next call of the same turn is another question.
  await until(async () => ![undefined, first].includes(await askedId()), "the next question");
  await row.getByRole("button", { name: /^Allow/, disabled: false }).waitFor();
  // What the page shows is not what is asked any more.
  await page.route("**/approvals/**", (route) => {
    const body = { ...(route.request().postDataJSON() as object), digest: "0".repeat(64) };
    return route.continue({ postData: JSON.stringify(body) });
  });
  await row.getByRole("button", { name: /^Allow/ }).click();
  await page.locator('.notice[data-kind="problem"]').waitFor();
  assert.equal((await home.client.call("approvals.list", { session: "agent" })).approvals.length, 1);
  await page.unrouteAll();
  await row.getByRole("button", { name: "Deny" }).click();
  await page.getByText("Answered: Deny").waitFor();
});

test("what somebody ended is ended, and only what ended badly by itself has failed", async () => {
  for (const name of ["killed", "left"]) await home.ok("run", "-d", "--name", name, "--", "bash", "--norc");
  await home.ok("run", "-d", "--name", "broken", "--", "bash", "-c", "exit 3");
  await home.ok("kill", "killed");
  await home.ok("wait", "left", "--for", "ready");
  await home.ok("send", "left", "exit 130", "--enter");
  const { page } = await web.open();
  await rowIn(page, "Ended", "killed").getByText("ended on request, SIGHUP").waitFor();
  await rowIn(page, "Ended", "left").getByText("ended by hand with code 130").waitFor();
  await rowIn(page, "Ended", "broken").getByText("Failed").waitFor();
  assert.equal(await page.locator('[data-standing="failed"].row').count(), 1);
});

test("a command of a session is offered again as it was, with its quotes", async () => {
  const command = ["printf", "two words", "it's"] as const;
  await home.client.call("sessions.create", { command: [...command], name: "quoted" });
  const { page } = await web.open();
  await page.getByRole("banner").getByRole("button", { name: "New session" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: String.raw`printf 'two words' 'it'\''s'` }).click();
  await dialog.getByLabel("Name").fill("again");
  await dialog.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(`${web.url}/s/again`);
  assert.deepEqual((await home.client.call("sessions.get", { session: "again" })).command, command);
});

test("a prompt goes to several sessions at once; one that asks a question refuses it and stays selected", async () => {
  const asks = ["bash", "--norc", "-c", "read -rp 'Go on? [y/N] '"];
  for (const name of ["bulk-a", "bulk-b"]) await home.ok("run", "-d", "--name", name, "--", "bash", "--norc");
  await home.ok("run", "-d", "--name", "bulk-c", "--", ...asks);
  await until(
    async () => (await home.client.call("approvals.list", { session: "bulk-c" })).approvals.length > 0,
    "bulk-c asks",
  );
  for (const name of ["bulk-a", "bulk-b"]) await home.ok("wait", name, "--for", "ready");
  const { page, problems } = await web.open();
  await page.getByLabel("Filter sessions").fill("bulk-");
  await until(async () => (await page.locator(".row").count()) === 3, "three are shown");
  await page.locator(".row-name").first().focus();
  await page.keyboard.press("x");
  const bar = page.getByRole("toolbar", { name: "Selected sessions" });
  await bar.getByLabel("Select all").check();
  await bar.getByText("3 sessions").waitFor();
  await bar.getByRole("button", { name: "Send prompt" }).click();
  const dialog = page.getByRole("dialog", { name: "Send a prompt to 3 sessions" });
  await dialog.getByLabel("Prompt").fill("echo got-$((40 + 2))");
  assert.deepEqual(await allFaults(page), []);
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText(/^Sent the prompt to 2 of 3 sessions\. bulk-c: /).waitFor();
  for (const session of ["bulk-a", "bulk-b"]) {
    const screen = async () => (await home.client.call("sessions.screen", { session })).text;
    await until(async () => (await screen()).includes("got-42"), `the answer of ${session}`);
  }
  await bar.getByText("1 session").waitFor();
  assert.equal(await rowIn(page, "Needs you", "bulk-c").getByRole("checkbox").isChecked(), true);
  const { receipts } = await home.client.call("sessions.receipts", { session: "bulk-c" });
  assert.deepEqual(receipts, []);
  // The refusal itself is logged by the browser.
  assert.deepEqual(
    problems.filter((problem) => !problem.startsWith("Failed to load resource")),
    [],
  );
});

test("several sessions are selected with keys, labelled, ended and removed", async () => {
  for (const name of ["pick-1", "pick-2", "pick-3"]) await home.ok("run", "-d", "--name", name, "--", "cat");
  const { page, problems } = await web.open("/", { hasTouch: true });
  await page.getByLabel("Filter sessions").fill("pick-");
  await until(async () => (await page.locator(".row").count()) === 3, "three are shown");
  await page.locator(".row-name").first().focus();
  await page.keyboard.press("x");
  await page.locator(".row-select").last().focus();
  await page.keyboard.press("Shift+X");
  const bar = page.getByRole("toolbar", { name: "Selected sessions" });
  await bar.getByText("3 sessions").waitFor();
  assert.deepEqual(await allFaults(page), []);

  await bar.getByRole("button", { name: "Label" }).click();
  await page.getByRole("dialog").getByLabel("Labels").fill("batch=7");
  await page.keyboard.press("Enter");
  await page.getByText("Labelled 3 sessions").waitFor();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Select" }).tap();
  await page.locator(".row").first().tap();
  await page.locator(".row").last().tap();
  await bar.getByText("2 sessions").waitFor();
  await bar.getByRole("button", { name: "End", exact: true }).tap();
  await page.getByRole("dialog").getByRole("button", { name: "End", exact: true }).tap();
  await page.getByText("Ended 2 sessions").waitFor();
  const { sessions } = await home.client.call("sessions.list", { label: "batch=7" });
  assert.equal(sessions.filter(({ state }) => state === "exited").length, 2);

  await page.keyboard.press("x");
  await bar.getByLabel("Select all").check();
  await bar.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Removed 2 sessions").waitFor();
  await until(async () => (await page.locator(".row").count()) === 1, "one is left");
  assert.deepEqual(problems, []);
});

test("of two sessions that have ended with one name, each row opens its own", async () => {
  const { client } = home;
  const ended: string[] = [];
  for (const code of [5, 6]) {
    const { id } = await client.call("sessions.create", { command: ["sh", "-c", `exit ${code}`], name: "twice" });
    await client.call("sessions.wait", { session: id, for: { type: "exit" } });
    ended.push(id);
  }
  const { page } = await web.open();
  for (const [index, id] of ended.entries()) {
    await page.locator(`[data-session="${id}"]`).getByRole("link", { name: "twice" }).click();
    await page.getByText(`Program ended with code ${index + 5}`).waitFor();
    await page.goBack();
  }
});
