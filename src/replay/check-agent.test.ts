import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { builtInAgents } from "../core/agents/built-in-agents.ts";
import type { JournalRecord } from "../protocol/records.ts";
import { agentIn, checkAgent } from "./check-agent.ts";
import { recordsOf } from "./recording.ts";

const path = join(import.meta.dirname, "../../test/fixtures/recordings/codex-asks-60x20.cast.gz");
const records = recordsOf(gunzipSync(readFileSync(path)));

test("the agent of a recording is recognised, and its rules are followed", () => {
  assert.equal(agentIn(records, builtInAgents), "codex");
  const { frames, readings, unused } = checkAgent(records, builtInAgents.named("codex")!.file);
  assert.ok(frames > 300 && readings.length > 100);
  assert.ok(readings.some(({ dialog }) => dialog?.question.startsWith("Would you like to run")));
  assert.ok(
    readings.some(({ rows }) => rows.some(({ rule, text }) => rule === "prompt" && text === "Please build-one it")),
  );
  assert.ok(unused.includes("chat.rows.warning") && !unused.includes("chat.rows.prompt"));
});

test("rules that fit nothing are named", () => {
  const { unused } = checkAgent(records, {
    name: "mine",
    titles: { a: { pattern: "^never$" } },
    chat: { rows: { b: { text: "^never$" } } },
  });
  assert.deepEqual(unused, ["titles.a", "chat.rows.b"]);
});

test("the state is that of a session with this screen, with the rule that decided", () => {
  const output = (offset: number, timeUs: number, text: string): JournalRecord => ({
    type: "output",
    offset,
    timeUs,
    payload: new TextEncoder().encode(text),
    secret: false,
  });
  const { readings } = checkAgent(
    [output(0, 0, "====\r\n> \r\n====\u001B[2;3H"), output(40, 1_000_000, "\u001B]2;zorp busy\u0007\u001B[2;3H")],
    {
      name: "zorp",
      titles: { name: { pattern: "^zorp" }, busy: { pattern: "^zorp busy", state: "working" } },
      boxes: { main: { top: "^=+$", prompt: "^>", bottom: "^=+$", rowsMax: 3, rowsBelowMax: 1 } },
      screen: { box: { in: "top", rows: 1, pattern: "=", state: "waiting" } },
    },
  );
  assert.deepEqual(
    readings.map(({ screen, status, title }) => [status?.state, status?.by, screen?.rule, title?.rule]),
    [
      ["waiting", "screen.box", "box", undefined],
      ["working", "title.busy", "box", "busy"],
    ],
  );
});
