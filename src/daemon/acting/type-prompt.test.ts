import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import { PtyRun } from "../../../test/pty-run.ts";
import { askedDraft, type Draft, type Reader } from "../../core/acting/draft.ts";
import { readStat } from "../../pty/proc-files.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { typePrompt } from "./type-prompt.ts";
import { nothingTyped } from "./typed-inputs.ts";
import { Until } from "./until.ts";
import type { EntryViews } from "../views/entry-views.ts";

const draftOf = (reader: Reader): Draft => ({
  ...askedDraft(reader),
  place: "line",
  kind: reader.agent === null ? "unknown" : `agent ${reader.agent}`,
  showsInput: true,
  takesPastes: true,
});
const receipt = {
  key: "k",
  session: "s",
  text: "hello",
  state: "accepted",
  reason: null,
  steps: [],
} as const;
const screen = {
  text: () => Promise.resolve({ text: "$ hello" }),
  status: { offset: 0 },
};

test(
  "however often the screen is looked at, all of /proc is read once for a plan",
  { skip: readStat(process.pid) === undefined },
  async (context) => {
    const cat = new PtyRun(["cat"]);
    const { signal } = new AbortController();
    const entry = {
      live: true,
      status: { state: "working" },
      stored: { name: "one" },
      leaderPid: cat.pty.pid,
      untilEnd: async (over: AbortSignal) => await new Promise((resolve) => over.addEventListener("abort", resolve)),
    } as unknown as SessionEntry;
    let looks = 0;
    const reader = { agent: null, run: 0, pid: null, lastPid: null };
    const view = { ...screen, draft: () => Promise.resolve({ ...draftOf(reader), isUndrawn: (looks += 1) < 5 }) };
    const subscribe = (): Disposable => ({ [Symbol.dispose]: () => undefined });
    const views = { view, caughtUp: () => Promise.resolve(), subscribe } as unknown as EntryViews;
    const { mock } = context.mock.method(fs, "readdirSync");
    syncBuiltinESMExports();
    try {
      const typing = {
        entry,
        views,
        until: new Until(entry, views, signal),
        lost: signal,
        receipt,
        typed: nothingTyped,
      };
      await typePrompt({ ...typing, echoMs: 10_000, onStep: () => Promise.resolve(), rules: () => null });
    } finally {
      context.mock.restoreAll();
      syncBuiltinESMExports();
      cat.write("\u0004");
      await cat.ended;
    }
    assert.ok(looks > 5);
    assert.equal(mock.calls.filter(({ arguments: [path] }) => path === "/proc/").length, 1);
  },
);

test("a prompt is not typed into a program that has left its prompt: it waits, and one that a daemon goes on with fails", async () => {
  const typed: string[] = [];
  const reader = { agent: null, run: 0, pid: 7, lastPid: 7 };
  const entry = {
    live: true,
    status: { state: "working" },
    stored: { name: "one" },
    input: (bytes: Uint8Array) => {
      typed.push(Buffer.from(bytes).toString());
      return Promise.resolve({ next: 0 });
    },
  } as unknown as SessionEntry;
  const view = { ...screen, draft: () => Promise.resolve(draftOf(reader)) };
  const views = { view, caughtUp: () => Promise.resolve() } as unknown as EntryViews;
  const { signal } = new AbortController();
  const until = new Until(entry, views, signal);
  for (const hasText of [true, false]) {
    const typing = {
      entry,
      views,
      until,
      lost: signal,
      receipt: { ...receipt, isForShell: true } as const,
      echoMs: 10_000,
      onStep: () => Promise.resolve(),
      rules: () => null,
    };
    const end = await typePrompt({ ...typing, typed: { ...nothingTyped, hasText } });
    // What a daemon before this one may have typed in part is not typed again.
    if (hasText) assert.match("reason" in end ? end.reason : "", /it is not at its prompt any more, but working/);
    else assert.deepEqual(end, { isEarly: true });
  }
  assert.deepEqual(typed, []);
});

for (const next of [1, 2])
  test(`a prompt that was planned for one agent is ${next === 1 ? "typed for it" : "not typed for the next one"}`, async () => {
    const typed: string[] = [];
    const lost = new AbortController();
    const entry = {
      live: true,
      leaderPid: null,
      status: { state: "waiting" },
      stored: { name: "one" },
      input: (bytes: Uint8Array) => {
        typed.push(Buffer.from(bytes).toString());
        lost.abort();
        return Promise.resolve({ next: 0 });
      },
    } as unknown as SessionEntry;
    let run = 1;
    const reader = { agent: "claude", pid: null, lastPid: null };
    const view = {
      ...screen,
      draft: () => Promise.resolve(draftOf({ ...reader, run })),
      // The screen is read between the two times that it is asked who is in the foreground.
      text: () => {
        run = next;
        return screen.text();
      },
    };
    const views = { view, caughtUp: () => Promise.resolve() } as unknown as EntryViews;
    const until = new Until(entry, views, lost.signal);
    const typing = { entry, views, until, lost: lost.signal, receipt, typed: nothingTyped };
    const end = await typePrompt({ ...typing, echoMs: 10_000, onStep: () => Promise.resolve(), rules: () => null });
    assert.equal("isEarly" in end, next === 2);
    assert.deepEqual(typed, next === 1 ? ["\u001b[200~hello\u001b[201~"] : []);
  });
