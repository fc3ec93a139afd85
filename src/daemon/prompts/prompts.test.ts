import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEvent } from "../../core/records.ts";
import type { Receipt } from "../../core/prompts/receipt.ts";
import { encodeJson } from "../../protocol/payloads.ts";
import type { JournalRecord } from "../../protocol/records.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { InputLease } from "../sessions/input-lease.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import type { Store } from "../store/store.ts";
import type { SessionViews } from "../views/session-views.ts";
import { Prompts } from "./prompts.ts";
import { inputKey } from "./typed-inputs.ts";

const text = "deploy the whole site";
const bytes = (shown: string): Uint8Array => new TextEncoder().encode(shown);
const own = (input: "text" | "enter"): SessionEvent => ({ type: "input-key", key: inputKey("k", input), bytes: 1 });

/** What the journal of a session has: inputs of the prompt behind their keys, and then what a person typed. */
function recordsOf(behind: string): JournalRecord[] {
  const payloads = [encodeJson(own("text")), bytes(text), encodeJson(own("enter")), bytes("\r"), bytes(behind)];
  return payloads.map((payload, index) => {
    const type = index === 0 || index === 2 ? "mark" : "input";
    return { offset: index * 10, timeUs: index, type, secret: false, payload };
  });
}

test("what a person types behind a prompt that another daemon entered is not taken out", async () => {
  const typed: string[] = [];
  const records = recordsOf(`${text}, and then a draft`);
  const reader = { agent: "gemini", run: 1, pid: 7 };
  const draft = { place: "box", text: `${text}, and then a draft`, rows: 1, clear: "\u0015", fold: null, reader };
  const entry = {
    id: "s1",
    live: true,
    status: { state: "waiting", sinceUs: 2, agent: "gemini" },
    stored: { name: "one", end: 100 },
    view: { end: 100 },
    inputEnd: 100,
    lease: new InputLease(),
    refresh: () => Promise.resolve(),
    feed: () =>
      Promise.resolve({
        reader: {
          start: 0,
          end: 100,
          read: (at: number) => Promise.resolve({ records: records.filter(({ offset }) => offset >= at), next: 100 }),
        },
      }),
    input: (given: Uint8Array) => {
      typed.push(Buffer.from(given).toString());
      return Promise.resolve({ next: 110 });
    },
    untilEnd: () => new Promise((resolve) => setTimeout(resolve, 1)),
  } as unknown as SessionEntry;
  const view = { draft: () => Promise.resolve(draft), status: { offset: 100 } };
  const views = { view, caughtUp: () => Promise.resolve(), subscribe: () => ({ [Symbol.dispose]: () => undefined }) };
  const receipt: Receipt = {
    key: "k",
    session: "s1",
    text,
    state: "submitted",
    reason: null,
    steps: [
      { state: "accepted", timeUs: 0, offset: 0 },
      { state: "submitted", timeUs: 1, offset: 40 },
    ],
  };
  const ended = Promise.withResolvers<Receipt>();
  const options = {
    registry: { get: () => entry } as unknown as SessionRegistry,
    views: { use: (_: unknown, run: (of: unknown) => unknown) => run(views) } as unknown as SessionViews,
    store: { putReceipt: () => Promise.resolve() } as unknown as Store,
    onError: ended.reject,
  };
  const prompts = new Prompts(options, [receipt]);
  using _ = prompts.subscribe((next) => ended.resolve(next));
  prompts.resume();
  const { state, reason } = await ended.promise;
  assert.deepEqual([state, reason, typed], ["done", null, []]);
});
