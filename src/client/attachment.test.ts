import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternError } from "../core/errors.ts";
import { decodeInput, decodeNumberedInput, encodeBinaryFrame, type ServerMessage } from "../protocol/attach-frames.ts";
import { Attachment, type AttachmentOptions } from "./attachment.ts";
import type { AttachmentItem } from "./item-queue.ts";
import type { SocketHandlers, TransportSocket } from "./transport.ts";

/** A server with one session, whose connections the test makes and breaks. */
class FakeServer {
  readonly asked: (number | undefined)[] = [];
  readonly said: unknown[] = [];
  typed = "";
  /** Of numbered input, frame by frame. */
  readonly numbers: number[] = [];
  onNumbered: (() => void) | undefined;
  paused = false;
  pausable = true;
  refuse: LecternError | undefined;
  handlers: SocketHandlers | undefined;
  #opened = Promise.withResolvers<void>();

  readonly open = (from: number | undefined, handlers: SocketHandlers): Promise<TransportSocket> => {
    this.asked.push(from);
    if (this.refuse !== undefined) return Promise.reject(this.refuse);
    this.handlers = handlers;
    this.#opened.resolve();
    return Promise.resolve(this.#socket(handlers));
  };

  async connection(): Promise<void> {
    await this.#opened.promise;
    this.#opened = Promise.withResolvers();
  }

  tell(message: ServerMessage): void {
    this.handlers?.onMessage(JSON.stringify(message));
  }

  greet(offset: number, confirmsInput = false): void {
    const size = { columns: 80, rows: 24 };
    this.tell({
      type: "attached",
      session: "s",
      offset,
      ...size,
      readOnly: false,
      ...(confirmsInput && { confirmsInput }),
    });
  }

  output(offset: number, text: string): void {
    this.handlers?.onMessage(encodeBinaryFrame({ type: "output", offset, bytes: Buffer.from(text) }));
  }

  exit(offset: number): void {
    this.tell({ type: "exit", offset, next: offset + 1, timeUs: 0, exit: { reason: "exited", code: 3, signal: null } });
  }

  break(code = 1006): void {
    this.handlers?.onClose({ code, reason: "" });
  }

  #type(data: Uint8Array): void {
    const numbered = decodeNumberedInput(data);
    this.typed += Buffer.from(numbered?.bytes ?? decodeInput(data) ?? []).toString();
    if (numbered === undefined) return;
    this.numbers.push(numbered.number);
    this.onNumbered?.();
  }

  #socket(handlers: SocketHandlers): TransportSocket {
    return {
      bufferedBytes: 0,
      pausable: this.pausable,
      send: (data) => {
        if (typeof data === "string") this.said.push(JSON.parse(data));
        else this.#type(data);
      },
      pause: () => void (this.paused = true),
      resume: () => void (this.paused = false),
      close: () => handlers.onClose({ code: 1005, reason: "" }),
    };
  }
}

const fast: AttachmentOptions = { reconnectMsMax: 1 };

async function read(attachment: Attachment, until: (item: AttachmentItem) => boolean): Promise<string[]> {
  const taken: string[] = [];
  for await (const item of attachment) {
    taken.push(item.type === "output" ? Buffer.from(item.bytes).toString() : item.type);
    if (until(item)) break;
  }
  return taken;
}

test("an attachment gives output until the exit and then ends", async () => {
  const server = new FakeServer();
  const attachment = new Attachment(server.open, fast);
  await server.connection();
  server.greet(5);
  server.output(5, "abc");
  server.exit(8);
  assert.equal((await attachment.attached).offset, 5);
  assert.deepEqual(await read(attachment, () => false), ["abc", "exit"]);
  assert.deepEqual(attachment.ended, { reason: "exit", exit: { reason: "exited", code: 3, signal: null } });
});

test("a broken connection is made again at the offset that had arrived, and no byte comes twice", async () => {
  const server = new FakeServer();
  const tries: number[] = [];
  const beforeReconnect = (attempt: number) => Promise.resolve(void tries.push(attempt));
  const attachment = new Attachment(server.open, { ...fast, from: 0, beforeReconnect });
  await server.connection();
  server.greet(0);
  server.output(0, "abc");
  server.break();
  await server.connection();
  server.greet(3);
  server.output(1, "bcd");
  server.exit(4);
  const expected = ["abc", "disconnected", "reconnected", "d", "exit"];
  assert.deepEqual(await read(attachment, () => false), expected);
  assert.deepEqual(server.asked, [0, 3]);
  assert.deepEqual(tries, [1]);
});

test("the first connection that fails is an error of the attach, not a reason to try again", async () => {
  const server = new FakeServer();
  server.refuse = new LecternError("DAEMON_UNREACHABLE", "away");
  const attachment = new Attachment(server.open, fast);
  await assert.rejects(attachment.attached, { code: "DAEMON_UNREACHABLE" });
  await assert.rejects(
    read(attachment, () => false),
    { code: "DAEMON_UNREACHABLE" },
  );
  assert.equal(server.asked.length, 1);
});

test("what trying again cannot cure ends a live attachment with that error", async () => {
  const server = new FakeServer();
  const attachment = new Attachment(server.open, fast);
  await server.connection();
  server.greet(0);
  server.refuse = new LecternError("SESSION_NOT_FOUND", "removed");
  server.break();
  await assert.rejects(
    read(attachment, () => false),
    { code: "SESSION_NOT_FOUND" },
  );
});

test("a consumer that does not read stops the socket being read, and taking items starts it again", async () => {
  const server = new FakeServer();
  const attachment = new Attachment(server.open, { ...fast, from: 0, bufferBytesMax: 1000 });
  await server.connection();
  server.greet(0);
  await attachment.attached;
  server.output(0, "x".repeat(600));
  assert.equal(server.paused, false);
  server.output(600, "x".repeat(600));
  assert.equal(server.paused, true);
  await read(attachment, (item) => item.type === "output" && item.next === 1200);
  assert.equal(server.paused, false);
});

test("where reading cannot be stopped, the socket is closed and opened again when the consumer has caught up", async () => {
  const server = new FakeServer();
  server.pausable = false;
  const attachment = new Attachment(server.open, { ...fast, from: 0, bufferBytesMax: 10 });
  await server.connection();
  server.greet(0);
  await attachment.attached;
  server.output(0, "x".repeat(100));
  assert.equal(server.asked.length, 1);
  assert.deepEqual((await read(attachment, (item) => item.type === "disconnected")).at(-1), "disconnected");
  await server.connection();
  assert.deepEqual(server.asked, [0, 100]);
  attachment.detach();
});

test("items are acknowledged when the consumer comes back for more, each 256 KiB", async () => {
  const server = new FakeServer();
  const attachment = new Attachment(server.open, { ...fast, from: 0 });
  await server.connection();
  server.greet(0);
  await attachment.attached;
  for (let index = 0; index < 5; index += 1) server.output(index * 65_536, "x".repeat(65_536));
  await read(attachment, (item) => "next" in item && item.next === 5 * 65_536);
  assert.deepEqual(server.said, [{ type: "ack", offset: 262_144 }]);
});

test("input is cut into frames, keeps its order and waits for a connection", async () => {
  const server = new FakeServer();
  const attachment = new Attachment(server.open, fast);
  await server.connection();
  server.greet(0);
  await attachment.attached;
  const long = "0123456789".repeat(10_000);
  await attachment.write(Buffer.from(long));
  server.break();
  const later = attachment.write(Buffer.from("later"));
  await server.connection();
  server.greet(0);
  await later;
  assert.equal(server.typed, `${long}later`);
  attachment.detach();
  await assert.rejects(attachment.write(Buffer.from("x")), { code: "SESSION_ENDED" });
});

test("the size of the window is reported again after a reconnect", async () => {
  const server = new FakeServer();
  const attachment = new Attachment(server.open, fast);
  await server.connection();
  server.greet(0);
  await attachment.attached;
  attachment.resize({ columns: 100, rows: 30 });
  server.break();
  await server.connection();
  server.greet(0);
  await attachment.write(Buffer.from("."));
  const size = { columns: 100, rows: 30 };
  assert.deepEqual(server.said, [
    { type: "resize", ...size },
    { type: "window", ...size },
  ]);
  attachment.detach();
});

test("detach ends the reading and abort makes it fail as cancelled", async () => {
  const server = new FakeServer();
  const detached = new Attachment(server.open, fast);
  await server.connection();
  server.greet(0);
  detached.detach();
  assert.deepEqual(await read(detached, () => false), []);
  const abort = new AbortController();
  const aborted = new Attachment(server.open, { ...fast, signal: abort.signal });
  abort.abort();
  await assert.rejects(
    read(aborted, () => false),
    { code: "CANCELLED" },
  );
});

test("a message that cannot be read ends the attachment with an error", async () => {
  const server = new FakeServer();
  const attachment = new Attachment(server.open, fast);
  await server.connection();
  server.greet(0);
  server.handlers?.onMessage("{");
  await assert.rejects(
    read(attachment, () => false),
    { code: "MALFORMED" },
  );
});

/** An attachment to a server that confirms input, and what it has sent. */
async function confirming(): Promise<{ server: FakeServer; attachment: Attachment }> {
  const server = new FakeServer();
  const attachment = new Attachment(server.open, { ...fast, from: 0 });
  await server.connection();
  server.greet(0, true);
  await attachment.attached;
  return { server, attachment };
}

/** Resolves when so many frames of numbered input were sent. */
async function sent(server: FakeServer, count: number): Promise<void> {
  while (server.numbers.length < count) await new Promise((resolve) => setImmediate(resolve));
}

test("writes go out without waiting for each other, and each resolves when the host has taken its bytes", async () => {
  const { server, attachment } = await confirming();
  const results: string[] = [];
  const writes = ["one", "two"].map((text) => attachment.write(Buffer.from(text)).then(() => results.push(text)));
  await sent(server, 2);
  assert.deepEqual([server.typed, server.numbers, results], ["onetwo", [0, 1], []]);
  server.tell({ type: "taken", input: 0, bytes: 3 });
  await writes[0];
  assert.deepEqual(results, ["one"]);
  server.tell({ type: "taken", input: 1, bytes: 3 });
  await writes[1];
});

test("a write that was refused rejects with the reason, and the items have it too", async () => {
  const { server, attachment } = await confirming();
  const write = attachment.write(Buffer.from("x"));
  await sent(server, 1);
  server.tell({ type: "error", code: "CONFLICT", message: "anna is typing", input: 0 });
  await assert.rejects(write, { code: "CONFLICT", message: "anna is typing" });
  assert.deepEqual(await read(attachment, ({ type }) => type === "error"), ["error"]);
});

test("a write whose answer was lost with the connection rejects, and is not sent again", async () => {
  const { server, attachment } = await confirming();
  const write = attachment.write(Buffer.from("lost"));
  await sent(server, 1);
  server.break();
  await assert.rejects(write, { code: "DAEMON_UNREACHABLE", message: /Cannot tell whether 4 bytes were typed/ });
  await server.connection();
  const next = attachment.write(Buffer.from("next"));
  server.greet(0, true);
  await sent(server, 2);
  server.tell({ type: "taken", input: 1, bytes: 4 });
  await next;
  assert.equal(server.typed, "lostnext");
});

test("the rest of a long write is not sent once a part of it was refused", async () => {
  const { server, attachment } = await confirming();
  server.onNumbered = () => server.tell({ type: "error", code: "CONFLICT", message: "anna is typing", input: 0 });
  await assert.rejects(attachment.write(Buffer.alloc(100_000)), { code: "CONFLICT" });
  assert.equal(server.numbers.length, 1);
});

test("a server that does not confirm input gets frames without numbers", async () => {
  const server = new FakeServer();
  const attachment = new Attachment(server.open, { ...fast, from: 0 });
  await server.connection();
  server.greet(0);
  await attachment.write(Buffer.from("plain"));
  assert.deepEqual([server.typed, server.numbers], ["plain", []]);
});
