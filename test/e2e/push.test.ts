/** Web Push from a real daemon, about real programs, to a push service of the test's own that verifies and decrypts by the specification. */
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { DaemonConfig } from "../../src/daemon/config/daemon-config.ts";
import { PushReceiver } from "../support/push-receiver.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";
import { CliHome } from "./cli-home.ts";

const QUESTION = ["bash", "--norc", "-c", `read -rp 'Remove all files? [y/N] ' answer; echo "answer=$answer"; read -r`];

/** Takes its question back at a signal. */
const WITHDRAWN = [
  "python3",
  "-c",
  `import signal, time
signal.signal(signal.SIGUSR1, lambda *_: 1 / 0)
try: input("Remove all files? [y/N] ")
except ZeroDivisionError: print("no answer came", flush=True)
time.sleep(600)`,
];

/** How many questions are on devices, as the daemon has noted it. The daemon locks its file, so a copy is read; undefined if that is not whole. */
function shownIn(notifyFile: string): unknown {
  const directory = mkdtempSync(join(tmpdir(), "lct-notify-"));
  const copy = join(directory, "notify.db");
  try {
    for (const end of ["", "-wal"]) copyFileSync(`${notifyFile}${end}`, `${copy}${end}`);
    const database = new DatabaseSync(copy);
    try {
      return database.prepare("SELECT count(*) AS count FROM shown").get()?.["count"];
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

interface Answer {
  readonly label: string;
  readonly path: string;
}

/** A daemon that may push to these hosts of loopback, without any rule. */
async function startFor(hosts: readonly string[]): Promise<TemporaryDaemon> {
  const home = mkdtempSync(join(tmpdir(), "lectern-test-"));
  const file = join(home, "lectern.yaml");
  writeFileSync(file, JSON.stringify({ notify: { privateTargets: hosts } }));
  return await TemporaryDaemon.start(home, {
    config: await DaemonConfig.open(file, {}),
    times: { deviceAfterMs: 100 },
  });
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
  const other = await subscribe(daemon, tablet);
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
  const tested = await daemon.call("notify.test", { channel: `push/${device}` });
  assert.deepEqual([tested.sent, tested.hasLinks], [false, true]);
  const renewed = Promise.withResolvers<void>();
  tablet.until = renewed.promise;
  const more = await daemon.run(QUESTION, { name: "more" });
  await until(async () => (await daemon.call("push.list", {})).devices.length === 1);
  assert.deepEqual((await daemon.call("push.list", {})).gone, [device]);
  await until(() => tablet.received.at(-1)?.message["tag"] === more.id, "the tablet shows it");
  // Its browser subscribes again, and so does that of the tablet while its push service has yet to answer: what it has shown is taken off at its new address.
  phone.status = 201;
  await daemon.call("push.subscribe", { ...phone.subscription, replaces: other });
  renewed.resolve();
  assert.deepEqual(
    (await daemon.call("push.list", {})).devices.map(({ id: each }) => each),
    [device],
  );
  await daemon.call("sessions.input", { session: more.id, text: "y\r" });
  await until(() => phone.received.at(-1)?.message["type"] === "close", "it is taken off");
  assert.equal(tablet.received.at(-1)?.message["type"], "show");
  assert.deepEqual((await daemon.call("push.list", {})).gone, []);
});

test("what a killed daemon has sent is taken off by the next one, once, when it has ended, but not what still waits", async () => {
  await using phone = await PushReceiver.start();
  await using tablet = await PushReceiver.start();
  await using home = new CliHome();
  const { client } = home;
  const devices = [phone, tablet];
  const start = async (): Promise<string> => {
    const { listen } = JSON.parse(await home.ok("up", "--detach", "--port", "0", "--json")) as { listen: string[] };
    return listen.find((where) => where.startsWith("http")) ?? "";
  };
  await start();
  const rules = [{ on: ["blocked"], after: "0s", content: "question", to: ["push"] }];
  const settings = { notify: { privateTargets: devices.map(({ host }) => host), rules } };
  writeFileSync(join(home.paths.dataDirectory, "lectern.yaml"), JSON.stringify(settings));
  await home.ok("reload");
  for (const device of devices) {
    device.applicationServerKey = (await client.call("push.list", {})).publicKey;
    await client.call("push.subscribe", device.subscription);
  }
  const messages = ({ received }: PushReceiver, type: string) =>
    received.map(({ message }) => message).filter((message) => message["type"] === type);
  const takenOff = (device: PushReceiver) =>
    messages(device, "close").map(({ title }) => String(title).split(" ", 1).join(""));
  const ask = async (name: string, [program = "", ...words] = QUESTION) => {
    const { id, pid } = await client.call("sessions.create", { name, command: [program, ...words] });
    const shown = (device: PushReceiver) => messages(device, "show").find(({ tag }) => tag === id);
    await until(() => devices.every((device) => shown(device) !== undefined), `${name} is shown`);
    return { pid: pid ?? 0, onPhone: shown(phone)?.["answers"] as [Answer, Answer] };
  };
  await ask("waiting");
  const ended = await ask("ended");
  const withdrawn = await ask("withdrawn", WITHDRAWN);
  const { onPhone } = await ask("pressed");
  const listed = async () => (await client.call("approvals.list", {})).approvals;

  // What was on its way, and what was taken off and not noted, is sent again by the next daemon.
  const isNoted = async () => (await client.call("notify.list", {})).notices.every(({ state }) => state === "sent");
  await until(isNoted, "the daemon has noted what it has sent");
  await home.crashDaemon();
  process.kill(ended.pid, "SIGKILL");
  process.kill(withdrawn.pid, "SIGUSR1");
  const url = await start();
  await until(() => devices.every((device) => takenOff(device).length > 1), "what has ended is taken off");
  await until(async () => (await listed()).length === 2, "the others wait");
  for (const device of devices) assert.deepEqual(takenOff(device).toSorted(), ["ended", "withdrawn"]);
  const waiting = await client.call("approvals.list", { session: "waiting" });
  await home.ok("approve", "waiting", waiting.approvals[0]?.id ?? "", "n");
  assert.equal((await fetch(`${url}${onPhone[0].path}`, { method: "POST" })).status, 200);
  await until(() => takenOff(tablet).length === 4 && takenOff(phone).length === 3, "the others are taken off");
  assert.deepEqual(takenOff(tablet).toSorted(), ["ended", "pressed", "waiting", "withdrawn"]);
  assert.equal(takenOff(phone).includes("pressed"), false, "the phone shows its answer");

  const { notifyFile } = home.paths;
  await until(() => shownIn(notifyFile) === 0, "the daemon has noted what it has taken off");
  await home.crashDaemon();
  await start();
  for (const { id } of (await client.call("push.list", {})).devices) await home.ok("notify", "test", `push/${id}`);
  await until(() => devices.every((device) => device.received.at(-1)?.message["title"] === "Lectern: test"), "a test");
  assert.deepEqual([takenOff(tablet).length, takenOff(phone).length], [4, 3]);
  assert.deepEqual([...phone.faults, ...tablet.faults], []);
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
