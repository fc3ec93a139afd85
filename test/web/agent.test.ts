/** An agent behind the gateway: its conversation on the page, its question answered there, what the audit log and the search say. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { askingPolicy, writeWireAgent } from "./wire-agent.ts";
import { until, WebHome } from "./web-home.ts";

const model = await ScriptedModel.start({
  turns: [
    {
      say: "I run the **tests** first.\n\n```ts\nconst answer = 42; // as asked\n```\n<img src=x onerror=alert(1)>",
      calls: [{ name: "Bash", arguments: { command: "npm test" } }],
    },
    { when: { last: "12 tests passed" }, say: "All twelve tests pass." },
  ],
});
const web = await WebHome.start();
after(async () => {
  await web[Symbol.asyncDispose]();
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
  await page
    .getByText("Given to the program")
    .or(page.getByText("Seen on its screen"))
    .or(page.getByText("It works"))
    .first()
    .waitFor();

  // What a person sees who was somewhere else.
  const { page: phone } = await web.open("/approvals", {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  const question = phone.getByRole("article").first();
  await question.waitFor();
  assert.match((await question.textContent()) ?? "", /npm test/);
  await question
    .getByRole("button", { name: /allow|yes/i })
    .first()
    .tap();
  await phone.getByRole("heading", { name: "Nobody waits for you" }).waitFor();

  await page.getByText("All twelve tests pass.").first().waitFor();
  assert.equal(await page.locator("main img").count(), 0);
  assert.equal(alerts, 0);

  // What it said last, and what that has cost, stand in the list.
  await page.goto(web.url);
  const inList = page.getByRole("listitem").filter({ hasText: "agent" });
  await inList.getByText("please run the tests").waitFor();
  assert.match((await inList.textContent()) ?? "", /Used \d\S* tokens/);
  assert.match(await home.ok("ls"), /USED[\s\S]* tokens/);

  await page.goto(`${web.url}/audit`);
  const row = page.getByRole("row").filter({ hasText: "Bash" });
  await row.waitFor();
  assert.match((await row.textContent()) ?? "", /allow/);
  await page.getByRole("button", { name: "Verify the chain" }).click();
  await page.getByText("rows are as they were written").waitFor();

  await page.goto(`${web.url}/search`);
  await page.getByLabel("Search all sessions").fill("twelve");
  const hit = page.getByRole("list", { name: "Found" }).getByRole("listitem").first();
  await until(async () => (await hit.count()) > 0, "a hit");
  assert.equal(await hit.locator("mark").first().textContent(), "twelve");
  await hit.getByRole("link").last().click();
  await page.locator(".entry.linked").waitFor();
  assert.deepEqual(problems, []);
});
