/** The page's service worker and push messages, in a real browser; a headless one has no push service, so the messages come by its debugger. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Worker } from "playwright-core";
import { PushReceiver } from "../support/push-receiver.ts";
import { until } from "../support/until.ts";
import { allFaults, wide } from "./page-faults.ts";
import { WebHome } from "./web-home.ts";

const receiver = await PushReceiver.start();
const web = await WebHome.start();
after(async () => {
  await web[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});
const { home } = web;
writeFileSync(
  join(home.directory, "lectern.yaml"),
  JSON.stringify({
    notify: {
      privateTargets: [receiver.host],
      rules: [{ on: ["blocked"], after: "0s", content: "question", to: ["push"] }],
    },
  }),
);
await home.ok("reload");

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly actions: readonly string[];
}

const shownBy = (worker: Worker): Promise<Shown[]> =>
  worker.evaluate(
    `self.registration.getNotifications().then((all) => all.map(({ title, body, actions }) => ({ title, body, actions: actions.map(({ title }) => title) })))`,
  );

/** Presses a button of the shown notification as the browser does. */
const press = (worker: Worker, action: string): Promise<void> =>
  worker.evaluate(`self.registration.getNotifications().then(([notification]) => {
    globalThis.pressed = new NotificationEvent("notificationclick", { notification, action: ${JSON.stringify(action)} });
    self.dispatchEvent(pressed);
  })`);

test("a device is added on the page; its notification answers a question with the page closed, and a second press says who did", async () => {
  const { page, problems } = await web.open("/", { permissions: ["notifications"], viewport: wide });
  const { publicKey } = await home.client.call("push.list", {});
  receiver.applicationServerKey = publicKey;
  // A headless browser has no push service: this is the only part that is not the browser's own.
  await page.evaluate(`PushManager.prototype.subscribe = async function ({ applicationServerKey, userVisibleOnly }) {
    globalThis.wanted = { applicationServerKey, userVisibleOnly };
    return { toJSON: () => (${JSON.stringify(receiver.subscription)}) };
  }`);
  await page.getByRole("button", { name: "Notices on this device" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Notify this device" }).waitFor();
  assert.deepEqual(await allFaults(page), []);
  await dialog.getByRole("button", { name: "Notify this device" }).click();
  await dialog.getByText(", this one").waitFor();
  assert.deepEqual(await page.evaluate("wanted"), { applicationServerKey: publicKey, userVisibleOnly: true });
  await dialog.getByRole("button", { name: "Send a test" }).click();
  await until(() => receiver.received.length === 1, "the test");
  assert.deepEqual(problems, []);

  await until(() => Promise.resolve(page.context().serviceWorkers().length > 0), "the worker");
  const worker = page.context().serviceWorkers()[0] as Worker;
  const debug = await page.context().newCDPSession(page);
  let registrationId = "";
  debug.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    registrationId = registrations[0]?.registrationId ?? registrationId;
  });
  await debug.send("ServiceWorker.enable");
  await until(() => registrationId !== "", "the registration");
  const deliver = async (message: unknown): Promise<void> => {
    const data = JSON.stringify(message);
    await debug.send("ServiceWorker.deliverPushMessage", { origin: web.url, registrationId, data });
  };
  // The page is not open any more; what is left of it is a blank one that holds the debugger.
  await page.goto("about:blank");

  const script = `read -rp 'Remove all files? [y/N] ' answer; echo "answer=$answer"; read -r`;
  await home.ok("run", "-d", "--name", "files", "--", "bash", "--norc", "-c", script);
  await until(() => receiver.received.length === 2, "the question");
  await deliver(receiver.received[1]?.message);
  await until(async () => (await shownBy(worker)).length === 1, "the notification");
  const [asked] = (await shownBy(worker)) as [Shown];
  assert.match(asked.title, /files needs you/);
  assert.match(asked.body, /Remove all files\?/);
  assert.deepEqual(asked.actions, ["y", "N"]);
  const answers = receiver.received[1]?.message["answers"] as readonly { readonly id: string }[];
  await press(worker, answers[0]?.id ?? "");
  await until(async () => (await home.ok("logs", "files")).includes("answer=y"), "the answer");
  await until(async () => /^Answered: y \(push/.test((await shownBy(worker))[0]?.body ?? ""), "what became of it");

  // The same message once more, as a device shows it that was away.
  await deliver(receiver.received[1]?.message);
  await until(async () => (await shownBy(worker))[0]?.actions.length === 2, "the question again");
  await press(worker, answers[1]?.id ?? "");
  await until(async () => /^Answered.*y \(push/.test((await shownBy(worker))[0]?.body ?? ""), "who answered");

  await deliver(receiver.received[1]?.message);
  await until(async () => (await shownBy(worker))[0]?.actions.length === 2, "the question again");
  await until(() => receiver.received.some(({ message }) => message["type"] === "close"), "the daemon closes it");
  await deliver(receiver.received.find(({ message }) => message["type"] === "close")?.message);
  await until(async () => (await shownBy(worker)).length === 0, "it is closed");
  assert.deepEqual(receiver.faults, []);
});

test("the worker contacts nothing but its own origin", () => {
  const source = readFileSync(new URL("../../src/ui/worker/service-worker.ts", import.meta.url), "utf8");
  assert.doesNotMatch(source, /https?:\/\//);
  assert.deepEqual([...source.matchAll(/fetch\(([^,)]*)/g)].map(([, what]) => what).toSorted(), [
    "path",
    "request",
    "request",
  ]);
});
