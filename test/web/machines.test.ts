/** The sessions of another machine on the page of the daemon here: two real daemons. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { GitRepository } from "../support/git-repository.ts";
import { TwoMachines } from "../support/two-machines.ts";
import { until } from "../support/until.ts";
import { allFaults, wide } from "./page-faults.ts";
import { launchBrowser, typeInto, untilShown } from "./web-home.ts";
import { askingPolicy, writeWireAgent } from "./wire-agent.ts";

const WAIT_MS_MAX = 60_000;

const model = await ScriptedModel.start({
  turns: [
    { say: "I run them.", calls: [{ name: "Bash", arguments: { command: "npm test" } }] },
    { say: "All passed." },
  ],
});
const two = await TwoMachines.start({ pageDirectory: join(import.meta.dirname, "../../dist/ui") });
const browser = await launchBrowser();
after(async () => {
  await browser.close();
  await two[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});
const { box, here, url } = two;
await here.run(["cat"], { name: "local" });
await box.client.call("sessions.create", { command: ["bash", "--norc", "--noprofile"], name: "shell" });

const context = await browser.newContext({ viewport: wide, reducedMotion: "reduce", colorScheme: "light" });
const page = await context.newPage();
page.setDefaultTimeout(WAIT_MS_MAX);
const problems: string[] = [];
page.on("pageerror", (error) => problems.push(String(error)));
const codes = await two.transport.request({
  method: "POST",
  path: "/login-codes",
  headers: { "content-type": "application/json" },
  body: "{}",
});
const { urls } = JSON.parse(Buffer.concat(await Array.fromAsync(codes.chunks)).toString()) as { urls: string[] };
await page.goto(urls[0] ?? "");
await page.waitForURL(`${url}/`);

const main = page.getByRole("main");

test("the list has the sessions of all machines, and the filter takes the name of one", async () => {
  await main.getByRole("link", { name: "box/shell", exact: true }).waitFor();
  await main.getByRole("link", { name: "local", exact: true }).waitFor();
  await main.getByRole("region", { name: "Machines" }).getByText("Connected").waitFor();
  await page.getByLabel("Filter sessions").fill("box/");
  await main.getByRole("link", { name: "local", exact: true }).waitFor({ state: "detached" });
  assert.equal(await main.getByRole("link", { name: "box/shell", exact: true }).count(), 1);
  await page.getByLabel("Filter sessions").fill("");
  assert.deepEqual(await allFaults(page), []);
});

test("a terminal on another machine is typed into, also when its address is opened first", async () => {
  await main.getByRole("link", { name: "box/shell", exact: true }).click();
  await page.waitForURL(`${url}/s/box:shell`);
  await untilShown(page, "$");
  await typeInto(page, "echo pome''granate\n");
  await untilShown(page, "pomegranate");
  await page.reload();
  await untilShown(page, "pomegranate");
  await typeInto(page, "echo after''wards\n");
  await untilShown(page, "afterwards");
});

test("its recording is replayed and renamed, and what was typed is found", async () => {
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Replay" }).click();
  await page.waitForURL(/box:shell\/replay/);
  await untilShown(page, "pomegranate");
  await main.getByRole("button", { name: "Actions for box/shell" }).click();
  await page.getByRole("menuitem", { name: "Rename and label" }).click();
  await page.getByLabel("Name", { exact: true }).fill("prompt");
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(/box:prompt\/replay/);
  assert.equal((await box.client.call("sessions.get", { session: "prompt" })).name, "prompt");
  await page.getByRole("heading", { name: "box/prompt" }).waitFor();
});

test("a session is started there, by the dialog", async () => {
  await page.goto(url);
  await page.getByRole("banner").getByRole("button", { name: "New session" }).click();
  await page.getByRole("combobox", { name: "Machine" }).selectOption("box");
  assert.deepEqual(await allFaults(page), []);
  await page.getByLabel("Command", { exact: true }).fill("cat");
  await page.getByLabel("Name", { exact: true }).fill("made");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(`${url}/s/box:made`);
  assert.equal((await box.client.call("sessions.get", { session: "made" })).state, "running");
  await typeInto(page, "to the cat\n");
  await untilShown(page, "to the cat");
});

test("a task is started there, each agent in a worktree of that machine", async () => {
  using repository = new GitRepository();
  await page.goto(url);
  await page.getByRole("banner").getByRole("button", { name: "New task" }).click();
  await page.getByRole("combobox", { name: "Machine" }).selectOption("box");
  await page.getByRole("dialog").getByRole("textbox", { name: "Prompt" }).fill("echo there > where.txt");
  await page.getByLabel("Agent", { exact: true }).fill("bash --norc");
  await page.getByLabel("Repository").fill(repository.path);
  await page.getByRole("textbox", { name: "Branch" }).fill("far");
  await page.getByLabel("Agents side by side").selectOption("2");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("heading", { level: 2, name: "box/far-1" }).waitFor();
  await page.getByRole("heading", { level: 2, name: "box/far-2" }).waitFor();
  for (const name of ["far-1", "far-2"]) {
    const files = async () => (await box.client.call("tasks.changes", { session: name })).files;
    await until(async () => (await files()).some(({ path }) => path === "where.txt"));
  }
  await page.getByText("1 file, 1 not committed").first().waitFor();
  for (const name of ["far-1", "far-2"]) await box.client.call("sessions.remove", { session: name, force: true });
});

test("an agent there is prompted, its question answered and its words found", async () => {
  await box.client.call("sessions.create", {
    command: [writeWireAgent(box.directory)],
    name: "agent",
    wire: { policy: askingPolicy, upstreams: { anthropic: model.url } },
  });
  await page.goto(`${url}/s/box:agent/chat`);
  await page.getByLabel("Write to box/agent").fill("run the tests");
  await page.keyboard.press("Enter");
  await page.getByRole("article").getByText("npm test").first().waitFor();
  await page.goto(`${url}/approvals`);
  await page.getByRole("link", { name: "box/agent" }).waitFor();
  await page.getByRole("group", { name: "Answers" }).getByRole("button").first().click();
  await until(async () => (await box.client.call("approvals.list", {})).approvals.length === 0);
  await page.getByRole("heading", { name: "No open questions" }).waitFor();
  await page.goto(`${url}/search?q=tests`);
  const hit = page.getByRole("list", { name: "Found" }).getByRole("listitem").first();
  await hit.getByText("box/agent").waitFor();
  await hit.getByRole("link", { name: "tests" }).click();
  await page.waitForURL(/\/s\/box:\w+\/chat/);
  await page.getByText("run the tests").first().waitFor();
});

test("a machine that is away is a row with its reason, and none of its sessions is shown as running", async () => {
  await page.goto(url);
  await main.getByRole("link", { name: "box/prompt", exact: true }).waitFor();
  await box.crashDaemon();
  const away = main.getByRole("region", { name: "Out of reach" });
  await away.getByRole("link", { name: "box/prompt", exact: true }).waitFor();
  await main
    .getByRole("region", { name: "Machines" })
    .getByText(/Cannot reach/)
    .waitFor();
  await main.getByText("1 running, 3 out of reach, 0 ended").waitFor();
  assert.deepEqual(await allFaults(page), []);
  await box.ok("up", "--detach", "--no-tcp");
  await away.waitFor({ state: "detached" });
  await main.getByText("4 running, 0 ended").waitFor();
});

test("nothing on the page failed", () => {
  assert.deepEqual(problems, []);
});
