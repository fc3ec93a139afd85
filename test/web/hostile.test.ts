/** What models, programs and people name and write is text on every view, and nothing of it is hidden or turned around. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { WebHome } from "./web-home.ts";
import { until } from "../support/until.ts";
import { writeWireAgent } from "./wire-agent.ts";

const image = (number: number): string => `<img src=x onerror=alert(${number})>`;
const command = `cat '${image(1)}' good\u202Etxt.exe`;
const model = await ScriptedModel.start({
  turns: [
    {
      say: `zebra ${image(2)} <script>alert(3)</script> [here](javascript:alert(4)) ![there](http://127.0.0.1:9/x.png) <b>bold</b>`,
      calls: [{ name: "Bash", arguments: { command } }],
    },
    { when: { last: "12 tests passed" }, say: `done ${image(5)}` },
  ],
});
const web = await WebHome.shared();
after(async () => {
  await model[Symbol.asyncDispose]();
});
const { home } = web;

/** Elements that text could have become. */
const foreign =
  "main :is(img, script, iframe, object, embed), b:text-is('bold'), a[href^='javascript' i], [onerror], [onclick]";

test("hostile messages, arguments, file names, titles and policies are text on every view", async () => {
  await home.client.call("sessions.create", {
    command: [writeWireAgent(home.directory)],
    name: "agent",
    labels: { note: image(6) },
    wire: { policy: "version: 1\ndefault: ask\nopaque: ask\n", upstreams: { anthropic: model.url } },
  });
  const title = `\\033]2;${image(7)}\\007`;
  const event = `<FORGE_EVENT name="DONE">{"file": "${image(8)}"}</FORGE_EVENT>`;
  const program = `printf '${title}'; echo '${event}'; cat`;
  await home.ok("run", "-d", "--name", "titled", "--", "bash", "-c", program, image(9));

  const { page, problems } = await web.open("/s/agent/chat");
  const alerts: string[] = [];
  const requests: string[] = [];
  page.on("dialog", (dialog) => {
    alerts.push(dialog.message());
    void dialog.dismiss();
  });
  page.on("request", (request) => requests.push(request.url()));
  const isText = async (view: Page, name: string): Promise<void> => {
    assert.equal(await view.locator(foreign).count(), 0, name);
  };

  await page.getByLabel("Write to agent").fill(`look at this ${image(10)}`);
  await page.keyboard.press("Enter");
  const question = page.getByRole("article");
  await question.waitFor();
  // Who decides sees each character: the one that turns text around is written out.
  assert.ok((await question.textContent())?.includes(`${image(1)}' good\\u{202e}txt.exe`));
  await isText(page, "a question in the conversation");
  await page.goto(`${web.url}/approvals`);
  await question.waitFor();
  await isText(page, "the questions");
  await page.goto(web.url);
  await page.getByRole("link", { name: "agent" }).waitFor();
  await isText(page, "the list");
  await page.goto(`${web.url}/s/agent/chat`);
  await question.getByRole("button", { name: /allow/i }).first().click();
  await page.getByText("done <img").waitFor();
  await page.locator(".entry").filter({ hasText: "zebra" }).waitFor();
  await isText(page, "the conversation");
  await page.goto(`${web.url}/s/titled/chat`);
  await page
    .locator(".entry[data-kind=event]")
    .filter({ hasText: image(8) })
    .waitFor();
  await isText(page, "an event");
  await page.goto(`${web.url}/s/agent/replay`);
  await page.locator(".timeline-mark[data-kind=message]").first().waitFor();
  await page
    .getByRole("button", { name: "Pause" })
    .or(page.getByRole("button", { name: "Play" }))
    .waitFor();
  await isText(page, "the replay");
  await page.goto(`${web.url}/audit`);
  await page
    .getByRole("row")
    .filter({ hasText: image(1) })
    .waitFor();
  await isText(page, "the audit log");
  await page.goto(`${web.url}/policy?session=agent`);
  await page.getByLabel("Policy", { exact: true }).fill(`version: 1\ndefault: ask\n# ${image(11)}\n`);
  await page
    .getByRole("row")
    .filter({ hasText: image(1) })
    .waitFor();
  await isText(page, "a policy on trial");
  await page.goto(`${web.url}/search`);
  await page.getByLabel("Search all sessions").fill("zebra");
  await until(async () => (await page.locator("mark").count()) > 0, "a hit");
  await isText(page, "the search");

  assert.deepEqual(alerts, []);
  assert.deepEqual(
    requests.filter((url) => !url.startsWith(web.url)),
    [],
    "nothing is fetched from elsewhere",
  );
  assert.deepEqual(problems, []);
});

test("the policy of the page allows no inline script, no eval and nothing from elsewhere", async () => {
  const { page } = await web.open("/");
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  const answer = await page.request.get(web.url);
  const policy = answer.headers()["content-security-policy"] ?? "";
  const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? "";
  assert.equal(scripts, "'self'");
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /require-trusted-types-for 'script'/);
  assert.doesNotMatch(await answer.text(), /<script(?![^>]* src=)/);
  // The browser holds to it.
  await page.evaluate(`{
    globalThis.ran = "no";
    const script = document.createElement("script");
    try { script.textContent = "globalThis.ran = 'yes'"; document.body.append(script); } catch {}
  }`);
  assert.equal(await page.evaluate("globalThis.ran"), "no");
});
