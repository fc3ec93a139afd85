import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/numbered-bytes.ts";
import { JournalReader } from "../../journal/reader.ts";
import { JournalWriter } from "../../journal/writer.ts";
import { encodeJson } from "../../protocol/payloads.ts";
import { lastEntryIn } from "./last-entry.ts";

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
