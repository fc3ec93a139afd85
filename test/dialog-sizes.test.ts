/** Real agents that ask while the terminal changes its size: one approval for each dialog, with the fullest reading of it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Approval } from "../src/core/dialogs/approval.ts";
import type { ViewChange } from "../src/core/views/change.ts";
import { SessionView } from "../src/core/views/session-view.ts";
import { readRecording } from "./recordings.ts";
import { replay } from "./session-replay.ts";

const agents = ["claude", "codex", "gemini", "qwen", "copilot", "opencode"];

test("Gemini's question whether a folder is trusted is seen, although it is indented", () => {
  const { columns, rows, events } = readRecording(
    join(import.meta.dirname, "fixtures", "dialogs", "gemini-trust-100x32"),
  );
  const changes = replay({ columns, rows, events }, { command: ["gemini"] });
  const asked = changes.flatMap((change) => (change.kind === "approval" ? [change.approval] : []));
  assert.equal(asked[0]?.question, "Do you trust the files in this folder?");
  assert.deepEqual(
    asked[0]?.options.map(({ effect }) => effect),
    ["allow", "allow", "deny"],
  );
});

/** The approvals as they stand at each change of size and at each answer, with the ticks that a daemon gives. */
function* shownIn(name: string): Generator<readonly Approval[]> {
  const { columns, rows, events } = readRecording(
    join(import.meta.dirname, "fixtures", "dialogs", `${name}-sizes-80x24`),
  );
  const view = new SessionView({ columns, rows });
  const known = new Map<string, Approval>();
  const keep = (changes: readonly ViewChange[]): void => {
    for (const change of changes) if (change.kind === "approval") known.set(change.approval.id, change.approval);
  };
  let offset = 0;
  for (const [seconds, type, data] of events) {
    const timeUs = Math.round(seconds * 1e6);
    for (let wakeUs = view.wakeUs; wakeUs !== null && wakeUs < timeUs; wakeUs = view.wakeUs) {
      keep(view.advance(wakeUs));
      if (view.wakeUs === wakeUs) break;
    }
    keep(view.advance(timeUs));
    const bytes = new TextEncoder().encode(data);
    if (type === "r" || (type === "i" && /^[\r\u001B]$/.test(data)))
      yield [...known.values()].filter(({ state }) => state === "open");
    if (type === "o") keep(view.output(bytes, offset, timeUs).changes);
    else if (type === "i") keep(view.step({ type: "input", bytes, isSecret: false, offset, timeUs }));
    else if (type === "r") keep(view.resize(...(data.split("x").map(Number) as [number, number]), timeUs));
    if (type === "o") offset += bytes.length;
  }
  view.dispose();
}

const short = "mkdir -p src && touch src/a.txt; echo built-$((40+2))";

for (const name of agents) {
  test(`${name} asks at 120, 80, 60 and 40 columns, and each dialog stays one approval with all of its options`, () => {
    const sightings = [...shownIn(name)].filter((open) => open.length > 0);
    assert.ok(sightings.every((open) => open.length === 1));
    const seen = sightings.flat().filter(({ kind }) => kind === "permission");
    const ids = new Set(seen.map(({ id }) => id));
    // Qwen Code shows the file anew when all of it fits; the recording of Gemini CLI ends behind the first dialog.
    const dialogs = { gemini: 1, qwen: 4 }[name] ?? 3;
    assert.equal(ids.size, dialogs, [...ids].join());
    for (const { options } of seen) {
      const effects = new Set(options.map(({ effect }) => effect));
      assert.ok(effects.has("allow") && effects.has("deny"), JSON.stringify(options));
    }
    const [first] = seen;
    const firsts = seen.filter(({ id }) => id === first?.id);
    assert.equal(firsts.length, 6);
    assert.deepEqual(new Set(firsts.map(({ command }) => command)), new Set([short]));
    assert.ok(firsts.every(({ isComplete }) => isComplete));
    const [, second] = ids;
    if (second === undefined) return;
    const long = seen.findLast(({ id }) => id === second);
    assert.match(long?.command ?? "", /line 1 of a command/);
    assert.equal(long?.isComplete === true, /line 14 of a command/.test(long?.command ?? "") && name !== "opencode");
  });
}
