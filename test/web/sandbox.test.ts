/** What a session in a sandbox has left, on the page. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { WebHome } from "./web-home.ts";

const web = await WebHome.shared();

test("what was set aside, and what is to be read first, is counted and named beside the sandbox of a session", async () => {
  const { client, directory } = web.home;
  const project = join(directory, "project");
  mkdirSync(project);
  const script = "echo x > .npmrc; mkdir a; echo x > a/.npmrc; ln -s /etc/hostname out";
  await client.call("sessions.create", {
    command: ["sh", "-c", script],
    name: "walled",
    workingDirectory: project,
    sandbox: { profile: "work" },
  });
  await until(async () => {
    const { sandbox } = await client.call("sessions.get", { session: "walled" });
    return (sandbox?.findings ?? []).length === 2;
  }, "its directory is searched");
  const { page, problems } = await web.open("/s/walled");
  const aside = page.locator(".gate", { hasText: "Set aside: 1" });
  await aside.waitFor();
  assert.match((await aside.getAttribute("title")) ?? "", /Read it, and rename it to use it:\n.*\/project\/\.npmrc$/);
  const read = page.locator(".gate", { hasText: "Read first: 2" });
  assert.match((await read.getAttribute("title")) ?? "", /\/project\/out\n.*\/project\/a\/\.npmrc$/);
  assert.deepEqual(problems, []);
});
