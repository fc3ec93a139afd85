import assert from "node:assert/strict";
import { test } from "node:test";
import type { DriverEvent } from "../acp/acp-fold.ts";
import { CodexFold, type CodexFoldState } from "./codex-fold.ts";
import { codexReports, COMMAND_APPROVAL, FILE_APPROVAL, type CodexMessage } from "./codex-messages.ts";

const connected: CodexMessage = { method: codexReports.connected, params: {} };
const lost: CodexMessage = { method: codexReports.lost, params: { reason: "it has gone" } };
const status = (threadId: string, type: string, ...activeFlags: string[]): CodexMessage => ({
  method: "thread/status/changed",
  params: { threadId, status: { type, activeFlags } },
});
const begun = (id: string, ephemeral = false): CodexMessage => ({
  method: "thread/started",
  params: { thread: { id, ephemeral, status: { type: "idle" } } },
});
const asked = (id: number, command: string): CodexMessage => ({
  id,
  method: COMMAND_APPROVAL,
  params: { threadId: "t", itemId: `i${id}`, command: `/bin/bash -lc '${command}'`, cwd: "/w", reason: "why" },
});
const resolved = (requestId: number): CodexMessage => ({
  method: "serverRequest/resolved",
  params: { threadId: "t", requestId },
});
const typesOf = (events: readonly DriverEvent[]): string[] => events.map(({ type }) => type);

function folded(...messages: readonly CodexMessage[]): { fold: CodexFold; events: DriverEvent[] } {
  const fold = new CodexFold();
  return { fold, events: messages.flatMap((message) => fold.step(message)) };
}

test("the state is that of all conversations but those that Codex has with itself", () => {
  const { fold } = folded(connected, begun("t"), begun("title", true), status("title", "active"));
  assert.equal(fold.state, "waiting");
  fold.step(status("t", "active"));
  fold.step(status("other", "idle"));
  assert.equal(fold.state, "working");
  fold.step(status("other", "active", "waitingOnUserInput"));
  assert.equal(fold.state, "blocked");
  fold.step(status("other", "notLoaded"));
  assert.equal(fold.state, "working");
  fold.step(status("t", "systemError"));
  assert.equal(fold.state, "waiting");
  fold.step({ method: "thread/closed", params: { threadId: "t" } });
  assert.deepEqual([fold.state, fold.reason], ["unknown", "no conversation is known yet"]);
});

test("nothing is known before a connection and after it is lost, and what was asked is gone", () => {
  assert.equal(new CodexFold().state, "unknown");
  const { fold, events } = folded(connected, status("t", "active", "waitingOnApproval"), asked(0, "ls"), lost);
  assert.deepEqual(typesOf(events), ["question", "question-gone"]);
  assert.deepEqual([fold.state, fold.reason], ["unknown", "it has gone"]);
});

test("a request that a new connection repeats is the same question; one that it does not repeat was answered", () => {
  const blocked = status("t", "active", "waitingOnApproval");
  const { fold, events } = folded(
    connected,
    blocked,
    asked(0, "ls"),
    asked(1, "pwd"),
    connected,
    blocked,
    asked(1, "pwd"),
  );
  assert.deepEqual(typesOf(events), ["question", "question", "question-gone"]);
  assert.deepEqual(
    fold.questions.map(({ id }) => id),
    ["1"],
  );
  assert.deepEqual(typesOf(fold.step(status("t", "idle"))), ["question-gone"]);
});

test("the option that was chosen through Lectern is known, that of the terminal is not", () => {
  const { fold } = folded(connected, asked(0, "ls"), asked(1, "pwd"));
  const [first] = fold.questions;
  fold.step({ method: codexReports.answer, params: { request: first?.request, option: "1" } });
  const gone = [...fold.step(resolved(0)), ...fold.step(resolved(1))];
  assert.deepEqual(
    gone.map((event) => (event.type === "question-gone" ? event.option : assert.fail())),
    ["1", null],
  );
});

test("a question has the command without its shell, the changes of its item, and options in the order of the terminal", () => {
  const { fold } = folded(connected, asked(0, "echo x"), {
    method: "item/started",
    params: {
      item: { id: "f", type: "fileChange", changes: [{ path: "a", kind: { type: "add" }, diff: "+x", more: 1 }] },
    },
  });
  fold.step({ id: "r", method: FILE_APPROVAL, params: { threadId: "t", itemId: "f" } });
  // What it would change was not seen: its terminal shows it.
  assert.deepEqual(fold.step({ id: "u", method: FILE_APPROVAL, params: { threadId: "t", itemId: "unseen" } }), []);
  const inputs = fold.questions.map(({ tool }) => JSON.parse(tool.input ?? "null") as unknown);
  assert.deepEqual(inputs, [
    { command: "echo x", cwd: "/w", reason: "why" },
    { changes: [{ path: "a", kind: { type: "add" }, diff: "+x" }] },
  ]);
  assert.deepEqual(
    fold.questions[1]?.options.map(({ id, kind }) => [id, kind]),
    [
      ["1", "allow_once"],
      ["2", "allow_always"],
      ["3", "reject_once"],
    ],
  );
});

test("a fold that is saved and made anew before each message reports the same", () => {
  const messages = [connected, begun("t"), status("t", "active", "waitingOnApproval"), asked(0, "ls"), connected];
  const rest = [status("t", "active", "waitingOnApproval"), asked(1, "pwd"), resolved(1), lost];
  let state: CodexFoldState | undefined;
  const events = [...messages, ...rest].flatMap((message) => {
    const fold = new CodexFold(state);
    const found = fold.step(message);
    state = JSON.parse(JSON.stringify(fold.save())) as CodexFoldState;
    return found;
  });
  assert.deepEqual(events, folded(...messages, ...rest).events);
});

test("bad messages change nothing", () => {
  for (const method of [
    "thread/started",
    "thread/status/changed",
    COMMAND_APPROVAL,
    FILE_APPROVAL,
    "serverRequest/resolved",
  ])
    for (const params of [{}, { thread: 7, status: [], threadId: {}, availableDecisions: "x", requestId: null }])
      assert.deepEqual(new CodexFold().step({ method, params }), []);
});
