/** The page whose connection is cut in each phase of each view: it comes back by itself, or has a button that works. */
import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import type { Page } from "playwright-core";
import { CuttableProxy, type CutMoment } from "../support/cuttable-proxy.ts";
import { GitRepository } from "../support/git-repository.ts";
import { until } from "../support/until.ts";
import { terminalRows, typeInto, untilShown, WebHome } from "./web-home.ts";

const repository = new GitRepository();
const web = await WebHome.shared();
const proxy = await CuttableProxy.start(Number(new URL(web.url).port));
after(async () => {
  await proxy[Symbol.asyncDispose]();
  repository[Symbol.dispose]();
});
afterEach(() => proxy.restore());
const { home } = web;

await home.ok("run", "-d", "--name", "shell", "--", "bash", "--norc", "-c", "echo first line; cat");
await home.ok("run", "-d", "--name", "asks", "--", "bash", "--norc", "-c", "read -rp 'Go on? [y/N] '");
await home.client.call("sessions.create", {
  command: ["bash", "--norc"],
  name: "task",
  workingDirectory: repository.path,
  worktree: { name: "task" },
});
await home.ok("wait", "task", "--for", "ready");
await home.ok("send", "task", "echo new > late.txt; echo whole", "--enter");
await home.ok("wait", "task", "--for", "output:whole");

const text = (wanted: string) => async (page: Page) => await page.getByText(wanted).first().waitFor();

interface View {
  readonly path: string;
  /** Of its code: undefined if it comes with the main part of the page. */
  readonly code?: RegExp;
  /** Of what it requests from the daemon. */
  readonly data: RegExp;
  readonly shown: (page: Page) => Promise<unknown>;
}

const listed = async (page: Page): Promise<void> => await page.getByRole("link", { name: "shell" }).first().waitFor();
/** An audit log is for good, also what sessions of other files have left in it. */
const recorded = async (page: Page): Promise<void> =>
  await page.getByText("No call was recorded yet").or(page.getByRole("cell")).first().waitFor();
const updates = /^\/v1\/updates/;

const views: Readonly<Record<string, View>> = {
  list: { path: "/", data: updates, shown: listed },
  questions: { path: "/approvals", data: updates, shown: text("Go on?") },
  search: { path: "/search?q=absent", data: /^\/v1\/search/, shown: text("No hits for “absent”") },
  audit: { path: "/audit", code: /audit-page-.*\.js/, data: /^\/v1\/audit/, shown: recorded },
  usage: { path: "/usage", code: /usage-page-.*\.js/, data: /^\/v1\/usage/, shown: text("No usage in this time") },
  policy: { path: "/policy", code: /policy-page-.*\.js/, data: /^\/v1\/policy/, shown: text("The policy is valid") },
  terminal: {
    path: "/s/shell",
    code: /terminal-view-.*\.js/,
    data: /^\/v1\/.*\/attach/,
    shown: async (page) => {
      await untilShown(page, "first line");
      await page.locator(".terminal-status[data-phase=live]").waitFor();
    },
  },
  conversation: { path: "/s/asks/chat", code: /chat-view-.*\.js/, data: /^\/v1\/.*\/changes/, shown: text("Go on?") },
  changes: {
    path: "/s/task/changes",
    code: /changes-page-.*\.js/,
    data: /^\/v1\/.*\/task\/changes/,
    shown: text("late.txt"),
  },
  patch: {
    path: "/s/task/changes",
    data: /^\/v1\/.*\/diff/,
    shown: async (page) => await page.getByRole("cell", { name: "+ new" }).waitFor(),
  },
  replay: {
    path: "/s/shell/replay",
    code: /replay-view-.*\.js/,
    data: /^\/v1\/.*\/records/,
    shown: async (page) => await page.getByLabel("Screen of shell").waitFor(),
  },
};

/** Loads a view whose connection is cut at that moment of the request for its code, and then of the one for its data. */
async function openCut({ code, data, path }: View, moment: CutMoment): Promise<Page> {
  const { page } = await web.stranger({ storageState: await web.admission() });
  proxy.plan(moment, code ?? data);
  await page.goto(proxy.url + path);
  await proxy.refusedOne();
  if (code !== undefined) {
    proxy.plan(moment, data);
    proxy.restore();
    await proxy.refusedOne();
  }
  proxy.restore();
  return page;
}

for (const [name, view] of Object.entries(views)) {
  test(`${name}: a connection that is cut while it loads comes back by itself`, async (context) => {
    for (const moment of ["request", "answer"] as const) {
      const page = await openCut(view, moment);
      const startMs = performance.now();
      await view.shown(page);
      context.diagnostic(`${moment}: ${Math.round(performance.now() - startMs)} ms`);
      await page.context().close();
    }
  });
}

test("a page that is shown while its connection is cut follows again, and types nothing twice", async (context) => {
  const { page } = await web.stranger({ storageState: await web.admission() });
  await page.goto(`${proxy.url}/s/shell`);
  await page.locator(".terminal-status[data-phase=live]").waitFor();
  proxy.cut();
  await page.getByText("The daemon does not answer").first().waitFor();
  await proxy.refusedOne();
  await home.ok("run", "-d", "--name", "later", "--", "cat");
  proxy.restore();
  const startMs = performance.now();
  await page.getByRole("link", { name: "later" }).waitFor();
  await page.locator(".terminal-status[data-phase=live]").waitFor();
  context.diagnostic(`back after ${Math.round(performance.now() - startMs)} ms`);
  assert.equal(await page.getByText("The daemon does not answer").count(), 0);
  assert.equal(await page.getByText("replaced by another version").count(), 0);
  await typeInto(page, "once\n");
  // The echo of the terminal, and what cat prints.
  await until(async () => (await terminalRows(page)).length >= 3, "three rows");
  assert.deepEqual(await terminalRows(page), ["first line", "once", "once"]);
});

test("all code of the page is cached at the first visit: what was never shown opens without a connection", async () => {
  const { page } = await web.open("/", { serviceWorkers: "allow" });
  await page.waitForFunction(`navigator.serviceWorker.ready.then(({ active }) => active.state === "activated")`);
  await page.route("**/*", (route) => route.abort());
  await page.context().setOffline(true);
  for (const { code, path } of Object.values(views)) {
    if (code === undefined) continue;
    await page.goto(web.url + path);
    await page.getByText("Start it with lectern up").waitFor();
    assert.equal(await page.getByText("could not be loaded").count(), 0, path);
  }
});

test("another build of the page is noticed after a lost connection, and offered", async () => {
  const { page } = await web.stranger({ storageState: await web.admission() });
  await page.goto(`${proxy.url}/`);
  await listed(page);
  await page.route(`${proxy.url}/`, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ body: (await answer.text()).replaceAll(/assets\/[\w-]*\.js/g, "assets/other.js") });
  });
  proxy.cut();
  await proxy.refusedOne();
  proxy.restore();
  await page.getByText("replaced by another version").waitFor();
  await page.unrouteAll();
  await page.getByRole("button", { name: "Reload the page" }).click();
  await page.getByText("replaced by another version").waitFor({ state: "detached" });
  await listed(page);
});
