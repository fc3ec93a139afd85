import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { typePrompt } from "./type-prompt.ts";
import { Until } from "./until.ts";
import type { EntryViews } from "../views/entry-views.ts";

test("a prompt is not typed into a program that has left its prompt: it waits, and one that a daemon goes on with fails", async () => {
  const typed: string[] = [];
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
    draft: () => Promise.resolve({ place: "line", text: "", mark: "", rows: 0, clear: null }),
    text: () => Promise.resolve({ text: "$ hello" }),
    snapshot: () => Promise.resolve({ modes: { bracketedPaste: true } }),
    status: { offset: 0 },
  };
  const views = { view, caughtUp: () => Promise.resolve() } as unknown as EntryViews;
  const { signal } = new AbortController();
  const until = new Until(entry, views, signal);
  for (const isResumed of [true, false]) {
    const typing = { entry, views, until, lost: signal, key: "k", text: "hello", onEchoed: () => Promise.resolve() };
    const end = await typePrompt({ ...typing, isResumed });
    // What a daemon before this one may have typed in part is not typed again.
    if (isResumed) assert.match("reason" in end ? end.reason : "", /it is not at its prompt any more, but working/);
    else assert.deepEqual(end, { isEarly: true });
  }
  assert.deepEqual(typed, []);
});
