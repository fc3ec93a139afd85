import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LecternError } from "../core/errors.ts";
import { EventSocket, type EventReceiver, type EventSocketOptions } from "./event-socket.ts";

const refuse: EventReceiver = () => {
  throw new LecternError("FORBIDDEN", "no");
};

class Listening implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "lectern-ev-"));
  readonly path = join(this.directory, "ev.sock");
  readonly socket: EventSocket;

  constructor(receive: EventReceiver, options: EventSocketOptions = {}) {
    this.socket = new EventSocket(receive, options);
  }

  async open(): Promise<this> {
    await this.socket.listen(this.path, (error) => assert.fail(String(error)));
    return this;
  }

  [Symbol.dispose](): void {
    this.socket.close();
    rmSync(this.directory, { recursive: true });
  }
}

interface Client {
  readonly socket: Socket;
  /** All that came, when the other end hangs up. */
  readonly answer: Promise<string>;
}

function client(path: string): Client {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(path);
  let text = "";
  socket.on("data", (data: Buffer) => (text += data.toString()));
  socket.on("error", () => {});
  socket.on("close", () => resolve(text));
  return { socket, answer: promise };
}

const line = '{"session":"s","name":"A","payload":{"a":1},"nonce":"n"}\n';

test("each line is an event, wherever the bytes are cut, and has its answer", async () => {
  const seen: unknown[] = [];
  using listening = await new Listening((event) => {
    seen.push(event);
    return { offset: seen.length, next: 9, trust: "socket" };
  }).open();
  const { socket, answer } = client(listening.path);
  for (const character of line + line) socket.write(character);
  socket.end();
  assert.equal(
    await answer,
    '{"ok":true,"offset":1,"next":9,"trust":"socket"}\n{"ok":true,"offset":2,"next":9,"trust":"socket"}\n',
  );
  const event = { session: "s", name: "A", payload: { a: 1 }, nonce: "n" };
  assert.deepEqual(seen, [event, event]);
});

test("a peer that says nothing and one that says half a line are cut", async () => {
  using listening = await new Listening(refuse, { lineMsMax: 30 }).open();
  const silent = client(listening.path);
  const slow = client(listening.path);
  slow.socket.write(line.slice(0, 20));
  assert.match(await silent.answer, /"code":"LIMIT_EXCEEDED".*no line arrived in 30 ms/);
  assert.match(await slow.answer, /no line arrived in 30 ms/);
});

test("one peer too many is told so", async () => {
  using listening = await new Listening(refuse, { connectionsMax: 1 }).open();
  const first = client(listening.path);
  first.socket.write(line);
  await new Promise((resolve) => first.socket.once("data", resolve));
  assert.match(await client(listening.path).answer, /"code":"LIMIT_EXCEEDED".*1 senders/);
  first.socket.end();
  assert.match(await first.answer, /FORBIDDEN/);
});

test("a peer that never reads its answers is cut", async () => {
  let answered = 0;
  using listening = await new Listening(() => {
    answered += 1;
    throw new LecternError("FORBIDDEN", "x".repeat(1000));
  }).open();
  const { socket } = client(listening.path);
  socket.pause();
  const cut = new Promise((resolve) => socket.once("error", resolve).once("close", resolve));
  const write = (): void => void socket.write(line.repeat(1000), (error) => (error ? undefined : write()));
  write();
  await cut;
  assert.ok(answered < 5000, `${answered} answers`);
  socket.destroy();
});
