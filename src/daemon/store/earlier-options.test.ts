import assert from "node:assert/strict";
import { test } from "node:test";
import { readOptions } from "../../protocol/session-options.ts";
import { earlierFields, optionsOfEarlier } from "./earlier-options.ts";

test("options under the names of earlier versions are read back, and start.json has the others", () => {
  const given = { command: [], mine: true, trustText: true, summaries: true, onBlocked: ["true"] };
  const { options } = readOptions({ ...given, eventTag: { name: "A" } });
  assert.deepEqual(readOptions(optionsOfEarlier(earlierFields(options), undefined)), { options, unread: {} });
  const start = { version: 1, parent: "0123456789", command: ["sh"], mode: "exec" };
  assert.deepEqual(optionsOfEarlier({ isMine: true }, start), { mine: true, command: ["sh"], mode: "exec" });
});
