/** Tags and sequences in the true recordings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EncodedEvents } from "../src/core/events/encoded-events.ts";
import { TextEvents } from "../src/core/events/text-events.ts";
import { ViewerFilter } from "../src/core/text/viewer-filter.ts";
import { recordedOutput } from "./recordings.ts";

function textEvents(bytes: Uint8Array, chunkBytes: number): string[] {
  const events = new TextEvents();
  const found: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += chunkBytes) {
    const output = events.feed(bytes.subarray(offset, offset + chunkBytes), { offset, timeMs: 0 });
    found.push(...output.events.map((event) => `${event.trust} ${event.name}@${event.offset} ${event.valid}`));
  }
  return found;
}

test("TextEvents finds the tag that bash printed before the agent, exactly, and trusts nothing on an agent's screen", () => {
  const events = new TextEvents();
  const output = events.feed(recordedOutput("claude-events-80x24.cast"), { offset: 0, timeMs: 0 });
  const first = output.events.find((event) => event.name === "FROM_SHELL" && event.valid);
  assert.deepEqual(first?.valid && first.payload, { n: 1 });
  assert.ok(output.events.every((event) => event.trust === "unverified"));
});

test("TextEvents finds the same in a recording at any size of chunks", () => {
  const bytes = recordedOutput("claude-events-80x24.cast");
  const whole = textEvents(bytes, bytes.length);
  assert.ok(whole.length > 0);
  for (const size of [1, 2, 7, 100, 4_096]) assert.deepEqual(textEvents(bytes, size), whole);
});

test("EncodedEvents finds nothing in a recording without encoded events", () => {
  const rows = Buffer.from(recordedOutput("claude-events-80x24.cast")).toString("utf8").split("\n");
  assert.deepEqual(new EncodedEvents().see(rows, { scope: "", writer: "assistant", offset: 0 }), []);
});

for (const name of ["repl-bash-color-80x24.cast", "repl-fullscreen-80x24.cast", "claude-events-80x24.cast"]) {
  test(`ViewerFilter gives the same bytes of ${name} at any size of chunks, and nothing that asks for an answer in a replay`, () => {
    const bytes = recordedOutput(name);
    const filtered = (size: number): string => {
      const filter = new ViewerFilter({ mode: "replay" });
      const out: Uint8Array[] = [];
      for (let start = 0; start < bytes.length; start += size)
        out.push(filter.feed(bytes.subarray(start, start + size)));
      return Buffer.concat([...out, filter.end()]).toString("utf8");
    };
    const whole = filtered(bytes.length);
    for (const size of [1, 3, 1_000]) assert.equal(filtered(size), whole);
    assert.doesNotMatch(whole, /\u001B\[[>?]?\d*(?:c|n|q|u)|\u001B\]\d+;\?|\u001B[P_^X]/);
    assert.match(whole, /\u001B\[\?25[hl]|\u001B\[\d*m/);
  });
}
