import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { mock, test } from "node:test";
import { numberedAt, temporaryDirectory } from "../../../test/support/numbered-bytes.ts";
import { waits } from "../../core/waits.ts";
import { JournalWriter } from "../../journal/writer.ts";
import { Maintenance } from "./maintenance.ts";
import type { SessionRegistry } from "./session-registry.ts";

test("a journal is compressed when it is quiet for a round, and not while its program writes", async (context) => {
  const directory = temporaryDirectory(context);
  await using writer = await JournalWriter.open(directory, { segmentBytesMax: 300_000, fsync: "never" });
  const write = (bytes: number): void => {
    for (const end = writer.end + bytes; writer.end < end;)
      writer.append("output", numberedAt(writer.end, 5000), { timeUs: writer.end });
  };
  const written = { id: "written", directory, live: true, stored: { end: 0 }, refresh: async () => {} };
  written.refresh = async () => void (written.stored.end = writer.end);
  // Looked at when the round is over for the one before.
  let lookedAt = Promise.withResolvers<void>();
  const last = { id: "last", stored: { end: 0 }, refresh: async () => lookedAt.resolve() };
  const registry = { all: [written, last], get: () => undefined };
  mock.timers.enable({ apis: ["setInterval"] });
  context.after(() => mock.timers.reset());
  const maintenance = new Maintenance(registry as unknown as SessionRegistry, assert.ifError);
  const compressedAfterRound = async (): Promise<number> => {
    lookedAt = Promise.withResolvers();
    mock.timers.tick(waits.roundMs);
    await lookedAt.promise;
    await new Promise(setImmediate);
    return readdirSync(directory).filter((name) => name.endsWith(".zseg")).length;
  };
  write(700_000);
  assert.equal(await compressedAfterRound(), 0, "it has written since the round before");
  write(5000);
  assert.equal(await compressedAfterRound(), 0, "it goes on writing");
  assert.equal(await compressedAfterRound(), 2, "it is quiet");
  write(300_000);
  assert.equal(await compressedAfterRound(), 2, "it writes again");
  assert.equal(await compressedAfterRound(), 3, "there is enough again to be worth it");
  await maintenance.close();
});

test("a journal that cannot be compressed is reported, unless its session was removed meanwhile", async (context) => {
  const directory = temporaryDirectory(context);
  const entryOf = (id: string): object => ({
    id,
    directory: join(directory, id),
    live: false,
    stored: { end: 1_000_000 },
    refresh: () => Promise.resolve(),
  });
  let lookedAt = Promise.withResolvers<void>();
  const last = { id: "last", stored: { end: 0 }, refresh: async () => lookedAt.resolve() };
  const left = entryOf("left");
  const registry = { all: [entryOf("removed"), left, last], get: (id: string) => (id === "left" ? left : undefined) };
  mock.timers.enable({ apis: ["setInterval"] });
  context.after(() => mock.timers.reset());
  const errors: unknown[] = [];
  const reported = Promise.withResolvers<void>();
  const maintenance = new Maintenance(registry as unknown as SessionRegistry, (error) => {
    errors.push(error);
    reported.resolve();
  });
  mock.timers.tick(waits.roundMs);
  await lookedAt.promise;
  await new Promise(setImmediate);
  lookedAt = Promise.withResolvers();
  mock.timers.tick(waits.roundMs);
  await Promise.race([reported.promise, lookedAt.promise]);
  assert.match(String(errors[0]), /Cannot open journal ".*left"/);
  assert.equal(errors.length, 1);
  await maintenance.close();
});
