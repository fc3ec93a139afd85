import assert from "node:assert/strict";
import { test } from "node:test";
import { inputKey } from "../../core/acting/prompt-plan.ts";
import type { SessionEvent } from "../../core/records.ts";
import type { Receipt } from "../../core/acting/receipt.ts";
import { encodeJson } from "../../protocol/payloads.ts";
import type { JournalRecord } from "../../protocol/records.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { InputLease } from "../sessions/input-lease.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import type { Store } from "../store/store.ts";
import type { SessionViews } from "../views/session-views.ts";
import { defaultTimes } from "../times.ts";
import { Prompts } from "./prompts.ts";

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

const views = (draft: unknown): unknown => ({
  view: { draft: () => Promise.resolve(draft), status: { offset: 100 } },
  caughtUp: () => Promise.resolve(),
  subscribe: () => ({ [Symbol.dispose]: () => undefined }),
});

/** A session whose journal has these records, and what is typed into it. */
function sessionWith(
  records: readonly JournalRecord[],
  state: string,
): { readonly entry: SessionEntry; readonly typed: string[] } {
  const typed: string[] = [];
  const read = (at: number) => Promise.resolve({ records: records.filter(({ offset }) => offset >= at), next: 100 });
  const entry = {
    id: "s1",
    live: true,
    status: { state, sinceUs: 2, agent: "gemini" },
    stored: { name: "one", end: 100 },
    view: { end: 100 },
    inputEnd: 100,
    lease: new InputLease(),
    refresh: () => Promise.resolve(),
    probe: () => Promise.resolve(true),
    feed: () => Promise.resolve({ reader: { start: 0, end: 100, read } }),
    input: (given: Uint8Array) => {
      typed.push(Buffer.from(given).toString());
      return Promise.resolve({ next: 110 });
    },
    untilEnd: () => new Promise((resolve) => setTimeout(resolve, 1)),
    mark: () => Promise.resolve(),
  } as unknown as SessionEntry;
  return { entry, typed };
}

const startsAt =
  (from: number) =>
  (change: object): boolean =>
    "offset" in change && Number(change.offset) >= from;

/** A daemon that goes on with the prompts of the one before it. */
function resumed(
  entry: SessionEntry,
  receipts: readonly Receipt[],
  {
    draft = null,
    statuses = [],
    messages = [],
  }: { readonly draft?: unknown; readonly statuses?: readonly object[]; readonly messages?: readonly object[] } = {},
): Prompts {
  const prompts = new Prompts(
    {
      registry: { get: () => entry } as unknown as SessionRegistry,
      views: {
        use: (_: unknown, run: (of: unknown) => unknown) => run(views(draft)),
        store: {
          list: ({ kinds, from }: { kinds: string[]; from: number }) =>
            Promise.resolve(kinds.includes("message") ? messages.filter(startsAt(from)) : statuses),
        },
      } as unknown as SessionViews,
      store: { rows: { putReceipt: () => Promise.resolve() } } as unknown as Store,
      conversationRules: () => null,
      times: { ...defaultTimes, promptWorkMs: 50 },
      onError: (error: unknown) => assert.fail(String(error)),
    },
    receipts,
  );
  prompts.resume();
  return prompts;
}

const receiptOf = (key: string, state: "accepted" | "submitted"): Receipt => ({
  key,
  session: "s1",
  text,
  state,
  reason: null,
  steps: [
    { state: "accepted", timeUs: 0, offset: 0 },
    ...(state === "submitted" ? [{ state, timeUs: 1, offset: 40 }] : []),
  ],
});

test("what a person types behind a prompt that another daemon entered is not taken out", async (context) => {
  const { entry, typed } = sessionWith(recordsOf(`${text}, and then a draft`), "waiting");
  const reader = { agent: "gemini", run: 1, pid: 7 };
  const draft = { place: "box", text: `${text}, and then a draft`, rows: 1, clear: "\u0015", fold: null, reader };
  const prompts = resumed(entry, [receiptOf("k", "submitted")], { draft });
  context.after(() => prompts.close());
  const { promise, resolve } = Promise.withResolvers<Receipt>();
  using _ = prompts.subscribe(resolve);
  const { state, reason } = await promise;
  assert.deepEqual([state, reason, typed], ["done", null, []]);
});

test("work that is over before the daemon has looked is a step of the prompt, at its time", async (context) => {
  const { entry } = sessionWith(recordsOf(""), "waiting");
  const draft = {
    place: "box",
    text: "",
    rows: 1,
    clear: "\u0015",
    fold: null,
    reader: { agent: "gemini", run: 1, pid: 7 },
  };
  const at = (timeUs: number, signal: string) => ({
    kind: "status",
    timeUs,
    status: { state: "working", evidence: [{ isDecisive: true, signal }] },
  });
  const prompts = resumed(entry, [receiptOf("k", "submitted")], { draft, statuses: [at(3, "input"), at(5, "screen")] });
  context.after(() => prompts.close());
  const { promise, resolve } = Promise.withResolvers<Receipt>();
  using _ = prompts.subscribe((receipt) => receipt.state === "done" && resolve(receipt));
  assert.deepEqual(
    (await promise).steps.slice(-2).map(({ state, timeUs }) => [state, state === "working" ? timeUs : "later"]),
    [
      ["working", 5],
      ["done", "later"],
    ],
  );
});

test("a prompt that no daemon has begun to type is taken back, also behind one that another daemon has typed", async (context) => {
  const { entry, typed } = sessionWith(recordsOf("").slice(0, 2), "working");
  // The key of the second begins with that of the first, as the keys of its inputs do.
  const prompts = resumed(entry, [receiptOf("k", "accepted"), receiptOf("k:text", "accepted")]);
  context.after(() => prompts.close());
  await assert.rejects(prompts.cancel(entry, "k"), { code: "CONFLICT", message: /it is being typed/ });
  assert.equal((await prompts.cancel(entry, "k:text")).state, "cancelled");
  assert.deepEqual(typed, []);
});

const emptyBox = {
  place: "box",
  text: "",
  rows: 1,
  clear: "\u0015",
  fold: null,
  reader: { agent: "gemini", run: 1, pid: 7, lastPid: 7 },
};
const message = (role: string, offset: number): object => ({
  kind: "message",
  offset,
  message: { role, agent: "gemini", offset },
});
const unknownProcess = { group: null, pid: null, startTicks: null, image: null, members: null };
const targets = [{ kind: "agent gemini", agent: "gemini", run: 1, program: "gemini", ...unknownProcess } as const];

async function endOf(receipt: Receipt, messages: readonly object[], statuses: object[] = []): Promise<Receipt> {
  const { entry } = sessionWith(recordsOf("").slice(0, 4), "waiting");
  const prompts = resumed(entry, [receipt], { draft: emptyBox, messages, statuses });
  const { promise, resolve } = Promise.withResolvers<Receipt>();
  using _ = prompts.subscribe((each) => {
    if (each.reason?.endsWith("was not seen working") === true) statuses.push(...late);
    if (["done", "failed"].includes(each.state)) resolve(each);
  });
  try {
    return await promise;
  } finally {
    prompts.close();
  }
}
const late: object[] = [];

test("a prompt that an agent shows among its messages is not done before the agent works or answers", async () => {
  const taken = { ...receiptOf("k", "submitted"), targets };
  const shown = [message("welcome", 0), message("user", 90)];
  const unseen = await endOf(taken, shown);
  assert.equal(unseen.state, "failed");
  assert.match(
    unseen.reason ?? "",
    /^gemini took it, and was not seen working within 0.05 s; see .* before you send it/,
  );
  assert.equal((await endOf(taken, [...shown, message("assistant", 95)])).state, "done");
  // A command of the agent needs no work, and of an agent without messages nobody can tell.
  assert.equal((await endOf({ ...taken, text: "/clear" }, shown)).state, "done");
  assert.equal((await endOf(taken, [])).state, "done");
});

test("a prompt is done by a report of the kernel that is of now, and by no older one", async (context) => {
  const { entry } = sessionWith(recordsOf("").slice(0, 4), "waiting");
  const answers = [false, false, true];
  let probes = 0;
  Object.assign(entry, { probe: () => Promise.resolve(answers[probes++] ?? true) });
  const prompts = resumed(entry, [receiptOf("k", "submitted")], { draft: emptyBox });
  context.after(() => prompts.close());
  const { promise, resolve } = Promise.withResolvers<Receipt>();
  using _ = prompts.subscribe((receipt) => receipt.state === "done" && resolve(receipt));
  await promise;
  assert.ok(probes >= answers.length);
});

test("an agent that begins late is followed until it is done", async () => {
  const evidence = [{ isDecisive: true, signal: "screen" }];
  late.push({ kind: "status", offset: 95, timeUs: 9, status: { state: "working", evidence } });
  const shown = [message("welcome", 0), message("user", 90)];
  const { state, steps } = await endOf({ ...receiptOf("k", "submitted"), targets }, shown);
  assert.equal(state, "done");
  assert.deepEqual(
    steps.slice(-2).map((step) => step.state),
    ["working", "done"],
  );
});
