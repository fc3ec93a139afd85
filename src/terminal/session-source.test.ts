import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { LecternError } from "../core/errors.ts";
import { SessionSource, type SessionItem, type SessionLink } from "./session-source.ts";
import type { SourceItem } from "./terminal-source.ts";

/** A session whose items are pushed by hand; `"end"` ends them. */
class Session implements SessionLink {
  readonly nonce = null;
  readonly actDirectory = null;
  readonly leaderPid = null;
  readonly size = () => ({ columns: 80, rows: 24 });
  readonly start = 0;
  readonly end: number;
  readonly #queue: (SessionItem | Error | "end")[];
  #arrived = Promise.withResolvers<void>();

  constructor(end: number, items: readonly (SessionItem | Error | "end")[]) {
    this.end = end;
    this.#queue = [...items];
  }

  push(...items: (SessionItem | "end")[]): void {
    this.#queue.push(...items);
    this.#arrived.resolve();
  }

  get items(): AsyncIterable<SessionItem> {
    return this.#items();
  }

  async *#items(): AsyncGenerator<SessionItem, void> {
    for (;;) {
      for (let item = this.#queue.shift(); item !== undefined; item = this.#queue.shift()) {
        if (item === "end") return;
        if (item instanceof Error) throw item;
        yield item;
      }
      this.#arrived = Promise.withResolvers<void>();
      await this.#arrived.promise;
    }
  }

  async write(): Promise<{ offset: number; next: number }> {
    // What the kernel reported before the input arrives while the input is on its way.
    this.push(foreground(20));
    await turn();
    return { offset: 30, next: 40 };
  }

  async close(): Promise<void> {
    this.push("end");
  }
}

const output = (next: number): SessionItem => ({ type: "output", next, bytes: Uint8Array.of(next) });
const foreground = (offset: number) => ({
  type: "mark" as const,
  offset,
  next: offset + 5,
  event: { type: "foreground", verdict: "listening", program: "cat", pid: 1, echo: true, canonical: true } as const,
});

test("a report about the foreground from before our input does not count as an effect of it", async () => {
  const received: SourceItem[] = [];
  const session = new Session(10, [output(10)]);
  const source = await SessionSource.open(session, (item) => received.push(item));
  assert.deepEqual([source.next, received.length], [10, 1]);
  await source.write(Uint8Array.of(1));
  session.push(foreground(40));
  await source.readTo(45);
  assert.deepEqual(
    received.map(({ type }) => type),
    ["output", "standing", "foreground"],
  );
  assert.equal(source.inputOffset, 30);
  await source.close();
});

test("a report that is not known to be of now is not taken for one", async () => {
  const session = new Session(20, [foreground(10), output(20)]);
  const answers = [null, 20];
  const probe = async (): Promise<number | null> => answers.shift() ?? null;
  const received: SourceItem[] = [];
  const source = await SessionSource.open(
    Object.assign(session, { probe }),
    (item) => void received.push(structuredClone(item)),
  );
  const asked = async (): Promise<number> => {
    received.length = 0;
    assert.equal(source.ask(), true);
    for (let turns = 0; turns < 5; turns += 1) await turn();
    return received.filter(({ type }) => type === "foreground").length;
  };
  assert.deepEqual([await asked(), await asked()], [0, 1]);
  assert.equal(await source.probed(), null);
  await source.close();
});

test("a source that goes on where another one stopped reports no gap, and knows the last report", async () => {
  const standing = { ...foreground(5).event, group: null, reasons: [] };
  const session = Object.assign(new Session(20, [output(20)]), { start: 10, resumed: { standing } });
  const received: SourceItem[] = [];
  const source = await SessionSource.open(session, (item) => received.push(item));
  assert.deepEqual(
    received.map(({ type }) => type),
    ["output"],
  );
  assert.equal(source.lastProbe?.program, "cat");
  await source.close();
});

test("a source that is paused reads on where it stopped", async () => {
  const received: SourceItem[] = [];
  const session = new Session(0, []);
  const source = await SessionSource.open(session, (item) => received.push(item));
  source.pause();
  session.push(output(1), output(2));
  await turn();
  assert.equal(received.length, 1);
  source.resume();
  await source.readTo(2);
  assert.equal(received.length, 2);
  await source.close();
});

test("a session that cannot be read is not opened, and one that is lost later ends", async () => {
  const lost = new LecternError("DAEMON_UNREACHABLE", "gone");
  await assert.rejects(
    SessionSource.open(new Session(10, [lost]), () => undefined),
    lost,
  );
  const received: SourceItem[] = [];
  const source = await SessionSource.open(new Session(1, [output(1), lost]), (item) => received.push(item));
  await source.readTo(100);
  assert.deepEqual(received.at(-1), { type: "exit", exit: { reason: "lost", code: null, signal: null } });
  await source.close();
});
