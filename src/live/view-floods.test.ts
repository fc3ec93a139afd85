import assert from "node:assert/strict";
import { test } from "node:test";
import { Records } from "../../test/support/memory-journal.ts";
import { ViewPool } from "./view-pool.ts";

test("a view that is far behind draws only the end, and misses no event on the way", async () => {
  await using pool = new ViewPool({ batchBytesMax: 50_000, behindBytesMax: 2_000_000 });
  const start = JSON.stringify({ type: "session-start", command: ["./build"], columns: 80, rows: 24 });
  const source = new Records().add(start, "mark");
  for (let index = 0; index < 60; index += 1)
    source.add(`<FORGE_EVENT name="N${index}">{}</FORGE_EVENT>${"line\r\n".repeat(10_000)}`);
  const names: string[] = [];
  const view = pool.open({
    source,
    columns: 80,
    rows: 24,
    onChanges: (changes) => {
      for (const change of changes) if (change.kind === "event") names.push(change.event.name);
    },
  });
  await view.caughtUp();
  assert.deepEqual(
    names,
    Array.from({ length: 60 }, (_, index) => `N${index}`),
  );
  assert.ok(view.status.bytesSkipped > 1_000_000, `${view.status.bytesSkipped}`);
  assert.ok((await view.text()).text.startsWith("line\nline"));
});

test("what comes faster than it can be drawn is not drawn, but where an agent is read", async () => {
  await using pool = new ViewPool();
  const skippedBytes = async (command: string): Promise<number> => {
    const start = JSON.stringify({ type: "session-start", command: [command], columns: 80, rows: 24 });
    const source = new Records().add(start, "mark").add("ready\r\n");
    const view = pool.open({ source, columns: 80, rows: 24 });
    await view.caughtUp();
    for (let index = 0; index < 50; index += 1) source.add("line\r\n".repeat(10_000));
    view.wake();
    await view.caughtUp();
    assert.ok((await view.text()).text.startsWith("line\nline"));
    return view.status.bytesSkipped;
  };
  assert.ok((await skippedBytes("./build")) > 2_000_000);
  assert.equal(await skippedBytes("claude"), 0);
});
