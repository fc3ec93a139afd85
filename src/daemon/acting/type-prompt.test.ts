import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { typePrompt } from "./type-prompt.ts";
import { nothingTyped } from "./typed-inputs.ts";
import { Until } from "./until.ts";
import type { EntryViews } from "../views/entry-views.ts";

test("a prompt is not typed into a program that has left its prompt: it waits, and one that a daemon goes on with fails", async () => {
  const typed: string[] = [];
  const reader = { agent: null, run: 0, pid: 7, lastPid: 7 };
  const draft = {
    place: "line",
    text: "",
    rows: 0,
    clear: null,
    fold: null,
    isUndrawn: false,
    rules: null,
    isKept: false,
    isAtPrompt: true,
    showsInput: true,
    reader,
  };
  const entry = {
    live: true,
    status: { state: "working" },
    stored: { name: "one" },
    input: (bytes: Uint8Array) => {
      typed.push(Buffer.from(bytes).toString());
      return Promise.resolve({ next: 0 });
    },
  } as unknown as SessionEntry;
  const view = {
    draft: () => Promise.resolve(draft),
    text: () => Promise.resolve({ text: "$ hello" }),
    snapshot: () => Promise.resolve({ modes: { bracketedPaste: true } }),
    status: { offset: 0 },
  };
  const views = { view, caughtUp: () => Promise.resolve() } as unknown as EntryViews;
  const { signal } = new AbortController();
  const until = new Until(entry, views, signal);
  for (const hasText of [true, false]) {
    const typing = {
      entry,
      views,
      until,
      lost: signal,
      receipt: {
        key: "k",
        session: "s",
        text: "hello",
        state: "accepted",
        reason: null,
        steps: [],
        isForShell: true,
      } as const,
      echoMs: 10_000,
      onStep: () => Promise.resolve(),
    };
    const end = await typePrompt({ ...typing, typed: { ...nothingTyped, hasText } });
    // What a daemon before this one may have typed in part is not typed again.
    if (hasText) assert.match("reason" in end ? end.reason : "", /it is not at its prompt any more, but working/);
    else assert.deepEqual(end, { isEarly: true });
  }
  assert.deepEqual(typed, []);
});
