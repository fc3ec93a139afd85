/** An agent behind the gateway: its conversation on the page, its question answered there, what the audit log and the search say. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { askingPolicy, writeWireAgent } from "./wire-agent.ts";
import { WebHome } from "./web-home.ts";
import { until } from "../support/until.ts";

const model = await ScriptedModel.start({
  turns: [
    {
      say: "I run the **tests** first.\n\n```ts\nconst answer = 42; // as asked\n```\n<img src=x onerror=alert(1)>",
      calls: [{ name: "Bash", arguments: { command: "npm test" } }],
    },
    { when: { last: "12 tests passed" }, say: "All twelve tests pass." },
  ],
});
const web = await WebHome.shared();
after(async () => {
  await model[Symbol.asyncDispose]();
});
const { home } = web;

test("a prompt is sent, a question answered, and all of it can be read and found again", async () => {
  await home.client.call("sessions.create", {
    command: [writeWireAgent(home.directory)],
    name: "agent",
    wire: { policy: askingPolicy, upstreams: { anthropic: model.url } },
  });
  const { page, problems } = await web.open("/s/agent/chat");
  let alerts = 0;
  page.on("dialog", (dialog) => {
    alerts += 1;
    void dialog.dismiss();
  });
  await page.getByLabel("Write to agent").fill("please run the tests");
  await page.keyboard.press("Enter");
  const receipt = page.locator(".receipt").filter({ hasText: "please run the tests" });
  await page.locator('.receipt[data-state="working"]').waitFor();
  // The call as the model begins it, before anything of it is on a screen.
  const intent = page.locator(".entry[data-kind=intent]");
  await intent.filter({ hasText: "held until the question is answered" }).waitFor();
  assert.match((await intent.textContent()) ?? "", /Bash/);

  // What a person sees who was somewhere else.
  const { page: phone } = await web.open("/approvals", {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  const question = phone.getByRole("article").first();
  await question.waitFor();
  assert.match((await question.textContent()) ?? "", /npm test/);

  // While it asks, the daemon takes no prompt: its reason is shown, and the words stay.
  await page.getByLabel("Write to agent").fill("and be quick");
  await page.keyboard.press("Enter");
  const refused = page.locator('.receipt[data-state="refused"]');
  await refused.waitFor();
  assert.match((await refused.textContent()) ?? "", /it asks/);
  assert.equal(await page.getByLabel("Write to agent").inputValue(), "and be quick");
  // What is not over is known after a reload.
  await page.reload();
  await page.locator('.receipt[data-state="working"]').waitFor();
  assert.equal(await receipt.count(), 1);

  // A finger beside its place is taken back: otherwise the call would be denied first.
  await question.getByRole("button", { name: "Deny this call" }).tap();
  await question.getByRole("button", { name: "Undo: Deny this call" }).tap();
  await question
    .getByRole("button", { name: /allow|yes/i })
    .first()
    .tap();
  await phone.getByRole("heading", { name: "No open questions" }).waitFor();

  await page.getByText("All twelve tests pass.").first().waitFor();
  await until(async () => (await intent.count()) === 0, "nothing is about to be called");
  await page.locator('.receipt[data-state="done"]').filter({ hasText: "please run the tests" }).waitFor();
  assert.equal(await page.locator("main img").count(), 0);
  assert.equal(alerts, 0);

  // What it said last, and what that has cost, stand in the list.
  await page.goto(web.url);
  const inList = page.getByRole("listitem").filter({ hasText: "agent" });
  await inList.getByText("All twelve tests pass.").waitFor();
  assert.match((await inList.textContent()) ?? "", /Used \d\S* tokens/);
  assert.match(await home.ok("ls"), /USED[\s\S]* tokens/);

  await page.goto(`${web.url}/audit`);
  const row = page.getByRole("row").filter({ hasText: "Bash" });
  await row.waitFor();
  assert.match((await row.textContent()) ?? "", /allow/);
  await row.getByRole("button").click();
  const details = page.getByRole("dialog");
  await details.getByRole("region", { name: "command" }).getByText("npm test").waitFor();
  await details.getByRole("list", { name: "Rows" }).getByText("started by agent").waitFor();
  await details.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Verify the chain" }).click();
  await page.getByText("rows are unchanged").waitFor();

  await page.goto(`${web.url}/search`);
  await page.getByLabel("Search all sessions").fill("twelve");
  const hit = page.getByRole("list", { name: "Found" }).getByRole("listitem").first();
  await until(async () => (await hit.count()) > 0, "a hit");
  assert.equal(await hit.locator("mark").first().textContent(), "twelve");
  await hit.getByRole("link").last().click();
  await page.locator(".entry.linked").waitFor();
  // The refusal is an answer with status 409, which the browser logs.
  assert.deepEqual(
    problems.filter((problem) => !problem.includes("409")),
    [],
  );
});

test("a policy is tried on what the agent did, while it is being written", async () => {
  const { page, problems } = await web.open("/policy");
  await page.getByLabel("Recorded session").selectOption("agent");
  await page.getByRole("button", { name: "Policy of the session" }).click();
  const policy = page.getByLabel("Policy", { exact: true });
  const row = page.getByRole("row").filter({ hasText: "npm test" });
  await row.getByText("ask-tests, line 5").waitFor();
  await page.getByText("1 call: 0 allow, 1 ask, 0 deny. 0 decided differently at the time.").waitFor();

  const text = await policy.inputValue();
  await policy.fill(text.replace("effect: ask", "effect: deny"));
  await page.getByText("1 call: 0 allow, 0 ask, 1 deny. 1 decided differently at the time.").waitFor();
  await row.locator('.effect[data-effect="deny"]').waitFor();
  await row.getByRole("button", { name: "ask-tests, line 5" }).click();
  const selected = "(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))";
  const field = "document.querySelector('.policy-text textarea')";
  assert.match(await page.evaluate<string>(`${selected}(${field})`), /^ {2}- \{ id: ask-tests, effect: deny/);

  // A problem stands at its line, in words that are nothing but text.
  await policy.fill("version: 1\ndefault: allow\n<img src=x onerror=alert(1)>: []\n");
  const problem = page.getByRole("status", { name: "Problems" }).getByRole("listitem").filter({ hasText: "Line 3" });
  assert.match((await problem.textContent()) ?? "", /Line 3.*<img src=x/);
  assert.equal(await page.locator(".policy-text li[data-problem=error]").textContent(), "3");
  assert.equal(await page.locator("main img").count(), 0);

  // What was written is there after a load, and so is the session.
  await policy.fill(text);
  await row.waitFor();
  await page.reload();
  await row.getByText("ask-tests, line 5").waitFor();
  await row.getByRole("link").click();
  await page.waitForURL(/\/s\/agent\/replay\?at=\d+$/);
  assert.deepEqual(problems, []);
});

test("an agent that talks past the gateway is marked as not gated, in the list and beside its terminal", async () => {
  await using elsewhere = await ScriptedModel.start({ turns: [{ say: "I am the model.", times: "always" }] });
  const path = writeWireAgent(join(home.directory, "astray"));
  const program = readFileSync(path, "utf8").replace("process.env.ANTHROPIC_BASE_URL", JSON.stringify(elsewhere.url));
  writeFileSync(path, program);
  const wire = { policy: askingPolicy, upstreams: { anthropic: model.url } };
  await home.client.call("sessions.create", { command: [path], name: "astray", wire });
  const { page, problems } = await web.open("/");
  const row = page.locator("li, article, tr").filter({ hasText: "astray" }).first();
  await row.locator('.gate[data-gate="on"]').waitFor();
  await home.client.call("sessions.prompt", { session: "astray", text: "say it past the gate" });
  const mark = row.locator('.gate[data-gate="not-gated"]');
  await mark.waitFor({ timeout: 60_000 });
  assert.equal(await mark.textContent(), "Not gated");
  assert.match((await mark.getAttribute("title")) ?? "", /the gateway saw no request/);
  await page.goto(new URL("/s/astray", page.url()).href);
  await page.locator('.gate[data-gate="not-gated"]').waitFor();
  assert.deepEqual(problems, []);
});
