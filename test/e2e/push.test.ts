/** Web Push from a real daemon, about real programs, to a push service of the test's own that verifies and decrypts by the specification. */
import assert from "node:assert/strict";
import { mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DaemonConfig } from "../../src/daemon/config/daemon-config.ts";
import { PushReceiver } from "../support/push-receiver.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";

const QUESTION = ["bash", "--norc", "-c", `read -rp 'Remove all files? [y/N] ' answer; echo "answer=$answer"; read -r`];

interface Answer {
  readonly label: string;
  readonly path: string;
}

/** A daemon that may push to these hosts of loopback, without any rule. */
async function startFor(hosts: readonly string[]): Promise<TemporaryDaemon> {
  const home = mkdtempSync(join(tmpdir(), "lectern-test-"));
  const file = join(home, "lectern.yaml");
  writeFileSync(file, JSON.stringify({ notify: { privateTargets: hosts } }));
  return await TemporaryDaemon.start(home, { config: await DaemonConfig.open(file, {}) });
}

async function subscribe(daemon: TemporaryDaemon, receiver: PushReceiver): Promise<string> {
  receiver.applicationServerKey = (await daemon.call("push.list", {})).publicKey;
  return (await daemon.call("push.subscribe", { ...receiver.subscription, label: "Phone" })).id;
}

test("a question is pushed, encrypted and signed; its button answers once, and it is taken off the other device", async () => {
  await using phone = await PushReceiver.start();
  await using tablet = await PushReceiver.start();
  await using daemon = await startFor([phone.host, tablet.host]);
  const device = await subscribe(daemon, phone);
  await subscribe(daemon, tablet);
  const { id } = await daemon.run(QUESTION, { name: "files" });
  await until(() => phone.received.length > 0 && tablet.received.length > 0);
  const [{ bytes, headers, message }] = phone.received as [PushReceiver["received"][number]];
  assert.deepEqual([message["type"], message["tag"], message["path"]], ["show", id, `/s/${id}`]);
  assert.match(String(message["body"]), /Remove all files\?/);
  assert.equal(headers["urgency"], "high");
  assert.match(String(headers["topic"]), /^[\w-]{32}$/);
  assert.ok(bytes <= 4096);

  const [yes, no] = message["answers"] as [Answer, Answer];
  assert.deepEqual([yes.label, no.label], ["y", "N"]);
  const { answerLink } = daemon.running.service;
  const answer = async ({ path }: Answer) => await answerLink(path.split("/").at(-1) ?? "", true);
  const first = await answer(yes);
  assert.match(first.type === "end" ? first.text : "", /^Answered: y \(push \(Phone\)/);
  await until(async () => (await daemon.outputOf(id)).includes("answer=y"));
  const second = await answer(no);
  assert.match(second.type === "end" ? second.text : "", /^Answered.*y \(push/);
  await until(() => tablet.received.some((push) => push.message["type"] === "close"));
  assert.equal(tablet.received.at(-1)?.message["tag"], id);
  assert.equal(tablet.received.at(-1)?.headers["topic"], headers["topic"], "it takes the place of the question");
  assert.ok(
    phone.received.every((push) => push.message["type"] === "show"),
    "the phone shows its answer",
  );
  assert.deepEqual([...phone.faults, ...tablet.faults], []);

  // A push service that knows the browser no more: it is forgotten.
  phone.status = 410;
  assert.equal((await daemon.call("notify.test", { channel: `push/${device}` })).sent, false);
  await daemon.run(QUESTION, { name: "more" });
  await until(async () => (await daemon.call("push.list", {})).devices.length === 1);
});

test("keys and devices are private, outlive the daemon, and an endpoint that nobody named is refused", async () => {
  await using phone = await PushReceiver.start();
  await using daemon = await startFor([phone.host]);
  const device = await subscribe(daemon, phone);
  const files = ["push-key.pem", "push-subscriptions.json"].map((name) => join(daemon.paths.dataDirectory, name));
  assert.deepEqual(
    files.map((path) => statSync(path).mode & 0o777),
    [0o600, 0o600],
  );
  await daemon.restart();
  assert.equal((await daemon.call("push.list", {})).publicKey, phone.applicationServerKey);
  assert.equal((await daemon.call("notify.test", { channel: `push/${device}` })).sent, true);
  assert.equal(phone.received.at(-1)?.message["title"], "Lectern: test");

  const { keys } = phone.subscription;
  for (const [endpoint, reason] of [
    ["https://127.0.0.1:1/push", /127\.0\.0\.1 is a loopback address/],
    ["https://10.1.2.3/push", /private/],
    ["https://169.254.169.254/push", /link-local/],
    ["http://push.example/push", /not an https address/],
    ["javascript:alert(1)", /not an https address/],
  ] as const) {
    await assert.rejects(daemon.call("push.subscribe", { endpoint, keys }), reason, endpoint);
  }
  const wrong = { ...keys, p256dh: Buffer.alloc(65, 4).toString("base64url") };
  await assert.rejects(daemon.call("push.subscribe", { ...phone.subscription, keys: wrong }), /RFC 8291/);
  await daemon.call("push.unsubscribe", { device });
  assert.deepEqual((await daemon.call("push.list", {})).devices, []);
  await assert.rejects(daemon.call("push.unsubscribe", { device }), /Cannot find device/);
});

test("a damaged file of devices is reported, and other notices go on", async () => {
  const home = await startFor([]);
  const { dataDirectory } = home.paths;
  writeFileSync(join(dataDirectory, "push-subscriptions.json"), "{", { mode: 0o600 });
  await using daemon = home;
  await assert.rejects(daemon.call("push.list", {}), /Cannot read the devices/);
  assert.deepEqual((await daemon.call("notify.list", {})).channels, []);
  assert.match((await daemon.call("daemon.info", {})).problems.join("\n"), /Cannot read the devices/);
});
