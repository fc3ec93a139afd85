/** A link that shows one session to whoever has it, and nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { allFaults, wide } from "./page-faults.ts";
import { terminalRows, untilShown, WebHome } from "./web-home.ts";
import { until } from "../support/until.ts";

const web = await WebHome.shared();
const { home } = web;
await home.ok("run", "-d", "--name", "shown", "--", "bash", "-c", "echo for everybody; cat");
await home.ok("run", "-d", "--name", "secret", "--", "bash", "-c", "echo treasure; cat");

/** The login page goes on to the session by itself. */
async function enter(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.waitForURL(/\/s\//);
}

test("a link of lectern share shows one session, lets nobody type, and ends when it is revoked", async () => {
  const made = JSON.parse(await home.ok("share", "shown", "--expires", "1h", "--json")) as {
    url: string;
    token: string;
  };
  const { page, problems } = await web.stranger({ viewport: wide });
  await enter(page, made.url);
  await untilShown(page, "for everybody");
  await page.getByText("Shared with you to read").waitFor();
  assert.equal(await page.getByRole("link", { name: "secret" }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "New session" }).count(), 0);
  assert.deepEqual(await allFaults(page), []);

  await page.getByTestId("terminal").click();
  await page.keyboard.type("typed by a guest\n");
  await home.ok("send", "shown", "typed by the owner", "--enter");
  await untilShown(page, "typed by the owner");
  assert.ok(!(await terminalRows(page)).some((row) => row.includes("guest")));

  const status = (path: string, body?: object): Promise<number> => {
    const request = { headers: { "content-type": "application/json" }, method: "POST", body: JSON.stringify(body) };
    return page.evaluate(
      `fetch("${path}", ${JSON.stringify(body === undefined ? {} : request)}).then(({ status }) => status)`,
    );
  };
  assert.equal(await status("/v1/sessions/shown"), 200);
  for (const path of ["/v1/sessions", "/v1/sessions/secret", "/v1/tokens", "/v1/audit"]) {
    assert.equal(await status(path), 403, path);
  }
  for (const [path, body] of [
    ["/v1/sessions/shown/input", { text: "x" }],
    ["/v1/sessions/shown/kill", {}],
    ["/v1/sessions", { command: ["true"] }],
    ["/login-codes", {}],
  ] as const) {
    assert.equal(await status(path, body), 403, path);
  }
  await page.goto(`${web.url}/s/secret`);
  await page.getByRole("heading", { name: "No such session" }).waitFor();
  await page.goto(web.url);
  await page.waitForURL(/\/s\//);
  await untilShown(page, "for everybody");

  // The link works in several browsers until it ends.
  const other = await web.stranger();
  await enter(other.page, made.url);
  await untilShown(other.page, "for everybody");
  await home.ok("token", "revoke", made.token);
  await page.getByRole("heading", { name: "This browser is not logged in" }).waitFor();
  assert.deepEqual(
    problems.filter((problem) => !/40[13]|WebSocket/.test(problem)),
    [],
  );
});

test("the page makes and ends a link, and a browser that is logged in stays what it is", async () => {
  const { page } = await web.open("/s/shown", { permissions: ["clipboard-read", "clipboard-write"] });
  const openDialog = async (): Promise<void> => {
    await page.getByRole("main").getByRole("button", { name: "Actions for shown" }).click();
    await page.getByRole("menuitem", { name: "Share" }).click();
  };
  await openDialog();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Make a link" }).click();
  const link = await dialog.getByLabel("Link, shown only now").inputValue();
  await dialog.getByRole("button", { name: "Copy" }).click();
  await page.getByText("Copied the link").waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), link);
  assert.deepEqual(await allFaults(page), []);
  await enter(page, link);
  await untilShown(page, "for everybody");
  await page.getByRole("navigation", { name: "Sessions" }).getByRole("link", { name: "secret" }).waitFor();
  await openDialog();
  await dialog.getByRole("button", { name: "Stop sharing" }).click();
  await until(
    async () => (await dialog.getByRole("button", { name: "Stop sharing" }).count()) === 0,
    "no link is left",
  );
  const { page: late } = await web.stranger();
  await late.goto(link);
  await late.getByText("This link was used or is too old").waitFor();
});
