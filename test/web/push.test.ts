/**
 * Web Push as a person has it: a whole Chromium subscribes, decrypts and shows, its desktop gets the notifications and presses them. Of the
 * real thing only the address of the push service is missing: the browser names that of its maker, which is replaced on the way to the daemon.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { ShownNotification } from "../support/desktop-bus.ts";
import { until } from "../support/until.ts";
import { allFaults, wide } from "./page-faults.ts";
import { startPage } from "./web-home.ts";
import { missingBrowser, WholeBrowser } from "./whole-browser.ts";

const skip = missingBrowser;
const { home, url } = await startPage();
const browser = skip === false ? await WholeBrowser.start() : undefined;
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});
const { context, desktop, push } = browser ?? ({} as WholeBrowser);

/** Starts a program that asks; resolves with its notification. */
async function ask(name: string): Promise<ShownNotification> {
  const script = `read -rp 'Remove all files? [y/N] ' answer; echo "answer=$answer"; read -r`;
  await home.ok("run", "-d", "--name", name, "--", "bash", "--norc", "-c", script);
  return await shown(name, "Remove all files?");
}

/** The notification about a session when it has this text. */
async function shown(name: string, text: string): Promise<ShownNotification> {
  const find = () => [...desktop.shown.values()].find(({ body, title }) => title.includes(name) && body.includes(text));
  await until(() => find() !== undefined, `"${text}" about ${name}`).catch((cause: unknown) => {
    throw new Error(`Not shown: "${text}", but ${JSON.stringify(desktop.history)}`, { cause });
  });
  return find()!;
}

const untilGone = async (name: string): Promise<void> =>
  await until(() => [...desktop.shown.values()].every(({ title }) => !title.includes(name)), `${name} is taken off`);

const untilAnswered = async (session: string, answer: string): Promise<void> =>
  await until(
    async () => (await home.client.call("sessions.screen", { session })).text.includes(`answer=${answer}`),
    `${session} has the answer ${answer}`,
  );

test(
  "a device is added on the page, whose dialog axe-core finds nothing serious in, and gets a test",
  { skip },
  async () => {
    const rule = { on: ["blocked"], after: "0s", content: "question", to: ["push"] };
    const settings = { notify: { privateTargets: [push.host], rules: [rule] } };
    writeFileSync(join(home.paths.dataDirectory, "lectern.yaml"), JSON.stringify(settings));
    await home.ok("reload");
    await context.route("**/v1/push/devices", async (route) => {
      const given = route.request().postDataJSON() as { readonly endpoint: string } | null;
      if (given === null) return await route.continue();
      const endpoint = `http://${push.host}${new URL(given.endpoint).pathname}`;
      return await route.continue({ postData: JSON.stringify({ ...given, endpoint }) });
    });
    const page = context.pages()[0] ?? (await context.newPage());
    await page.setViewportSize(wide);
    await page.goto((await home.ok("open", "--print")).trim());
    await page.waitForURL(`${url}/`);
    await page.getByRole("button", { name: "Notifications on this device" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Notify this device" }).click();
    await dialog.getByText("This device, by").or(dialog.getByRole("alert")).waitFor();
    assert.deepEqual(await dialog.getByRole("alert").allTextContents(), []);
    assert.deepEqual(await allFaults(page), []);
    await dialog.getByRole("button", { name: "Send a test" }).click();
    await shown("Lectern: test", "arrive here");
    await dialog.getByText("Sent. If nothing appears").waitFor();
    await page.close();
  },
);

test(
  "with the page closed a button answers, also after the daemon was away for the first press",
  { skip },
  async () => {
    const asked = await ask("files");
    assert.match(asked.title, /^files needs you/);
    assert.deepEqual([...asked.actions.values()].slice(0, 2), ["y", "N"]);
    await home.crashDaemon();
    desktop.press(asked.id, "y");
    const { actions, body, id } = await shown("files", "Not answered: the daemon cannot be reached from this device");
    assert.match(body, /Remove all files\?/);
    assert.deepEqual(actions, asked.actions);
    await home.ok("up", "--detach", "--port", new URL(url).port);
    desktop.press(id, "y");
    await untilAnswered("files", "y");
    assert.match(
      (await shown("files", "Answered: y")).body,
      /Answered: y \(push \(Chrome on Linux\), \d\d:\d\d UTC\)$/,
    );
  },
);

test(
  "a question that was answered meanwhile is taken off; a button that is pressed before shows who did",
  { skip },
  async () => {
    const { id } = await ask("more");
    push.setAway(true);
    const [question] = (await home.client.call("approvals.list", { session: "more" })).approvals;
    await home.ok("approve", "more", question?.id ?? "", "n");
    await untilAnswered("more", "n");
    // A device that presses before that shows its own answer, and is not told.
    await until(() => push.waiting > 0, "what takes it off waits for the browser");
    desktop.press(id, "y");
    await shown("more", "Answered before: N");
    push.setAway(false);
    await untilGone("more");
    assert.deepEqual(
      desktop.history.filter(({ title }) => title.includes("files")).filter(({ body }) => body.includes("elsewhere")),
      [],
      "the device that answered shows its answer",
    );
  },
);

test("a press opens the session, in the page if one is open", { skip }, async () => {
  desktop.press((await ask("third")).id);
  await until(() => context.pages().length === 1, "a page");
  const [page] = context.pages() as [NonNullable<ReturnType<typeof context.pages>[0]>];
  await page.locator(".blocked-strip").getByText("Remove all files?").waitFor();
  await page.goto(`${url}/usage`);
  desktop.press((await ask("fourth")).id);
  await page.locator(".blocked-strip").getByText("Remove all files?").waitFor();
  assert.equal(
    new URL(page.url()).pathname,
    `/s/${(await home.client.call("sessions.get", { session: "fourth" })).id}`,
  );
  assert.equal(context.pages().length, 1);
});

/** As a browser does while no page is open: it drops the subscription, and reports it to the worker alone. Resolves when the worker is done. */
const dropSubscription = `(async () => {
  await (await registration.pushManager.getSubscription()).unsubscribe();
  const event = new ExtendableEvent("pushsubscriptionchange");
  const { promise, resolve } = Promise.withResolvers();
  event.waitUntil = resolve;
  dispatchEvent(event);
  await promise;
})()`;

test(
  "a subscription that the browser or its push service drops is renewed, and one that a person has stopped is not",
  { skip },
  async () => {
    const devices = async () => (await home.client.call("push.list", {})).devices.map(({ id }) => id);
    const untilRenewed = async ([before]: readonly string[]): Promise<string> => {
      const isOther = ([id, ...others]: readonly string[]) => id !== before && id !== undefined && others.length === 0;
      await until(async () => isOther(await devices()), "one other device");
      const [id = ""] = await devices();
      await home.ok("notify", "test", `push/${id}`);
      return id;
    };
    const page = context.pages()[0] ?? (await context.newPage());
    const first = await devices();
    assert.equal(first.length, 1);
    // The page wakes it.
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    await worker.evaluate(dropSubscription);
    const second = await untilRenewed(first);
    await page.goto(url);
    // The push service knows the browser no more, which the browser does not know: a person finds out by a test,
    push.forgetAll();
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Notifications on this device" }).click();
    await dialog.getByRole("button", { name: "Send a test" }).click();
    await dialog.getByRole("alert").getByText("410").waitFor();
    await dialog.getByRole("button", { name: "Notify this device" }).click();
    const third = await untilRenewed([second]);
    // and the daemon by its next message, and the page at its next load.
    push.forgetAll();
    const script = "read -rp 'Remove all files? [y/N] ' answer";
    await home.ok("run", "-d", "--name", "fifth", "--", "bash", "--norc", "-c", script);
    await until(async () => (await devices()).length === 0, "the device is gone");
    await page.reload();
    const fourth = await untilRenewed([]);
    assert.notEqual(fourth, third);
    await shown("fifth", "Remove all files?");
    await home.client.call("push.unsubscribe", { device: fourth });
    await page.reload();
    await page.getByRole("button", { name: "Notifications on this device" }).click();
    await dialog.getByRole("button", { name: "Notify this device" }).waitFor();
    assert.deepEqual(await devices(), []);
    assert.deepEqual(push.faults, []);
  },
);
