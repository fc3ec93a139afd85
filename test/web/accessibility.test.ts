/** What axe-core finds on each view, in light and in dark: nothing serious, nothing critical. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { untilShown, WebHome } from "./web-home.ts";

const web = await WebHome.start();
after(() => web[Symbol.asyncDispose]());
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

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** `rule: element` of what is serious or critical. */
async function faults(page: Page): Promise<string[]> {
  // Not by a script element: the policy of the page allows none.
  await page.evaluate(axe);
  // Letters of a program have the program's colours, which the terminal makes readable as far as it can.
  const { violations } = await page.evaluate<AxeResults>(`axe.run({ exclude: [[".xterm"]] })`);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

const views: readonly (readonly [name: string, path: string, open: (page: Page) => Promise<void>])[] = [
  ["the list", "/", (page) => page.getByRole("link", { name: "ended" }).waitFor()],
  ["a terminal", "/s/live", (page) => untilShown(page, "etc")],
  ["an ended session", "/s/ended", (page) => page.getByText("Program ended with code 3").waitFor()],
  ["a recording", "/s/ended/replay", (page) => untilShown(page, "over")],
  ["a session that is not there", "/s/nobody", (page) => page.getByRole("heading", { name: "No such" }).waitFor()],
  ["the new session dialog", "/", (page) => page.getByRole("banner").getByRole("button", { name: "New" }).click()],
  ["the palette", "/", (page) => page.keyboard.press("Control+k")],
  ["the conversation", "/s/live/chat", (page) => page.getByText("TASK_COMPLETE", { exact: true }).waitFor()],
  ["the questions", "/approvals", (page) => page.getByRole("heading", { name: "Nobody waits for you" }).waitFor()],
  ["the search", "/search?q=zebrafish", (page) => page.getByText("was said in any session").waitFor()],
  ["the audit log", "/audit", (page) => page.getByRole("button", { name: "Verify the chain" }).click()],
  [
    "a policy on trial",
    "/policy?session=live",
    (page) => page.getByText("No tool call stands in its journal").waitFor(),
  ],
  ["the live screens", "/", (page) => page.getByRole("button", { name: "Live screens" }).click()],
];

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe-core finds nothing serious in ${colorScheme} colours`, async () => {
    const { page } = await web.stranger({ colorScheme });
    await page.goto(web.url);
    await page.getByRole("heading", { name: "This browser is not let in yet" }).waitFor();
    assert.deepEqual(await faults(page), [], "the locked page");
    await web.letIn(page);
    for (const [name, path, open] of views) {
      await page.goto(web.url + path);
      await page.getByRole("main").waitFor();
      await open(page);
      assert.deepEqual(await faults(page), [], name);
    }
  });
}
