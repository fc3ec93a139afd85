/** Each channel against a real HTTP server on loopback, which the configuration names. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { testNotice, type OutgoingNotice } from "../core/notice.ts";
import { readPrivateTargets } from "../core/read-settings.ts";
import type { ChannelSettings } from "../core/settings.ts";
import { openChannel } from "./channels/channel-kinds.ts";
import { NoticeReceiver, type ReceivedNotice } from "../../../../test/support/notice-receiver.ts";

const homeDirectory = mkdtempSync(join(tmpdir(), "lectern-channel-"));
const notice: OutgoingNotice = { ...testNotice("büro", 1000), id: "msg_1", url: null, question: null };
const KEY = Buffer.from("0123456789abcdef0123456789abcdef").toString("base64");

async function send(settings: ChannelSettings, privateTargets: readonly string[], signal?: AbortSignal) {
  const context = {
    homeDirectory,
    secret: (given: unknown) => String(given),
    privateTargets: () => readPrivateTargets(privateTargets),
    showInTerminals: () => 0,
  };
  const channel = openChannel("it", settings, context);
  return { channel, outcome: await channel.send(notice, signal ?? new AbortController().signal) };
}

test("a webhook is signed by its secret, and its receiver can verify it", async () => {
  await using receiver = await NoticeReceiver.start(204);
  const settings = {
    kind: "webhook",
    url: `http://${receiver.host}/hook`,
    secret: `whsec_${KEY}`,
    answers: false,
  } as const;
  const { outcome } = await send(settings, [receiver.host]);
  assert.equal(outcome.type, "sent");
  const [{ body, headers }] = receiver.received as [ReceivedNotice];
  const text = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  const expected = createHmac("sha256", Buffer.from(KEY, "base64")).update(text).digest("base64");
  assert.equal(headers["webhook-signature"], `v1,${expected}`);
  assert.equal(headers["webhook-id"], "msg_1");
  const wrong = await send({ ...settings, secret: "whsec_short" }, [receiver.host]);
  assert.equal(wrong.outcome.type, "refused");
});

test("ntfy gets its headers as UTF-8 and its token", async () => {
  await using receiver = await NoticeReceiver.start(200);
  const { outcome } = await send(
    { kind: "ntfy", url: `http://${receiver.host}/topic`, token: "tk_word", answers: true },
    [receiver.host],
  );
  assert.equal(outcome.type, "sent");
  const [{ body, headers, path }] = receiver.received as [ReceivedNotice];
  assert.equal(path, "/topic");
  assert.equal(headers["title"], "Lectern: test");
  assert.equal(headers.authorization, "Bearer tk_word");
  assert.match(body, /büro/);
});

test("the address of Slack and Discord is a secret: it is in no target and no reason", async () => {
  await using receiver = await NoticeReceiver.start(404);
  for (const kind of ["slack", "discord"] as const) {
    const url = `http://${receiver.host}/services/T0/B0/word`;
    const { channel, outcome } = await send({ kind, url }, [receiver.host]);
    assert.equal(outcome.type, "failed");
    assert.doesNotMatch(JSON.stringify([channel.target, outcome]), /services|word/);
    const refused = await send({ kind, url }, []);
    assert.equal(refused.outcome.type, "refused");
    assert.doesNotMatch(JSON.stringify(refused.outcome), /services|word/);
  }
});

test("a target that redirects, is gone, refuses or is private says what to do", async () => {
  const reasonOf = async (status: number, named = true, headers = {}): Promise<string> => {
    await using receiver = await NoticeReceiver.start(status, headers);
    const url = `http://${receiver.host}/hook`;
    const { outcome } = await send({ kind: "webhook", url, answers: false }, named ? [receiver.host] : []);
    assert.equal(receiver.received.length, named ? 1 : 0);
    return `${outcome.type}: ${outcome.type === "sent" ? outcome.detail : outcome.reason}`.replaceAll(
      receiver.host,
      "HOST",
    );
  };
  await using elsewhere = await NoticeReceiver.start(204);
  const location = { location: `http://${elsewhere.host}/` };
  assert.equal(
    await reasonOf(307, true, location),
    "refused: HOST redirects (307), which is not followed: configure the final address",
  );
  assert.deepEqual(elsewhere.received, []);
  assert.equal(await reasonOf(410), "gone: HOST answered 410: the target does not exist any more");
  assert.equal(await reasonOf(401), "failed: HOST answered 401 (answer of 401): check the token");
  assert.match(await reasonOf(204, false), /^refused: 127\.0\.0\.1 is a loopback address: add "127\.0\.0\.1" to/);
});

test("a target that does not answer or is not there is a failed attempt", async () => {
  await using hanging = await NoticeReceiver.start(0);
  const ended = new AbortController();
  const sending = send({ kind: "ntfy", url: `http://${hanging.host}/t`, answers: true }, [hanging.host], ended.signal);
  while (hanging.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
  ended.abort(new Error("ended"));
  assert.equal((await sending).outcome.type, "failed");
  const gone = await NoticeReceiver.start(200);
  const { host } = gone;
  await gone[Symbol.asyncDispose]();
  const { outcome } = await send({ kind: "ntfy", url: `http://${host}/t`, answers: true }, [host]);
  assert.deepEqual(outcome, { type: "failed", reason: `Cannot reach ${host}: nothing listens there` });
});

test("a command gets the notice as JSON, without variables of a session, and is killed at its time limit", async () => {
  const file = join(homeDirectory, "said");
  const command = ["sh", "-c", `cat > "$1"; env | grep -c ^LECTERN_ >> "$1"`, "sh", file];
  const settings = { kind: "command", command, timeoutMs: 60_000, answers: false } as const;
  process.env["LECTERN_SESSION"] = "s1";
  const { outcome } = await send(settings, []);
  delete process.env["LECTERN_SESSION"];
  // grep exits with 1 if it counts none.
  assert.deepEqual(outcome, { type: "failed", reason: '"sh" exited with 1' });
  const [json = "", count] = readFileSync(file, "utf8").trim().split("\n");
  assert.equal((JSON.parse(json) as { type: string }).type, "notify.test");
  assert.equal(count, "0");
  const killed = await send({ ...settings, command: ["sleep", "600"], timeoutMs: 50 }, []);
  assert.deepEqual(killed.outcome, { type: "failed", reason: '"sleep" was killed after 0.05 s' });
  const missing = await send({ ...settings, command: ["lectern-no-such-program"] }, []);
  assert.deepEqual(missing.outcome, {
    type: "failed",
    reason: 'Cannot start "lectern-no-such-program": it was not found',
  });
});

test("a desktop without a session bus and without terminals says what to do", async () => {
  const { DBUS_SESSION_BUS_ADDRESS: bus, XDG_RUNTIME_DIR: runtime } = process.env;
  delete process.env["DBUS_SESSION_BUS_ADDRESS"];
  delete process.env["XDG_RUNTIME_DIR"];
  const { outcome } = await send({ kind: "desktop", terminals: true }, []);
  if (bus !== undefined) process.env["DBUS_SESSION_BUS_ADDRESS"] = bus;
  if (runtime !== undefined) process.env["XDG_RUNTIME_DIR"] = runtime;
  assert.equal(outcome.type, "refused");
  assert.match(
    JSON.stringify(outcome),
    /no session bus and no attached terminal; start the daemon in a desktop session/,
  );
});
