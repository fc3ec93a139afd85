/** Tags and sequences in the true recordings. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { EncodedEvents } from "../src/core/events/encoded-events.ts";
import { eventKey } from "../src/core/events/event-key.ts";
import type { TaggedEvent } from "../src/core/events/tagged-event.ts";
import { TextEvents } from "../src/core/events/text-events.ts";
import { scanText } from "../src/core/events/text-scan.ts";
import { ViewerFilter } from "../src/core/text/viewer-filter.ts";
import { wireRequest, wireTurn } from "./marks.ts";
import { readRecording, recordedOutput } from "./recordings.ts";
import { replay, type ReplayOptions } from "./session-replay.ts";

const directory = join(import.meta.dirname, "fixtures", "recordings");

/** What is used of the file beside a recording. */
interface Truth {
  readonly timeline: readonly {
    readonly seq: number;
    readonly role: string;
    readonly text?: string;
    readonly output?: string;
    readonly t_request?: number;
    readonly t_last_byte?: number;
  }[];
}

/** What the gateway would have recorded meanwhile. */
function marksOf({ timeline }: Truth): NonNullable<ReplayOptions["marks"]> {
  return timeline.flatMap(({ seq, role, text = "", output = "", t_request: asked, t_last_byte: ended }) => {
    if (asked === undefined || ended === undefined) return [];
    const result = { type: "tool-result", call: null, tool: null, text: output, isError: false } as const;
    const request = wireRequest({ exchange: `e${seq}`, parts: role === "tool" ? [result] : [] });
    const turn = wireTurn({ exchange: `e${seq}`, text: role === "assistant" ? text : "" });
    return [
      { seconds: asked, event: request },
      { seconds: ended, event: turn },
    ];
  });
}

function eventsIn(recording: string, marks: ReplayOptions["marks"]): TaggedEvent[] {
  const changes = replay(readRecording(recording), {
    command: ["bash"],
    exits: true,
    ...(marks !== undefined && { marks }),
  });
  return changes.flatMap((change) => (change.kind === "event" ? [change.event] : []));
}

const keyOf = (event: TaggedEvent): string =>
  eventKey(event.name, event.valid ? JSON.stringify(event.payload) : event.text);

const agentRecordings = [
  "claude",
  "claude-inline",
  "codex",
  "codex-inline",
  "gemini",
  "opencode",
  "opencode-mini",
  "qwen",
  "qwen-inline",
  "pi",
  "cline",
].map((agent) => `${agent}-events-80x24`);

for (const recording of agentRecordings) {
  const truth = JSON.parse(readFileSync(join(directory, `${recording}.json`), "utf8")) as Truth;
  const said = truth.timeline.flatMap(({ role, text = "" }) => (role === "assistant" ? scanText(text).tags : []));
  const keys = said.map(({ name, body }) => eventKey(name, body));

  test(`behind the gateway the events of ${recording} come exactly and once, and nothing else is trusted`, () => {
    const events = eventsIn(recording, marksOf(truth));
    assert.equal(keys.length, 8);
    for (const key of keys) assert.equal(events.filter((event) => event.valid && keyOf(event) === key).length, 1, key);
    const trusted = events.filter(({ trust }) => trust !== "unverified").map(({ name }) => name);
    assert.deepEqual(trusted.toSorted(), ["ESC", "MD", "MID", "PLAN_COMPLETE", "STATUS", "TASK_COMPLETE"]);
    assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
  });

  test(`from the screen alone no event of ${recording} comes twice or is trusted`, () => {
    const events = eventsIn(recording, undefined);
    for (const key of keys) assert.ok(events.filter((event) => keyOf(event) === key).length <= 1, key);
    assert.ok(events.every(({ trust }) => trust === "unverified"));
  });
}

function textEvents(bytes: Uint8Array, chunkBytes: number): string[] {
  const events = new TextEvents();
  const found: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += chunkBytes) {
    const output = events.feed(bytes.subarray(offset, offset + chunkBytes), { offset, timeMs: 0 });
    found.push(...output.events.map((event) => `${event.trust} ${event.name}@${event.offset} ${event.valid}`));
  }
  return found;
}

test("tags in messages that are read from a screen are content, since nobody believes them", () => {
  const changes = replay(readRecording("claude-events-80x24"), { command: ["bash"], exits: true });
  const messages = changes.flatMap((change) => (change.kind === "message" ? [change.message] : []));
  const tagged = messages.filter(({ text, isPartial }) => !isPartial && text.includes("</FORGE_EVENT>"));
  assert.ok(tagged.length > 0);
  assert.ok(tagged.every(({ rawText }) => rawText === undefined));
});

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
