/** The page of usage: what agents behind the gateway have cost, by session and by model, and its chart. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { OutputOf } from "../../src/protocol/operations.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { until } from "../support/until.ts";
import { wiredAgentProgram } from "../support/wired-agent.ts";
import { allFaults } from "./page-faults.ts";
import { WebHome } from "./web-home.ts";

type Usage = OutputOf<"usage.list">;

const model = await ScriptedModel.start({
  turns: [],
  fallback: { say: "Done", usage: { input: 250_000, output: 40_000 } },
});
const web = await WebHome.shared();
after(async () => {
  await model[Symbol.asyncDispose]();
});
const { home } = web;

test("usage is empty first, then has the totals and a row for each session and model, which leads to the session", async () => {
  const { page, problems } = await web.open("/audit");
  await page.getByRole("link", { name: "Usage" }).click();
  await page.getByRole("heading", { name: "No usage in this time" }).waitFor();
  assert.deepEqual(await allFaults(page), []);

  const program = wiredAgentProgram(home.directory);
  for (const name of ["work", "docs"]) {
    const wire = ["--wire", "--upstream", `anthropic=${model.url}`];
    await home.ok("run", "-d", "-n", name, ...wire, "--", process.execPath, program);
    await home.client.call("sessions.wait", { session: name, for: { type: "output", pattern: "ready" }, from: 0 });
    await home.ok("send", name, "count", "--enter");
  }
  await until(async () => (await home.client.call("usage.list", {})).total.requests === 2, "two answers");
  const { total } = await home.client.call("usage.list", {});
  await page.reload();
  const table = page.getByRole("region", { name: "Usage" });
  await table.getByRole("link", { name: "work" }).waitFor();
  const facts = await page.locator(".usage-total dd").allTextContents();
  assert.deepEqual(facts, [`$${total.costUsd.toFixed(2)}`, "2", "500k", "0", "80.0k"]);
  assert.deepEqual(await allFaults(page), []);

  await page.getByLabel("By").selectOption("Model");
  await table.getByRole("rowheader", { name: "claude-sonnet-4-5" }).waitFor();
  assert.equal(await table.getByRole("row").count(), 2);
  await page.getByLabel("Last").selectOption("All");
  await page.waitForURL(`${web.url}/usage?by=model&days=0`);
  await page.getByLabel("By").selectOption("Session");
  await table.getByRole("link", { name: "work" }).click();
  await page.getByRole("heading", { name: "work", exact: true }).waitFor();
  assert.deepEqual(problems, []);
});

test("with more than one day there is a chart, and what it shows is also in words", async () => {
  const { page } = await web.open("/");
  // Nothing here has a past, so the days are made of today's.
  await page.route("**/v1/usage?*", async (route) => {
    const answer = (await (await route.fetch()).json()) as Usage;
    const days = ["2026-11-24", "2026-11-25", "2026-11-26"];
    const rows = days.map((key, index) => ({ ...answer.total, key, name: key, costUsd: 1.25 * (index + 1) }));
    await route.fulfill({ json: { ...answer, rows } });
  });
  await page.goto(`${web.url}/usage?by=day`);
  await page.getByText("Cost by day, at most $3.75 on 2026-11-26").waitFor();
  assert.equal(await page.locator(".usage-chart rect").count(), 3);
  assert.equal(await page.getByRole("region", { name: "Usage" }).getByRole("row").count(), 4);
  assert.deepEqual(await allFaults(page), []);
});
