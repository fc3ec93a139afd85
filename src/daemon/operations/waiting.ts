/** Waits for the exit, until the program is ready, for output that matches, for quiet, a status or an event. A time-out is an answer. */
import type { Sanitizer } from "../../core/text/sanitizer.ts";
import type { OutputOf, ParsedInputOf } from "../../protocol/operations.ts";
import type { FeedItem } from "../../live/stream.ts";
import type { StatusState } from "../../core/status/status.ts";
import type { CallContext, Handlers } from "../service.ts";
import type { Daemon } from "./context.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { sanitizerAt } from "../views/line-start.ts";
import { readItems } from "./reading.ts";
import { nextEvent } from "./events.ts";
import { Script, createContext } from "node:vm";
import { LecternError } from "../../core/errors.ts";
import { within } from "../../timers/within.ts";
import { JobThread } from "../jobs/job-thread.ts";

/** A pattern that takes longer on one text is looked for beside the event loop from then on. */
const MATCH_MS_MAX = 20;
/** For all requests: one slow pattern at a time, with a deadline, and few that wait for their turn. */
const slowPatterns = new JobThread();

type MatchIn = (text: string) => string | Promise<string | undefined> | undefined;

/** Text that a pattern is looked for in: what came last. */
const WINDOW_CHARS_MAX = 65_536;
type WaitInput = ParsedInputOf<"sessions.wait">;
type Condition = Exclude<WaitInput["for"], { readonly type: "ready" }>;
type WaitReason = OutputOf<"sessions.wait">["reason"];

type Outcome = Pick<OutputOf<"sessions.wait">, "reason" | "offset" | "match" | "event">;

export async function waitFor(
  daemon: Daemon,
  input: WaitInput,
  signal: AbortSignal,
): Promise<OutputOf<"sessions.wait">> {
  const entry = daemon.registry.resolve(input.session);
  if (input.for.type === "ready") {
    const { untilReady } = await import("./executing.ts");
    const { from, timeoutMs } = input;
    const outcome = await untilReady(entry, input.for, { from, timeoutMs, signal });
    await entry.refresh();
    return { ...outcome, match: null, session: entry.view };
  }
  const timeout = AbortSignal.timeout(input.timeoutMs);
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, timeout, ended.signal]);
  try {
    const outcome = await outcomeOf(daemon, entry, { ...input, for: input.for }, stop);
    // A daemon that ends has not waited to the end of the time.
    if (outcome.reason === "timeout") signal.throwIfAborted();
    await entry.refresh();
    return { ...outcome, ready: null, session: entry.view };
  } finally {
    ended.abort();
  }
}

/** One line of a conversation: what `sessions.input`, `sessions.wait` and `sessions.logs` do, in one request. */
export async function converse(
  handlers: Pick<Handlers, "sessions.input" | "sessions.logs" | "sessions.wait">,
  { bytesMax, from, key, session, take, text, timeoutMs, for: wanted }: ParsedInputOf<"sessions.converse">,
  context: CallContext,
): Promise<OutputOf<"sessions.converse">> {
  if (text !== undefined) {
    const typed = { session, text, key, take, enter: false, paste: false, secret: false };
    await handlers["sessions.input"](typed, context);
  }
  const { ready, reason } = await handlers["sessions.wait"]({ session, for: wanted, from, timeoutMs }, context);
  const page = await handlers["sessions.logs"]({ session, from, bytesMax, raw: true }, context);
  return { reason: reason as "ready", ready, text: page.text, next: page.next };
}

async function outcomeOf(
  daemon: Daemon,
  entry: SessionEntry,
  input: Pick<WaitInput, "from"> & { readonly for: Condition },
  signal: AbortSignal,
): Promise<Outcome> {
  await entry.refresh();
  const feed = await entry.feed();
  const atEnd = (reason: WaitReason): Outcome => ({ reason, offset: feed.end, match: null });
  if (input.for.type === "exit") {
    await entry.untilEnd(signal);
    return atEnd(entry.live ? "timeout" : "exit");
  }
  const from = Math.max(feed.start, input.from ?? entry.inputEnd);
  if (input.for.type === "event") {
    // An event that does not match its schema is no answer.
    const found = await nextEvent(daemon, entry, { ...input.for, from, validOnly: true }, signal);
    if (found === undefined) return atEnd(entry.live ? "timeout" : "exit");
    return { reason: "event", offset: found.end, match: null, event: found };
  }
  if (input.for.type === "status") {
    const { states } = input.for;
    const reached = await untilStatus(daemon, entry, states, signal);
    return atEnd(reached ? "status" : entry.live ? "timeout" : "exit");
  }
  using cursor = feed.openCursor(input.for.type === "quiet" ? feed.end : from);
  const items = readItems(cursor, { follow: true, signal });
  if (input.for.type === "quiet") {
    const reason = await untilQuiet(items, input.for.quietMs);
    return atEnd(reason === "timeout" && !entry.live ? "exit" : reason);
  }
  const reading = { sanitizer: await sanitizerAt(feed.reader, from), matchIn: compile(input.for.pattern) };
  return (await untilMatch(items, reading)) ?? atEnd(entry.live ? "timeout" : "exit");
}

/** Resolves to true once the status is one of these; to false where the wait was over or the session has ended first. */
async function untilStatus(
  { views }: Daemon,
  entry: SessionEntry,
  states: readonly StatusState[],
  signal: AbortSignal,
): Promise<boolean> {
  const isReached = (): boolean => entry.status !== null && states.includes(entry.status.state);
  return await views.use(entry, async (of) => {
    if (isReached()) return true;
    const reached = new AbortController();
    using _ = of.subscribe(() => {
      if (isReached()) reached.abort();
    });
    if (await entry.untilEnd(AbortSignal.any([signal, reached.signal]))) await of.caughtUp();
    return isReached();
  });
}

/** Ends "exit" where the program ended first, "timeout" where the wait was over. Only what the program wrote breaks the quiet. */
async function untilQuiet(batches: AsyncGenerator<readonly FeedItem[]>, quietMs: number): Promise<WaitReason> {
  let next = batches.next();
  let deadline = performance.now() + quietMs;
  for (;;) {
    const first = await within(Math.max(0, deadline - performance.now()), next);
    if (first === undefined) return "quiet";
    if (first.done === true) return "timeout";
    if (first.value.at(-1)?.record.type === "exit") return "exit";
    if (first.value.some(({ record }) => record.type === "output")) deadline = performance.now() + quietMs;
    next = batches.next();
  }
}

async function untilMatch(
  batches: AsyncGenerator<readonly FeedItem[]>,
  { sanitizer, matchIn }: { readonly sanitizer: Sanitizer; readonly matchIn: MatchIn },
): Promise<Outcome | undefined> {
  let window = "";
  for await (const items of batches) {
    for (const { record, next } of items) {
      if (record.type === "gap") sanitizer.gap();
      if (record.type !== "output") continue;
      // One record may have as much as the window.
      const text = window + sanitizer.feed(record.payload);
      const match = await matchIn(text + sanitizer.pending);
      if (match !== undefined) return { reason: "output", offset: next, match };
      window = text.slice(-WINDOW_CHARS_MAX);
    }
  }
  return undefined;
}

/** The pattern as a function that gives up in time. Throws `INVALID_INPUT` for what is no pattern, or one that is too slow. */
export function compile(pattern: string): MatchIn {
  try {
    void new RegExp(pattern, "mu");
  } catch (cause) {
    throw new LecternError("INVALID_INPUT", `Cannot read pattern "${pattern}": ${(cause as Error).message}`, { cause });
  }
  const context = createContext({ pattern, text: "" });
  const script = new Script('new RegExp(pattern, "mu").exec(text)?.[0]');
  let isSlow = false;
  return (text) => {
    if (isSlow) return matchBeside(pattern, text);
    context["text"] = text;
    try {
      return script.runInContext(context, { timeout: MATCH_MS_MAX }) as string | undefined;
    } catch {
      isSlow = true;
      return matchBeside(pattern, text);
    }
  };
}

async function matchBeside(pattern: string, text: string): Promise<string | undefined> {
  try {
    return await slowPatterns.run("match", { pattern, text });
  } catch (cause) {
    const message = `Cannot match pattern "${pattern}": it takes too long; use a simpler one`;
    throw new LecternError("INVALID_INPUT", message, { cause });
  }
}
