import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findUnregistered } from "./unregistered.ts";

test("a session that the registry has lost keeps its grants and its parent; one that cannot be read gives none", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-test-"));
  try {
    const write = (id: string, more: Readonly<Record<string, unknown>>): void => {
      const createdAt = "2026-01-01T00:00:00.000Z";
      mkdirSync(join(directory, id));
      const meta = { id, name: id, state: "running", command: ["bash"], createdAt, ...more };
      writeFileSync(join(directory, id, "session.json"), JSON.stringify(meta));
    };
    write("0000000000", { isMine: true, parent: "0000000001", trustsText: true });
    write("0000000001", {});
    write("0000000002", { isMine: "yes", parent: 7, trustsText: 1 });
    const found = await findUnregistered(directory, new Set());
    const kept = new Map(
      found.map(({ id, stored: { options, parent } }) => [id, [options.mine, parent, options.trustText]]),
    );
    assert.deepEqual(kept.get("0000000000"), [true, "0000000001", true]);
    for (const id of ["0000000001", "0000000002"]) assert.deepEqual(kept.get(id), [false, undefined, false]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
