/** Sessions of another machine, attached through the daemon here: two real daemons, and what happens when one of them does not answer. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Attachment, AttachmentOptions } from "../../src/client/attachment.ts";
import { encodeInput } from "../../src/protocol/attach-frames.ts";
import { AttachClient } from "../support/attach-client.ts";
import { linesUntil } from "../support/lines-until.ts";
import { TwoMachines } from "../support/two-machines.ts";
import { attachToBox, bytesOf, outputOf } from "../support/machine-attachment.ts";
import { until } from "../support/until.ts";

const two = await TwoMachines.start();
after(() => two[Symbol.asyncDispose]());
const { transport, client, box } = two;

const FLOOD_BYTES = 20_000_000;
/** More than the daemon here holds for a machine, and less than a session takes at once. */
const PASTE_BYTES = 900_000;

const attach = (session: string, query: string, options: AttachmentOptions = {}): Attachment =>
  attachToBox(transport, session, query, options);

const outputThere = async (session: string): Promise<Buffer> => await bytesOf(box.client, session);

test("what is typed arrives there, and what is printed here; the exit ends it", async () => {
  await box.client.call("sessions.create", { command: ["cat"], name: "echo" });
  await using attachment = attach("echo", "");
  await attachment.attached;
  await attachment.write(Buffer.from("pomegranate\n\u0004"));
  assert.match((await outputOf(attachment)).toString(), /pomegranate\r\npomegranate/);
  assert.partialDeepStrictEqual(attachment.ended, {
    reason: "exit",
    exit: { reason: "exited", code: 0, signal: null },
  });
});

test("a flood of 20 MB comes whole, to a reader that pauses, too", async () => {
  const command: [string, ...string[]] = ["sh", "-c", `yes pomegranate | head -c ${FLOOD_BYTES}`];
  await box.client.call("sessions.create", { command, name: "flood" });
  await using attachment = attach("flood", "lossless=true", { from: 0, bufferBytesMax: 65_536 });
  const chunks: Uint8Array[] = [];
  for await (const item of attachment) {
    if (item.type === "output") chunks.push(item.bytes);
    if (chunks.length % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const [here, there] = [Buffer.concat(chunks), await outputThere("flood")];
  assert.ok(here.length >= FLOOD_BYTES);
  assert.ok(here.equals(there));
});

test("a large paste arrives there whole", async () => {
  const command: [string, ...string[]] = ["sh", "-c", `stty raw -echo; echo ready; head -c ${PASTE_BYTES} | sha1sum`];
  await box.client.call("sessions.create", { command, name: "paste" });
  await box.client.call("sessions.wait", { session: "paste", for: { type: "output", pattern: "ready" }, from: 0 });
  await using attachment = attach("paste", "", { from: 0 });
  const output = outputOf(attachment);
  const text = Buffer.alloc(PASTE_BYTES, "0123456789");
  await attachment.write(text);
  assert.match((await output).toString(), new RegExp(createHash("sha1").update(text).digest("hex")));
});

test("a daemon there that is killed costs a pause: the attachment resumes, and no line is lost", async () => {
  const go = join(box.directory, "go");
  await box.client.call("sessions.create", { command: ["sh", "-c", linesUntil(go)], name: "lines" });
  await using attachment = attach("lines", "lossless=true", { from: 0 });
  const seen: string[] = [];
  const chunks: Uint8Array[] = [];
  let killed: Promise<void> | undefined;
  for await (const item of attachment) {
    if (item.type === "output") chunks.push(item.bytes);
    else if (item.type !== "mark") seen.push(item.type);
    if (item.type === "disconnected") writeFileSync(go, "");
    killed ??=
      item.type === "output"
        ? box.crashDaemon().then(async () => void (await box.ok("up", "--detach", "--no-tcp")))
        : undefined;
  }
  await killed;
  assert.deepEqual(seen, ["disconnected", "reconnected", "exit"]);
  assert.ok(Buffer.concat(chunks).equals(await outputThere("lines")));
});

test("the end of a link is a close after which clients connect again", async () => {
  await box.client.call("sessions.create", { command: ["cat"], name: "cut" });
  const address = `${two.url.replace("http", "ws")}/v1/machines/box/sessions/cut/attach`;
  using socket = new AttachClient(address, await two.token("admin"));
  await socket.until(() => socket.ofType("attached").length > 0);
  await box.crashDaemon();
  assert.equal(await socket.closed, 1012);
  await box.startDaemon("--no-tcp");
});

test("what a client types for a machine that hangs stays with the client", async () => {
  const info = await box.info();
  assert.ok(info);
  await box.client.call("sessions.create", { command: ["cat"], name: "deaf" });
  const address = `${two.url.replace("http", "ws")}/v1/machines/box/sessions/deaf/attach`;
  using typist = new AttachClient(address, await two.token("admin"));
  await typist.until(() => typist.ofType("attached").length > 0);
  process.kill(info.pid, "SIGSTOP");
  try {
    for (let frame = 0; frame < 600; frame += 1) typist.socket.send(encodeInput(Buffer.alloc(60_000)));
    const waiting: number[] = [];
    // It does not move any more.
    await until(() => {
      waiting.push(typist.socket.bufferedAmount);
      return new Set(waiting.slice(-50)).size === 1 && waiting.length > 50;
    });
    assert.ok((waiting.at(-1) ?? 0) > 10_000_000, `${waiting.at(-1)} of 36,000,000 bytes`);
  } finally {
    process.kill(info.pid, "SIGCONT");
  }
});

test("a machine that hangs costs only its own requests", async () => {
  const info = await box.info();
  assert.ok(info);
  await box.client.call("sessions.create", { command: ["cat"], name: "held" });
  await using attachment = attach("held", "");
  await attachment.attached;
  process.kill(info.pid, "SIGSTOP");
  try {
    const abort = new AbortController();
    const { signal } = abort;
    const statusOf = async (given: AbortSignal): Promise<number> => {
      const asked = { method: "GET", path: "/v1/machines/box/sessions", headers: {}, signal: given };
      const response = await transport.request(asked).catch(() => undefined);
      response?.cancel();
      return response?.status ?? 0;
    };
    const results = Array.from({ length: 300 }, async () => await statusOf(signal));
    let refused = 0;
    for (const result of results) void result.then((status) => (refused += status === 429 ? 1 : 0));
    await until(() => refused >= 40);
    assert.deepEqual((await client.call("sessions.list", {})).sessions, []);
    assert.equal((await client.call("machines.list", {})).machines.length, 1);
    abort.abort();
    await Promise.all(results);
    // The daemon here may hear of some that were aborted later than of the next one.
    const waiting = (async (): Promise<number> => {
      for (;;) {
        const status = await statusOf(new AbortController().signal);
        if (status !== 429) return status;
      }
    })();
    process.kill(info.pid, "SIGCONT");
    assert.equal(await waiting, 200);
  } finally {
    process.kill(info.pid, "SIGCONT");
  }
});
