/** Attach over WebSocket: order, resume, slow readers, the keyboard, and how it ends. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { after, test } from "node:test";
import { encodeInput, encodeNumberedInput, type ClientMessage } from "../src/protocol/attach-frames.ts";
import { AttachClient } from "./support/attach-client.ts";
import { tokens } from "./support/memory-service.ts";
import { startMemoryServer } from "./support/memory-server.ts";
import { until } from "./support/until.ts";

const KIB = 1024;
const limits = {
  sendBufferBytesMax: 64 * KIB,
  lagBytesMax: 512 * KIB,
  ackWindowBytes: 128 * KIB,
  inputBytesMax: 64 * KIB,
};
const memory = await startMemoryServer({ limits });
after(() => memory[Symbol.asyncDispose]());
const { service, port } = memory;

const addressOf = (session: string, query = ""): string =>
  `ws://127.0.0.1:${port}/v1/sessions/${session}/attach${query}`;
const say = (client: AttachClient, message: ClientMessage): void => client.socket.send(JSON.stringify(message));

test("a client gets `attached`, then the records in order, then `exit` and close 1000", async () => {
  const session = service.add("order");
  session.print("one ");
  using client = new AttachClient(addressOf("order", "?from=0"));
  await client.until(() => client.frames.length >= 2);
  session.resize(100, 40);
  session.print("two");
  session.finish();
  assert.equal(await client.closed, 1000);
  assert.deepEqual(
    client.frames.map((frame) => frame.type),
    ["attached", "output", "resize", "output", "exit"],
  );
  assert.equal(client.output.toString(), "one two");
  assert.deepEqual(client.frames[0], {
    type: "attached",
    session: session.id,
    offset: 0,
    columns: 80,
    rows: 24,
    readOnly: false,
    confirmsInput: true,
  });
});

test("a client that resumes at any offset gets the rest, exactly", async () => {
  const session = service.add("resume");
  for (const text of ["abc", "de", "f\u{1F600}g"]) session.print(text);
  session.finish();
  const offsets = Array.from({ length: session.end + 1 }, (_, offset) => offset);
  const inMarks = session.records.at(-1)!.offset;
  for (const offset of offsets.filter((candidate) => candidate <= inMarks || candidate === session.end)) {
    using client = new AttachClient(addressOf("resume", `?from=${offset}`));
    assert.equal(await client.closed, 1000);
    assert.deepEqual(client.output, session.outputFrom(offset), `from ${offset}`);
    assert.equal(client.ofType("exit").length, offset === session.end ? 0 : 1);
  }
});

test("a client without an offset starts with the tail where there is none", async () => {
  const session = service.add("tail");
  session.print("0123456789");
  session.finish();
  using client = new AttachClient(addressOf("tail", `?tailBytes=${session.records[1]!.payload.length + 4}`));
  await client.closed;
  assert.equal(client.output.toString(), "6789");
});

/** Prints pieces until the socket of a paused client and its server are full and the session is `bytes` further. */
async function flood(session: ReturnType<typeof service.add>, bytes: number): Promise<void> {
  const piece = randomBytes(16 * KIB);
  const target = session.end + bytes;
  while (session.end < target) {
    session.print(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a reader that falls behind gets a gap and a snapshot, and what follows is exact", async () => {
  const session = service.add("slow");
  session.snapshot = () => ({ offset: session.end, columns: 80, rows: 24, text: "screen" });
  using client = new AttachClient(addressOf("slow", "?from=0"));
  await client.until(() => client.frames.length > 0);
  client.socket.pause();
  await flood(session, 24 * KIB * KIB);
  const [cursor] = session.cursors;
  assert.ok(cursor!.offset < session.end - limits.lagBytesMax, "the kernel took everything");
  client.socket.resume();
  await client.until(() => client.ofType("snapshot").length > 0);
  session.print("the end");
  session.finish();
  assert.equal(await client.closed, 1000);
  assertContinuous(client, session);
  assert.ok(client.output.length < session.end / 2, "it was skipped");
});

test("a reader that falls behind gets a gap and the tail where there is no snapshot", async () => {
  const session = service.add("slow-tail");
  using client = new AttachClient(addressOf("slow-tail", "?from=0"));
  await client.until(() => client.frames.length > 0);
  client.socket.pause();
  await flood(session, 24 * KIB * KIB);
  client.socket.resume();
  await client.until(() => client.ofType("gap").length > 0);
  session.finish();
  assert.equal(await client.closed, 1000);
  assertContinuous(client, session);
});

test("a lossless reader gets everything, however slow it is", async () => {
  const session = service.add("lossless");
  using client = new AttachClient(addressOf("lossless", "?from=0&lossless=true"));
  await client.until(() => client.frames.length > 0);
  client.socket.pause();
  await flood(session, 16 * KIB * KIB);
  client.socket.resume();
  session.finish();
  assert.equal(await client.closed, 1000);
  assert.equal(client.ofType("gap").length, 0);
  assert.ok(client.output.equals(session.outputFrom(0)));
});

test("history that a client asked for is not skipped", async () => {
  const session = service.add("history");
  session.print(randomBytes(4 * KIB * KIB));
  session.finish();
  using client = new AttachClient(addressOf("history", "?from=0"));
  await client.closed;
  assert.equal(client.ofType("gap").length, 0);
  assert.ok(client.output.equals(session.outputFrom(0)));
});

/** Every output frame, gap and snapshot starts where the one before ended, and the bytes are those of the journal. */
function assertContinuous(client: AttachClient, session: ReturnType<typeof service.add>): void {
  let next = 0;
  const whole = session.outputFrom(0);
  for (const frame of client.frames) {
    if (frame.type === "output") {
      assert.equal(frame.offset, next);
      assert.ok(whole.subarray(next, next + frame.bytes.length).equals(frame.bytes));
      next += frame.bytes.length;
    } else if (frame.type === "gap" && "to" in frame) {
      assert.equal(frame.offset, next);
      assert.ok(frame.to > frame.offset);
      next = frame.to;
    } else if (frame.type === "snapshot") {
      assert.equal(frame.offset, next);
    }
  }
  assert.equal(next, whole.length);
}

test("a client that never reads costs the server one buffer", async () => {
  const session = service.add("stalled");
  using client = new AttachClient(addressOf("stalled", "?from=0&lossless=true"));
  await client.until(() => client.frames.length > 0);
  client.socket.pause();
  const [cursor] = session.cursors;
  // The kernel's buffers may grow for a while.
  for (let stoppedAt = -1; cursor!.offset !== stoppedAt;) {
    stoppedAt = cursor!.offset;
    assert.ok(session.end < 100 * KIB * KIB, `${stoppedAt} bytes were taken`);
    await flood(session, 4 * KIB * KIB);
  }
  client.socket.resume();
});

test("a client that acknowledges has at most one window in flight", async () => {
  const session = service.add("window");
  using client = new AttachClient(addressOf("window", "?from=0&lossless=true"));
  await client.until(() => client.frames.length > 0);
  say(client, { type: "ack", offset: 0 });
  // An answer to a message behind the ack says that the ack was read.
  say(client, { type: "signal", name: "x" });
  await client.until(() => client.ofType("error").length > 0);
  const piece = randomBytes(KIB);
  for (let index = 0; index < 1024; index += 1) session.print(piece);
  await client.until(() => client.output.length >= limits.ackWindowBytes);
  const [cursor] = session.cursors;
  assert.equal(cursor!.offset, limits.ackWindowBytes);
  say(client, { type: "ack", offset: 100 * KIB });
  await client.until(() => client.output.length >= limits.ackWindowBytes + 100 * KIB);
  assert.equal(cursor!.offset, limits.ackWindowBytes + 100 * KIB);
  say(client, { type: "ack", offset: 10 * KIB });
  say(client, { type: "ack", offset: 2 ** 40 });
  say(client, { type: "ack", offset: cursor!.offset });
  await client.until(() => client.output.length >= 2 * limits.ackWindowBytes + 100 * KIB);
});

test("input, resizes and signals reach the program in the order they were sent", async () => {
  const session = service.add("input");
  using client = new AttachClient(addressOf("input", "?from=0"));
  await client.until(() => client.frames.length > 0);
  for (let index = 0; index < 200; index += 1) client.socket.send(encodeInput(Buffer.from(`${index} `)));
  say(client, { type: "resize", columns: 90, rows: 20 });
  client.socket.send(encodeInput(Buffer.from("end")));
  say(client, { type: "signal", name: "INT" });
  assert.equal(await client.closed, 1000);
  const typed = session.records.filter((record) => record.type === "input").map((record) => record.payload);
  const wanted = `${Array.from({ length: 200 }, (_, index) => `${index} `).join("")}end`;
  assert.equal(Buffer.concat(typed).toString(), wanted);
  assert.deepEqual(
    session.records.slice(-4).map((record) => record.type),
    ["resize", "input", "output", "exit"],
  );
});

test("input that the program does not take is bounded, and the client is told", async () => {
  const session = service.add("stuck");
  const { promise, resolve } = Promise.withResolvers<void>();
  session.blockInput = promise;
  using client = new AttachClient(addressOf("stuck", "?from=0"));
  await client.until(() => client.frames.length > 0);
  for (let index = 0; index < 10; index += 1) client.socket.send(encodeInput(Buffer.alloc(16 * KIB, index)));
  await client.until(() => client.ofType("error").length === 7);
  assert.equal(client.ofType("error")[0]!.code, "LIMIT_EXCEEDED");
  resolve();
  await client.until(() => client.ofType("input").length === 3);
  assert.deepEqual(
    session.records.filter((record) => record.type === "input").map((record) => record.payload[0]),
    [0, 1, 2],
  );
});

test("between two of many short messages others have their turn", async () => {
  const session = service.add("short");
  using client = new AttachClient(addressOf("short", "?from=0"));
  await client.until(() => client.frames.length > 0);
  let turn = 0;
  const count = (): void => {
    turn += 1;
    if (client.ofType("taken").length < 500) setImmediate(count);
  };
  setImmediate(count);
  const turns = new Set<number>();
  client.socket.on("message", () => turns.add(turn));
  for (let number = 1; number <= 500; number += 1) client.socket.send(encodeNumberedInput(number, Buffer.from("a")));
  await client.until(() => client.ofType("taken").length === 500);
  assert.ok(turns.size > 100, `500 messages in ${turns.size} turns`);
  assert.equal(session.records.filter(({ type }) => type === "input").length, 500);
});

test("numbered input is confirmed when the host has it, and after a refused part the rest of the write is dropped", async () => {
  const session = service.add("numbered");
  const { promise, resolve } = Promise.withResolvers<void>();
  session.blockInput = promise;
  using client = new AttachClient(addressOf("numbered", "?from=0"));
  await client.until(() => client.frames.length > 0);
  for (let index = 0; index < 6; index += 1)
    client.socket.send(encodeNumberedInput(index < 1 ? 7 : 8, Buffer.alloc(16 * KIB, index)));
  await client.until(() => client.ofType("error").length === 1);
  assert.deepEqual(client.ofType("error")[0]!.input, 8);
  assert.equal(client.ofType("taken").length, 0);
  resolve();
  await client.until(() => client.ofType("taken").length === 1);
  assert.deepEqual(client.ofType("taken"), [{ type: "taken", input: 7, bytes: 16 * KIB }]);
  client.socket.send(encodeNumberedInput(9, Buffer.from("next")));
  await client.until(() => client.ofType("taken").length === 2);
  const typed = session.records.filter((record) => record.type === "input").map((record) => record.payload);
  assert.deepEqual([typed.length, typed.at(-1)?.toString()], [2, "next"]);
});

test("what was typed before a detach is delivered", async () => {
  const session = service.add("detach");
  const client = new AttachClient(addressOf("detach", "?from=0"));
  await client.until(() => client.frames.length > 0);
  const { promise, resolve } = Promise.withResolvers<void>();
  session.blockInput = promise;
  client.socket.send(encodeInput(Buffer.from("first")));
  client.socket.send(encodeInput(Buffer.from("second")));
  client.socket.close();
  await client.closed;
  resolve();
  await until(() => session.cursors.size === 0);
  const typed = session.records.filter((record) => record.type === "input").map((record) => record.payload);
  assert.equal(Buffer.concat(typed).toString(), "firstsecond");
});

for (const [name, token, query] of [
  ["a read-only attachment", tokens.write, "?readOnly=true"],
  ["a token for reading", tokens.read, ""],
] as const) {
  test(`${name} cannot type, resize or signal, and stays attached`, async () => {
    const session = service.add(`reader-${token.slice(0, 4)}`);
    using client = new AttachClient(addressOf(session.name, query), token);
    await client.until(() => client.frames.length > 0);
    assert.equal(client.ofType("attached")[0]!.readOnly, true);
    client.socket.send(encodeInput(Buffer.from("x")));
    say(client, { type: "resize", columns: 1, rows: 1 });
    say(client, { type: "signal", name: "INT" });
    await client.until(() => client.ofType("error").length === 3);
    assert.deepEqual(new Set(client.ofType("error").map(({ code }) => code)), new Set(["FORBIDDEN"]));
    session.finish();
    assert.equal(await client.closed, 1000);
    assert.equal(session.records.length, 1);
  });
}

test("a token for one session attaches to that one and to no other", async () => {
  service.add("other");
  using client = new AttachClient(addressOf("one"), tokens.one);
  await client.until(() => client.frames.length > 0);
  const refused = new AttachClient(addressOf("other"), tokens.one);
  await assert.rejects(refused.closed, /403/);
});

test("sizes and signals that no terminal has are refused with a message", async () => {
  using client = new AttachClient(addressOf("one"));
  await client.until(() => client.frames.length > 0);
  for (const columns of [0, -1, 1e9, 1.5]) say(client, { type: "resize", columns, rows: 1 });
  say(client, { type: "signal", name: "KILL;ls" });
  await client.until(() => client.ofType("error").length === 5);
  assert.deepEqual(new Set(client.ofType("error").map(({ code }) => code)), new Set(["INVALID_INPUT"]));
});

const breaches: readonly [string, number, (client: AttachClient) => void][] = [
  ["A47 a frame of 70 KB", 1009, ({ socket }) => socket.send(encodeInput(Buffer.alloc(70_000)))],
  ["A48 broken JSON", 1007, ({ socket }) => socket.send('{"type":')],
  ["A49 an unknown type", 1003, ({ socket }) => socket.send('{"type":"shutdown"}')],
  ["a type from the prototype", 1003, ({ socket }) => socket.send('{"type":"constructor"}')],
  ["a binary frame of an unknown type", 1003, ({ socket }) => socket.send(Buffer.of(9, 1))],
  ["A50 an unmasked frame", 1002, ({ socket }) => socket.send("{}", { mask: false })],
  ["A51 invalid UTF-8", 1007, ({ socket }) => socket.send(Buffer.of(0xc3, 0x28), { binary: false })],
];
for (const [name, code, breach] of breaches) {
  test(`${name} closes the connection with ${code}`, async () => {
    using client = new AttachClient(addressOf("one"));
    await client.until(() => client.frames.length > 0);
    breach(client);
    assert.equal(await client.closed, code);
  });
}

test("a peer that answers no ping is dead after two", async () => {
  await using strict = await startMemoryServer({ limits: { pingMs: 20 } });
  const socket = connect(strict.port, "127.0.0.1");
  const lines = [
    "GET /v1/sessions/one/attach HTTP/1.1",
    `Host: 127.0.0.1:${strict.port}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    "Sec-WebSocket-Protocol: lectern.v1",
    `Authorization: Bearer ${tokens.read}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  let received = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
  });
  await new Promise((resolve) => void socket.once("close", resolve));
  const frames = received.subarray(received.indexOf("\r\n\r\n") + 4);
  const pings = frames.toString("latin1").split("\u0089\0").length - 1;
  assert.equal(pings, 2);
});

test("a client that reads nothing while bytes wait is closed with 1013", async () => {
  await using strict = await startMemoryServer({ limits: { stallMs: 100, closeMs: 50 } });
  const session = strict.service.add("stalled");
  using client = new AttachClient(`ws://127.0.0.1:${strict.port}/v1/sessions/stalled/attach?from=0`);
  await client.until(() => client.frames.length > 0);
  client.socket.pause();
  await flood(session, 16 * KIB * KIB);
  await until(() => session.cursors.size === 0);
  client.socket.resume();
  assert.ok([1006, 1013].includes(await client.closed));
});

test("the end of the daemon closes with 1001", async () => {
  const ending = await startMemoryServer();
  using client = new AttachClient(`ws://127.0.0.1:${ending.port}/v1/sessions/one/attach`);
  await client.until(() => client.frames.length > 0);
  await ending.server.close();
  assert.equal(await client.closed, 1001);
});

test("a server ends although a client answers no goodbye, and takes no new one while it ends", async () => {
  const ending = await startMemoryServer({ limits: { ...limits, closeMs: 600_000 } });
  ending.service.add("mute");
  const mute = connect(ending.port, "127.0.0.1");
  const head = [
    "GET /v1/sessions/mute/attach HTTP/1.1",
    `host: 127.0.0.1:${ending.port}`,
    `authorization: Bearer ${tokens.admin}`,
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    `sec-websocket-key: ${randomBytes(16).toString("base64")}`,
    "sec-websocket-protocol: lectern.v1",
  ];
  mute.write(`${head.join("\r\n")}\r\n\r\n`);
  await new Promise((resolve) => mute.once("data", resolve));
  const closed = new Promise((resolve) => mute.once("close", resolve));
  mute.on("error", () => undefined).resume();
  await ending[Symbol.asyncDispose]();
  await closed;
});
