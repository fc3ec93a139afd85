import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/numbered-bytes.ts";
import { JournalReader } from "../../journal/reader.ts";
import { JournalWriter } from "../../journal/writer.ts";
import { encodeJson } from "../../protocol/payloads.ts";
import { lastEntryIn, StatusFile } from "./transcripts.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../../test/support/until.ts";

test("the last entry of a conversation is found behind other records, however far back", async (context) => {
  const directory = temporaryDirectory(context);
  await using writer = await JournalWriter.open(directory, { fsync: "never" });
  const fact = (id: string, payload: object, source = "record"): void => {
    writer.append("mark", encodeJson({ type: "fact", source, id, payload }), { timeUs: 1 });
  };
  const entry = { kind: "unknown", name: "row" };
  const last = async (conversation: string): Promise<string | null> => {
    await using reader = await JournalReader.open(directory);
    return await lastEntryIn(reader, conversation);
  };
  fact("1", { agent: "claude", conversation: "a", entry });
  fact("2", { agent: "claude", conversation: "a", entry });
  fact("3", { agent: "claude", conversation: "b", entry });
  assert.equal(await last("a"), "2");
  for (let count = 0; count < 40; count += 1) writer.append("output", Buffer.alloc(64 * 1024), { timeUs: 2 });
  fact("4", { agent: "claude", conversation: "a", stopped: "it was removed" });
  fact("5", { agent: "claude", conversation: "a", entry }, "another source");
  assert.equal(await last("a"), "2");
  assert.equal(await last("b"), "3");
  assert.equal(await last("c"), null);
});

test("each change of the status is told once; torn writes and those of other processes are not", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-status-"));
  const path = join(directory, "7.json");
  const told: unknown[] = [];
  const write = (content: object, start = "5"): void => writeFileSync(path, JSON.stringify({ ...content, start }));
  write({ status: "idle" });
  using file = new StatusFile({
    path,
    root: directory,
    isBoxed: false,
    userId: process.getuid?.() ?? 0,
    isOwn: ({ start }) => start === "5",
    append: async ({ payload }) => await Promise.resolve(told.push(payload)),
    onError: (error) => assert.fail(String(error)),
  });
  const tells = async (...expected: object[]): Promise<void> =>
    await until(
      () => {
        file.check();
        return Promise.resolve(JSON.stringify(told) === JSON.stringify(expected));
      },
      `it tells ${JSON.stringify(expected)}`,
    );
  const idle = { status: "idle" };
  await tells(idle);
  write({ status: "busy" }, "6");
  file.check();
  writeFileSync(path, '{"status":"waiting","waitingFor":"permission prompt","start":"5"}}');
  file.check();
  assert.equal(told.length, 1);
  const asks = { status: "waiting", waitingFor: "permission prompt" };
  write(asks);
  await tells(idle, asks);
  write({ ...asks, cwd: "/elsewhere" });
  write(idle);
  await tells(idle, asks, idle);
  rmSync(directory, { recursive: true });
  file.check();
});
